/* SPDX-License-Identifier: MIT */
/* Vectors of numbers: the inner loops of our own programs, for each instruction set. */
#ifndef PIMDIMM_PERF_CPU_OWN_LOOPS_H
#define PIMDIMM_PERF_CPU_OWN_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "tools/perf/cpu/own/inputs.h"

/* rows of features begin at multiples of this, and are padded to it */
#define OWN_LINE 64

/*
 * Words of 32 bits: a float, an integer, two of 16 bits or four bytes. A panel of weights
 * has for each word of a row `panel` words, one for each output.
 */
struct own_product {
	/* outputs of each row += the products of its k words */
	void (*add)(uint32_t rows, uint32_t k, const uint32_t *in, size_t in_words,
		    const uint32_t *weights, uint32_t *out, size_t out_words);
};

enum own_word {
	OWN_FLOAT,
	OWN_INTEGER,
	OWN_PAIR,	/* of 16 bits, with signs */
	OWN_QUAD,	/* of inputs without and weights with signs; may be missing */
	OWN_NR_WORDS,
};

/* Sums as what a layer gives the next one, or the caller. */
struct own_finish {
	enum cpu_type type;
	bool relu;
	bool scale;		/* CPU_I8_I32: to bytes, divided by 2^shift */
	uint32_t shift;
};

struct own_loops {
	const char *name;	/* of the instruction set */
	uint32_t panel;		/* outputs whose weights lie together */
	struct own_product products[OWN_NR_WORDS];
	/* to = the sum of rows of `bytes` bytes, which are multiples of OWN_LINE */
	void (*sum_rows)(enum cpu_type type, const uint8_t *rows, size_t bytes,
			 const uint32_t *which, uint64_t count, uint8_t *to);
	/* n sums of 32 bits to elements, or sums */
	void (*finish)(const struct own_finish *finish, const uint32_t *sums, size_t n,
		       void *to);
	/*
	 * Products of all pairs among `count` vectors of dim elements: of 1 with 0, 2
	 * with 0 and 1, and so on.
	 */
	void (*pairs)(enum cpu_type type, const uint32_t *vectors, uint32_t count,
		      uint32_t dim, uint32_t *to);
};

/* Those that this CPU has, the plainest first; NULL behind the last. */
const struct own_loops *own_loops_at(unsigned int number);
const struct own_loops *own_loops_fastest(void);

/* bytes of an element of a row of features, or of the inputs of a layer */
uint32_t own_element_bytes(enum cpu_type type);
/* bytes of a sum as the last layer gives it */
uint32_t own_sum_bytes(enum cpu_type type);

#endif /* PIMDIMM_PERF_CPU_OWN_LOOPS_H */
