/* SPDX-License-Identifier: MIT */
/* A library's matrix product, in the place of our own. */
#ifndef PIMDIMM_PERF_CPU_MULTIPLIER_H
#define PIMDIMM_PERF_CPU_MULTIPLIER_H

#include "tools/perf/cpu/own/inputs.h"

struct multiplier {
	/* A layer's weights as the library likes them, for up to `rows` rows; NULL. */
	void *(*make)(enum cpu_type type, const struct cpu_layer *layer, uint32_t rows,
		      unsigned int threads);
	/*
	 * in is [rows][inputs], out [rows][outputs] of sums of 32 bits, which are set, or
	 * added to. Returns 0, or not.
	 */
	int (*run)(void *made, uint32_t rows, const void *in, void *out, bool add);
	void (*free)(void *made);
};

#endif /* PIMDIMM_PERF_CPU_MULTIPLIER_H */
