// SPDX-License-Identifier: MIT
/* Makes a matrix of pairs, and finds out whether it is symmetric. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/gnn/matrix.h"

static uint32_t upper(uint64_t pair)
{
	return (uint32_t)(pair >> 32);
}

static uint32_t lower(uint64_t pair)
{
	return (uint32_t)pair;
}

/* An entry on the diagonal has no other place. */
static bool has_mirror(uint64_t pair)
{
	return upper(pair) != lower(pair);
}

/* starts[v] is moved on with each entry of row v - 1; it stands right in the end. */
static void put(struct gnn_matrix *matrix, uint32_t row, uint32_t column)
{
	matrix->columns[matrix->starts[row + 1]++] = column;
}

static void fill(struct gnn_matrix *matrix, const uint64_t *pairs, uint64_t count,
		 bool mirrored)
{
	for (uint64_t i = 0; i < count; i++) {
		put(matrix, upper(pairs[i]), lower(pairs[i]));
		if (mirrored && has_mirror(pairs[i]))
			put(matrix, lower(pairs[i]), upper(pairs[i]));
	}
}

/* The next column of each row of the transpose, going down the rows. */
static bool is_symmetric(const struct gnn_matrix *matrix, uint64_t *next)
{
	memcpy(next, matrix->starts, matrix->nr_rows * sizeof(*next));
	for (uint32_t v = 0; v < matrix->nr_rows; v++) {
		for (uint64_t i = matrix->starts[v]; i < matrix->starts[v + 1]; i++) {
			uint32_t u = matrix->columns[i];

			if (next[u] == matrix->starts[u + 1] ||
			    matrix->columns[next[u]++] != v)
				return false;
		}
	}
	return true;
}

static int find_symmetry(struct gnn_matrix *matrix)
{
	uint64_t *next = malloc((matrix->nr_rows + UINT64_C(1)) * sizeof(*next));

	if (!next)
		return -ENOMEM;
	matrix->symmetric = is_symmetric(matrix, next);
	free(next);
	return 0;
}

int gnn_make_matrix(uint32_t nr_rows, const uint64_t *pairs, uint64_t count,
		    bool mirrored, struct gnn_matrix *matrix)
{
	uint64_t entries = count;

	for (uint64_t i = 0; mirrored && i < count; i++)
		entries += has_mirror(pairs[i]);
	*matrix = (struct gnn_matrix){ .nr_rows = nr_rows, .symmetric = mirrored };
	matrix->starts = calloc((size_t)nr_rows + 2, sizeof(*matrix->starts));
	matrix->columns = malloc((entries ? entries : 1) * sizeof(*matrix->columns));
	if (!matrix->starts || !matrix->columns) {
		gnn_matrix_free(matrix);
		return -ENOMEM;
	}
	/* entries of row v are counted at v + 2 and begin, added up, at v + 1 */
	for (uint64_t i = 0; i < count; i++) {
		matrix->starts[upper(pairs[i]) + UINT64_C(2)]++;
		if (mirrored && has_mirror(pairs[i]))
			matrix->starts[lower(pairs[i]) + UINT64_C(2)]++;
	}
	for (uint64_t v = 0; v <= nr_rows; v++)
		matrix->starts[v + 1] += matrix->starts[v];
	fill(matrix, pairs, count, mirrored);
	if (mirrored || !find_symmetry(matrix))
		return 0;
	gnn_matrix_free(matrix);
	return -ENOMEM;
}

void gnn_matrix_free(struct gnn_matrix *matrix)
{
	free(matrix->starts);
	free(matrix->columns);
	matrix->starts = NULL;
	matrix->columns = NULL;
}
