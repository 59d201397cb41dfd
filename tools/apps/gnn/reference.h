/* SPDX-License-Identifier: MIT */
/* The same layers on the host, which share nothing with PEs but the input. */
#ifndef PIMDIMM_APPS_GNN_REFERENCE_H
#define PIMDIMM_APPS_GNN_REFERENCE_H

#include "tools/apps/gnn/data.h"
#include "tools/apps/gnn/matrix.h"

/*
 * The result, vertices x hidden. Integers: of the model's type. Floats: doubles, and for
 * each how far a result in floats may lie from it.
 */
struct gnn_reference {
	void *values;
	double *bounds;		/* NULL for integers */
	uint64_t additions;	/* that a float has gone through at most */
};

/* Returns 0 or -ENOMEM. */
int gnn_refer(const struct gnn_model *model, const struct gnn_matrix *matrix,
	      const struct gnn_data *data, uint32_t p, unsigned int threads,
	      struct gnn_reference *reference);
void gnn_reference_free(struct gnn_reference *reference);

/* How a result of PEs, vertices x hidden, compares. */
struct gnn_comparison {
	uint64_t wrong;		/* elements that differ, or lie outside of their bounds */
	double error, bound;	/* the error that comes nearest to its bound, and that */
};

void gnn_compare(const struct gnn_model *model, const struct gnn_reference *reference,
		 const void *values, struct gnn_comparison *comparison);

#endif /* PIMDIMM_APPS_GNN_REFERENCE_H */
