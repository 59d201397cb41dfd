/* SPDX-License-Identifier: MIT */
/* What should come out: the model on the host, in plain loops. */
#ifndef PIMDIMM_APPS_MLP_REFERENCE_H
#define PIMDIMM_APPS_MLP_REFERENCE_H

#include "tools/apps/mlp/model.h"

struct mlp_reference {
	/*
	 * [batch][outputs]: of integers what PEs must have, bit for bit, in 32 bits; of
	 * f32 the scores in double precision, and how far PEs may be off.
	 */
	int32_t *integers;
	double *scores, *bounds;
	uint64_t additions;	/* the most that a sum of the bounds is made of */
	bool overflow;		/* values leave the range of f32: nothing can be said */
};

/*
 * nr_pes decides how many sums a reduction adds. 0, or -ENOMEM; mlp_reference_free()
 * whatever it returns.
 */
int mlp_reference_make(const struct mlp_model *model, uint32_t nr_pes,
		       unsigned int threads, struct mlp_reference *reference);
void mlp_reference_free(struct mlp_reference *reference);

/*
 * Scores of PEs that differ. Of f32 largest receives the largest error, and bound the
 * bound of that score.
 */
uint64_t mlp_reference_differ(const struct mlp_reference *reference,
			      const struct mlp_model *model, const void *scores,
			      double *largest, double *bound);

#endif /* PIMDIMM_APPS_MLP_REFERENCE_H */
