// SPDX-License-Identifier: MIT
/* Makes a matrix of a graph, and finds out whether it is symmetric. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/gnn/matrix.h"
#include "tools/tool.h"

/*
 * Going down the rows, each entry must be what comes next in the row of its column; of
 * which `next` keeps the place.
 */
static bool is_symmetric(const struct csr *rows, uint64_t *next)
{
	memcpy(next, rows->first, rows->nr_vertices * sizeof(*next));
	for (uint32_t v = 0; v < rows->nr_vertices; v++) {
		for (uint64_t i = rows->first[v]; i < rows->first[v + 1]; i++) {
			uint32_t u = rows->targets[i];

			if (next[u] == rows->first[u + 1] ||
			    rows->targets[next[u]++] != v)
				return false;
		}
	}
	return true;
}

int gnn_make_matrix(const struct graph *graph, struct gnn_matrix *matrix)
{
	uint64_t *next;

	if (csr_make(&matrix->rows, graph, CSR_OUT))
		return -ENOMEM;
	next = malloc((graph->nr_vertices + UINT64_C(1)) * sizeof(*next));
	if (!next) {
		tool_error("%s: no memory to compare rows and columns", graph->path);
		return -ENOMEM;
	}
	matrix->symmetric = is_symmetric(&matrix->rows, next);
	free(next);
	return 0;
}
