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
 * The bytes from `at` on of PE `pe`, whole words; numbers beyond those of PEs stand
 * for host buffers.
 */
void perf_inputs(const struct perf_inputs *inputs, uint64_t pe, uint64_t at,
		 uint64_t bytes, uint64_t *out);

#endif /* PIMDIMM_PERF_INPUTS_H */
