/* SPDX-License-Identifier: MIT */
/* What should come out: the model on the host, sample by sample. */
#ifndef PIMDIMM_APPS_DLRM_REFERENCE_H
#define PIMDIMM_APPS_DLRM_REFERENCE_H

#include <stdbool.h>

#include "tools/apps/dlrm/model.h"
#include "tools/apps/dlrm/samples.h"

struct dlrm_reference {
	/* scores: of integers bit for bit; of f32 with what PEs may be off by */
	uint32_t *integers;
	double *scores, *bounds;
	uint32_t additions;	/* of the longest sum */
	bool overflow;		/* values leave the range of f32: nothing can be said */
};

/*
 * Of all samples, whose dense inputs are [count][DLRM_DENSE]. 0, or -ENOMEM;
 * dlrm_reference_free() whatever it returns.
 */
int dlrm_reference_make(const struct dlrm_model *model,
			const struct dlrm_samples *samples, const uint32_t *dense,
			unsigned int threads, struct dlrm_reference *reference);
void dlrm_reference_free(struct dlrm_reference *reference);

/*
 * Scores of PEs that differ. Of f32 largest receives the largest error, and bound the
 * bound of that score; they are NULL for integers.
 */
uint64_t dlrm_reference_differ(const struct dlrm_reference *reference,
			       uint64_t count, const uint32_t *scores,
			       double *largest, double *bound);

#endif /* PIMDIMM_APPS_DLRM_REFERENCE_H */
