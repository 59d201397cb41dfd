/* SPDX-License-Identifier: MIT */
/*
 * Connected components on PEs. Here as on the host each vertex is labelled with the
 * smallest vertex of its component, so that results can be compared as they are.
 */
#ifndef PIMDIMM_COMPONENTS_PE_H
#define PIMDIMM_COMPONENTS_PE_H

#include <stdint.h>

#include <pimdimm/pimdimm.h>

#include "tools/graph/graph.h"

#define COMPONENTS_TASKLETS 16

/* How a graph lies in the MRAM of each PE. */
struct components_layout {
	uint32_t nr_pes;
	uint64_t label_bytes;	/* the label vector, at offset 0 */
	uint64_t status;	/* offset of the status word, which follows it */
	uint64_t edges;		/* offset of the PE's slice of the edges */
	uint64_t slice;		/* edges of a PE */
	uint64_t bytes;		/* of MRAM in all */
};

struct components_layout components_plan(const struct graph *graph,
					 uint32_t nr_pes);

struct components_run {
	unsigned int rounds;
	uint64_t load_ns;	/* labels and edges into MRAM */
	uint64_t kernel_ns;	/* PE kernels */
	uint64_t allreduce_ns;
	uint64_t total_ns;
};

/*
 * Run on all PEs of a system, whose MRAM must hold components_plan()'s bytes.
 * Returns 0 and the labels; else -errno, and pimdimm_errmsg() says why.
 */
int components_on_pes(struct pimdimm *sys, const struct graph *graph,
		      uint32_t *labels, struct components_run *run);

#endif /* PIMDIMM_COMPONENTS_PE_H */
