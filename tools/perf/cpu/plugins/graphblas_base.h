/* SPDX-License-Identifier: MIT */
/* What works by GraphBLAS share: its start, matrices from plain arrays. */
#ifndef PIMDIMM_PERF_CPU_GRAPHBLAS_BASE_H
#define PIMDIMM_PERF_CPU_GRAPHBLAS_BASE_H

#include <GraphBLAS.h>

#include "tools/perf/cpu/own/plugin.h"

/* Returns what a call fails with; what it has made is freed with the state it is in. */
#define TRY(call)								\
	do {									\
		GrB_Info info_ = (call);					\
										\
		if (info_ != GrB_SUCCESS)					\
			return info_;						\
	} while (0)

/* Starts the library unless that has been done, and sets its threads. */
GrB_Info graphblas_begin(unsigned int threads);

/*
 * A pattern of n rows and columns: row v has the columns at first[v] and on. It takes the
 * arrays over, of which `targets` has room elements, whatever comes of it; either may be
 * NULL, for no memory. Columns of a row ascend unless it is jumbled.
 */
GrB_Info graphblas_pack_rows(GrB_Matrix *matrix, GrB_Index n, GrB_Index *first,
			     GrB_Index *targets, GrB_Index room, bool jumbled);

/* A pattern of copies of the arrays of a graph. */
GrB_Info graphblas_make_adjacency(GrB_Matrix *matrix, uint64_t n, const uint64_t *first,
				  const uint32_t *targets);

/* A matrix with all entries, copied from the values row by row. */
GrB_Info graphblas_make_full(GrB_Matrix *matrix, GrB_Type type, GrB_Index rows,
			     GrB_Index columns, const void *values);

#endif /* PIMDIMM_PERF_CPU_GRAPHBLAS_BASE_H */
