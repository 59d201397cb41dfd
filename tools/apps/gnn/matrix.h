/* SPDX-License-Identifier: MIT */
/* The adjacency by its rows. */
#ifndef PIMDIMM_APPS_GNN_MATRIX_H
#define PIMDIMM_APPS_GNN_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

/* Square; the columns of row v are columns[starts[v]] to columns[starts[v + 1] - 1]. */
struct gnn_matrix {
	uint32_t nr_rows;
	bool symmetric;
	uint64_t *starts;
	uint32_t *columns;
};

/*
 * A matrix of entries at (upper half, lower half), sorted, no two alike; `mirrored`: at
 * the other place, too, which makes it symmetric. Returns 0 or -ENOMEM.
 */
int gnn_make_matrix(uint32_t nr_rows, const uint64_t *pairs, uint64_t count,
		    bool mirrored, struct gnn_matrix *matrix);
void gnn_matrix_free(struct gnn_matrix *matrix);

#endif /* PIMDIMM_APPS_GNN_MATRIX_H */
