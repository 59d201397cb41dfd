// SPDX-License-Identifier: MIT
/* SuiteSparse:GraphBLAS, with the algorithms on graphs that LAGraph publishes for it. */
#include <stdio.h>

#include <pimdimm/pimdimm.h>

#include "tools/perf/cpu/plugins/graphblas_base.h"
#include "tools/perf/cpu/plugins/graphblas_fastsv.h"
#include "tools/perf/cpu/plugins/graphblas_gnn.h"
#include "tools/perf/cpu/plugins/graphblas_graph.h"
#include "tools/perf/cpu/plugins/graphblas_search.h"

static void graphblas_version(char *text, size_t size)
{
	int version[3] = { 0 };

	/* it answers once it has begun */
	graphblas_begin(1);
	GxB_Global_Option_get(GxB_LIBRARY_VERSION, version);
	snprintf(text, size, "SuiteSparse:GraphBLAS %d.%d.%d", version[0], version[1],
		 version[2]);
}

static const char *graphblas_refuses(enum cpu_type type)
{
	(void)type;
	return NULL;
}

extern const struct cpu_plugin cpu_plugin;
const struct cpu_plugin cpu_plugin = {
	.built_for = PIMDIMM_VERSION,
	.version = graphblas_version,
	.refuses = graphblas_refuses,
	.works = {
		[CPU_BFS] = { graphblas_graph_prepare, graphblas_search_run,
			      graphblas_search_result, graphblas_graph_release },
		[CPU_CC] = { graphblas_graph_prepare, graphblas_fastsv_run,
			     graphblas_fastsv_result, graphblas_graph_release },
		[CPU_GNN] = { graphblas_gnn_prepare, graphblas_gnn_run,
			      graphblas_gnn_result, graphblas_gnn_release },
	},
};
