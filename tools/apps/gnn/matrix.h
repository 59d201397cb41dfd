/* SPDX-License-Identifier: MIT */
/* The adjacency by its rows. */
#ifndef PIMDIMM_APPS_GNN_MATRIX_H
#define PIMDIMM_APPS_GNN_MATRIX_H

#include <stdbool.h>

#include "tools/apps/common/graph/csr.h"

struct gnn_matrix {
	struct csr rows;	/* the columns of each row's entries */
	bool symmetric;
};

/*
 * A row's entries are the edges that leave its vertex. Returns 0, or -ENOMEM after a
 * message.
 */
int gnn_make_matrix(const struct graph *graph, struct gnn_matrix *matrix);

#endif /* PIMDIMM_APPS_GNN_MATRIX_H */
