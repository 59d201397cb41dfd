/* SPDX-License-Identifier: MIT */
/* A graph for GraphBLAS, with the vectors of a search or of components. */
#ifndef PIMDIMM_PERF_CPU_GRAPHBLAS_GRAPH_H
#define PIMDIMM_PERF_CPU_GRAPHBLAS_GRAPH_H

#include "tools/perf/cpu/plugins/graphblas_base.h"

/* A graph, and what an algorithm works with. */
struct graphblas_graph {
	const struct cpu_graph *in;
	unsigned int threads;
	GrB_Index n;
	GrB_Matrix out, back;		/* the same of an undirected graph */
	uint32_t *result;

	/* of a search */
	GrB_Vector degrees, level, frontier, work;

	/* of components */
	GrB_Vector parent, least, grand, grand_new, differs;
	GrB_Matrix sample, hooks;
	GrB_Index *starts, *parents;	/* 0 to n, and a copy of `parent` */
	void *hook;			/* the value of all entries of hooks */
	uint64_t largest;		/* the label of the largest component, it seems */
};

/* as struct cpu_work has them */
void *graphblas_graph_prepare(const void *input, const struct cpu_hands *hands);
void graphblas_graph_release(void *arg);

/* Frees what a run has made. */
void graphblas_graph_clear(struct graphblas_graph *g);
/* A vector's entries by vertex, CPU_UNREACHED where it has none. */
const void *graphblas_graph_numbers(struct graphblas_graph *g, GrB_Vector vector);

#endif /* PIMDIMM_PERF_CPU_GRAPHBLAS_GRAPH_H */
