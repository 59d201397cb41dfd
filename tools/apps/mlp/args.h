/* SPDX-License-Identifier: MIT */
/* What the PE program of mlp and its host share. */
#ifndef PIMDIMM_APPS_MLP_ARGS_H
#define PIMDIMM_APPS_MLP_ARGS_H

#include <stdint.h>

/* samples that a PE works on at once: each weight that it loads serves all of them */
#define MLP_TILE 16

enum mlp_type {
	MLP_I8,
	MLP_I16,
	MLP_I32,
	MLP_F32,
	MLP_I8_I32,	/* bytes, whose sums have 32 bits until they are scaled down */
	MLP_NR_TYPES,
};

/*
 * One layer, the same on every PE: symbol `args`. Vectors lie in chunks, one
 * for each PE that is to have a piece of them: in a chunk tile after tile of samples, in
 * a tile feature after feature, and of a feature one sample beside the other. A chunk
 * has `rows` features, and slots for `slots`, which make its tiles multiples of 8 bytes.
 */
struct mlp_args {
	uint32_t type;		/* enum mlp_type */
	uint32_t batch;
	uint32_t input;		/* MRAM: one chunk of the layer's inputs */
	uint32_t columns;	/* features in it, and columns of the weights */
	uint32_t input_slots;
	uint32_t sums;		/* inputs are sums of the layer before */
	uint32_t relu;		/* then what is negative becomes 0 */
	uint32_t shift;		/* MLP_I8_I32: and is divided by 2^shift */
	uint32_t weights;	/* MRAM: a row for each output */
	uint32_t row_bytes;	/* of such a row, a multiple of 8 */
	uint32_t outputs;
	uint32_t output;	/* MRAM: `chunks` chunks of partial sums */
	uint32_t chunks;
	uint32_t rows;
	uint32_t slots;
	uint32_t reserved;
};

#endif /* PIMDIMM_APPS_MLP_ARGS_H */
