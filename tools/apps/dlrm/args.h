/* SPDX-License-Identifier: MIT */
/* What the PE programs of dlrm and their host share. */
#ifndef PIMDIMM_APPS_DLRM_ARGS_H
#define PIMDIMM_APPS_DLRM_ARGS_H

#include <stdint.h>

#define DLRM_MAX_TABLES	26	/* of Criteo's samples, and of the model */
#define DLRM_DENSE	13	/* numbers of a sample */
#define DLRM_MAX_LAYERS	8
#define DLRM_MAX_DIM	32
#define DLRM_NO_ROW	UINT32_MAX	/* a sample or a table that there is not */

/* activations of a block of samples lie in one of two pools of so many bytes */
#define DLRM_POOL_BYTES	16384
#define DLRM_MAX_BLOCK	8
/* the widest layer of which two samples fit into a pool */
#define DLRM_MAX_WIDTH	(DLRM_POOL_BYTES / 8)

enum dlrm_type {
	DLRM_F32,
	DLRM_I32,
};

/* Each PE's own: its tables' parts and where they are. */
struct dlrm_lookup_args {
	uint32_t type;		/* enum dlrm_type */
	uint32_t sources;	/* PEs that indices come from, a chunk each */
	uint32_t samples;	/* of a chunk */
	uint32_t slots;		/* for tables in it, the same number on all PEs */
	uint32_t tables;	/* that this PE has */
	uint32_t pooling;	/* rows of a table that a sample asks for */
	uint32_t chunk_bytes;	/* a multiple of 8 */
	uint32_t indices;	/* MRAM: [sources][samples][slots][pooling] */
	uint32_t partial;	/* MRAM: [sources * samples][words] */
	uint32_t words;		/* of a sample's partial vectors, an even number */
	uint32_t width;		/* columns of each table that this PE has */
	uint32_t row_shift;	/* a PE has each 2^row_shift-th row, */
	uint32_t row_rank;	/* from this one on */
	uint32_t reserved;
	uint32_t table[DLRM_MAX_TABLES];	/* MRAM */
};

struct dlrm_layer_args {
	uint32_t inputs, outputs;
	uint32_t weights;	/* MRAM: a row an output, bias first */
	uint32_t row_bytes;	/* a multiple of 8 */
};

/* The same on all PEs. */
struct dlrm_dense_args {
	uint32_t type;
	uint32_t samples;
	uint32_t block;		/* samples at once, an even number */
	uint32_t dense;		/* MRAM: [samples][DLRM_DENSE + 1] */
	uint32_t scores;	/* MRAM: [samples] */
	uint32_t vectors;	/* MRAM: [parts][samples][words] */
	uint32_t parts;		/* PEs that they come from: axes x and z */
	uint32_t words;
	uint32_t x;		/* length of axis x, of parts the faster */
	uint32_t slots;		/* for tables in a part */
	uint32_t width;		/* columns in a part */
	uint32_t dim;
	uint32_t tables;	/* in all */
	uint32_t bottom, top;	/* numbers of layers */
	uint32_t reserved;
	struct dlrm_layer_args layers[2 * DLRM_MAX_LAYERS];
	/* the table of a slot of a z, DLRM_MAX_TABLES: none */
	uint8_t table_of[2 * DLRM_MAX_TABLES + 4];
};

#endif /* PIMDIMM_APPS_DLRM_ARGS_H */
