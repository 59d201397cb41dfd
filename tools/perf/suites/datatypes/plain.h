/* SPDX-License-Identifier: MIT */
/* What a program does without datatypes: loops over its arrays, one thread. */
#ifndef PIMDIMM_PERF_DATATYPES_PLAIN_H
#define PIMDIMM_PERF_DATATYPES_PLAIN_H

#include <stdbool.h>

#include "tools/perf/suites/datatypes/kernels.h"

/*
 * From an array to another one, or to or from a stream without gaps, where `to` or `from` is
 * false; runs that touch are joined. `lanes` is 8 for the memory of the eight PEs of an
 * entangled group, which has eight bytes for each of a PE's; else 1.
 */
struct ddt_loops {
	unsigned int nr;
	struct ddt_nest nests[DDT_NESTS];
};

void ddt_loops_make(struct ddt_loops *loops, const struct ddt_kernel *k, bool from, bool to,
		    unsigned int lanes);

/* Element by element, as a program's loops do it. */
void ddt_plain_copy(const struct ddt_loops *loops, void *to, const void *from);
/* A memcpy() for each block. */
void ddt_blocks_copy(const struct ddt_loops *loops, void *to, const void *from);

#endif /* PIMDIMM_PERF_DATATYPES_PLAIN_H */
