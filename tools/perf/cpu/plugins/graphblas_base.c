// SPDX-License-Identifier: MIT
/* GraphBLAS at its start, and matrices from plain arrays. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/plugins/graphblas_base.h"

GrB_Info graphblas_begin(unsigned int threads)
{
	static bool begun;

	if (!begun)
		TRY(GrB_init(GrB_NONBLOCKING));
	begun = true;
	return GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, (int)threads);
}

GrB_Info graphblas_pack_rows(GrB_Matrix *matrix, GrB_Index n, GrB_Index *first,
			  GrB_Index *targets, GrB_Index room, bool jumbled)
{
	void *value = calloc(1, sizeof(bool));
	GrB_Info info = GrB_OUT_OF_MEMORY;

	if (first && targets && value)
		info = GrB_Matrix_new(matrix, GrB_BOOL, n, n);
	if (info == GrB_SUCCESS)
		info = GxB_Matrix_pack_CSR(*matrix, &first, &targets, &value,
					   (n + 1) * sizeof(*first),
					   room * sizeof(*targets), sizeof(bool), true,
					   jumbled, NULL);
	free(first);
	free(targets);
	free(value);
	return info;
}

GrB_Info graphblas_make_adjacency(GrB_Matrix *matrix, uint64_t n, const uint64_t *first,
			       const uint32_t *targets)
{
	GrB_Index room = first[n] + 1;
	GrB_Index *rows = malloc((n + 1) * sizeof(*rows));
	GrB_Index *columns = malloc(room * sizeof(*columns));

	for (uint64_t v = 0; rows && v <= n; v++)
		rows[v] = first[v];
	for (uint64_t e = 0; columns && e < first[n]; e++)
		columns[e] = targets[e];
	return graphblas_pack_rows(matrix, n, rows, columns, room, false);
}

GrB_Info graphblas_make_full(GrB_Matrix *matrix, GrB_Type type, GrB_Index rows,
			  GrB_Index columns, const void *values)
{
	GrB_Index bytes;
	void *copy;

	TRY(GxB_Type_size(&bytes, type));
	bytes *= rows * columns;
	copy = malloc(bytes);
	if (!copy)
		return GrB_OUT_OF_MEMORY;
	memcpy(copy, values, bytes);
	TRY(GrB_Matrix_new(matrix, type, rows, columns));
	return GxB_Matrix_pack_FullR(*matrix, &copy, bytes, false, NULL);
}
