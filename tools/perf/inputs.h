/* SPDX-License-Identifier: MIT */
/* Inputs of a case, which are known without having been kept. */
#ifndef PIMDIMM_PERF_INPUTS_H
#define PIMDIMM_PERF_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/perf/case.h"

struct perf_inputs {
	uint64_t seed;
	enum pidcomm_type type;
	uint64_t table[16];	/* elements to draw from, where `tabled` */
	bool tabled;
};

void perf_inputs_init(struct perf_inputs *inputs, const struct perf_case *c,
		      uint64_t seed);
/*
 * The words from `word` on of PE `pe`; numbers beyond those of PEs stand for host
 * buffers.
 */
void perf_inputs(const struct perf_inputs *inputs, uint64_t pe, uint64_t word,
		 uint64_t words, uint64_t *out);

#endif /* PIMDIMM_PERF_INPUTS_H */
