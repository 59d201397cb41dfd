/* SPDX-License-Identifier: MIT */
/*
 * What the host tells the programs of a PE: sizes, and where in MRAM things lie.
 *
 * A tile of the adjacency is cut in blocks of 2^block_bits rows and columns. A table has
 * for each block, row of blocks by row of blocks, the number of the first of its entries,
 * and one number more for the end. An entry is 2 bytes: its row in the block, then
 * its column. So a tile is read along its rows or down its columns with the same ease, and
 * a symmetric matrix has to be stored once.
 */
#ifndef PIMDIMM_APPS_GNN_ARGS_H
#define PIMDIMM_APPS_GNN_ARGS_H

#include <stdint.h>

#define GNN_TASKLETS	16

/* rows of a strip come in eights, so that any width of element makes whole words */
#define GNN_ROW_UNIT	8

/* blocks have at most so many rows: an entry's coordinates are bytes */
#define GNN_MIN_BLOCK_BITS	6
#define GNN_MAX_BLOCK_BITS	8

/* a tile's sides count at most so many tiles */
#define GNN_MAX_SIDE	32

/* PEs read entries and numbers of the table with up to so many bytes behind them */
#define GNN_READ_ON	256

enum gnn_type {
	GNN_I8,
	GNN_I16,
	GNN_I32,
	GNN_F32,
	GNN_NR_TYPES,
};

/* Sparse times dense: sums of features over the entries of a tile. */
#define GNN_SUMS_BYTES		2048	/* of WRAM in which a tasklet adds up */
#define GNN_SEGMENT_BYTES	256	/* of a row of features, at once */

struct gnn_spmm_args {
	uint32_t type;		/* enum gnn_type */
	uint32_t relu;		/* features below zero count as zero */
	uint32_t transposed;	/* the tile is read down its columns */
	uint32_t table, entries;	/* the tile */
	uint32_t blocks;	/* on a side of the tile */
	uint32_t block_bits;
	uint32_t rows;		/* of a strip */
	uint32_t row_bytes;	/* of features, and of their sums */
	uint32_t cut;		/* bytes of a row that belong to one member of a group */
	uint32_t segment;	/* bytes of a row that are summed at once */
	uint32_t span_bits;	/* rows that a tasklet sums at once: 2^span_bits */
	uint32_t features;
	uint32_t sums;
	/* bytes of a row in each of the chunks that sums are written in */
	uint32_t chunk;
	/*
	 * Unless it is 0, features lie in chunks of so many bytes a row at
	 * `gathered`, and are put into rows first.
	 */
	uint32_t gathered_chunk;
	uint32_t gathered;
};

/* Dense times dense: rows of x, times the PE's part of the weights. */
#define GNN_WEIGHTS_BYTES	16384	/* of WRAM for a block of weights */
#define GNN_X_BYTES		1024	/* of a tasklet's rows of x */
#define GNN_Y_BYTES		512	/* and of y */

/*
 * Weights lie in blocks of `inner` rows and `outer` columns; the blocks of the first
 * columns come first. A block is a sequence of panels, each of as many columns as have 8
 * bytes: for each of its rows 8 bytes, zeros where there are fewer columns.
 */
struct gnn_gemm_args {
	uint32_t type;
	uint32_t relu;		/* results below zero become zero */
	uint32_t rows;		/* of x and y */
	uint32_t nr_inner;	/* elements of a row of x: rows of the weights */
	uint32_t nr_outer;	/* elements of a row of y */
	uint32_t inner, outer;	/* of a block of weights */
	uint32_t group;		/* rows that a tasklet takes at once */
	uint32_t x, y, weights;
	uint32_t reserved;
};

#endif /* PIMDIMM_APPS_GNN_ARGS_H */
