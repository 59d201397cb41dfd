/* SPDX-License-Identifier: MIT */
/* Products of rows with a layer's weights, which are packed for that. */
#ifndef PIMDIMM_PERF_CPU_OWN_GEMM_H
#define PIMDIMM_PERF_CPU_OWN_GEMM_H

#include "tools/perf/cpu/own/loops.h"
#include "tools/perf/cpu/own/team.h"

struct gemm {
	const struct own_loops *loops;
	enum cpu_type type;
	enum own_word word;
	uint32_t inputs, outputs;
	uint32_t row_words;	/* of an encoded row of inputs */
	uint32_t panels;
	uint32_t *weights;	/* [panels][row_words][loops->panel] */
	uint32_t *start;	/* [panels][loops->panel]: what sums begin with */
};

/* Returns 0 or -ENOMEM; gemm_free() whatever it returns. */
int gemm_make(struct gemm *gemm, const struct own_loops *loops, enum cpu_type type,
	      const struct cpu_layer *layer);
void gemm_free(struct gemm *gemm);

/* Rows of elements, `stride` bytes apart, as gemm_multiply() wants them. */
void gemm_encode(const struct gemm *gemm, const void *rows, size_t stride,
		 uint32_t count, uint32_t *to);

/*
 * Sums of `count` encoded rows for the outputs of panels first to end - 1, of 32 bits,
 * out_words from row to row; out begins at output 0.
 */
void gemm_multiply(const struct gemm *gemm, const uint32_t *rows, uint32_t count,
		   uint32_t first, uint32_t end, uint32_t *out, size_t out_words);

/* All rows and outputs, by all threads; out is [count][outputs]. */
void gemm_all(const struct gemm *gemm, struct team *team, const uint32_t *rows,
	      uint32_t count, uint32_t *out);

#endif /* PIMDIMM_PERF_CPU_OWN_GEMM_H */
