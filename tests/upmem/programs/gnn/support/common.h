/* SPDX-License-Identifier: MIT */
/* Sizes, places and arguments that the host and the three programs share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#if defined(INT8)
typedef int8_t T;
#define SHARE 8		/* columns that belong to each of a row's DPUs */
#else
typedef int32_t T;
#define SHARE 4
#endif

#define MAX_SIDE 16	/* DPUs of a row */
#define MAX_COLUMNS (MAX_SIDE * SHARE)
#define ROWS 40		/* of a strip */
#define MAX_ENTRIES 256	/* of a tile */

struct entry {
	uint32_t column;
	int32_t value;
};

/* A tile: where each row's entries begin, then these. */
struct tile {
	uint32_t starts[ROWS + 2];
	struct entry entries[MAX_ENTRIES];
};

/* bytes from the heap */
enum {
	TILES = 0,		/* two, for layers along x and along y */
	WEIGHTS = 64 << 10,
	FEATURES = 96 << 10,
	SUMS = 160 << 10,
	MOVED = 224 << 10,
	PART = 288 << 10,
	BUFFER = 1 << 20,
};

struct spmm_args {
	uint32_t tile, columns, features, sums;
};

/* From rows to each member's columns one after the other, or back. */
struct relocate_args {
	uint32_t columns, from, to, back;
};

struct gemm_args {
	uint32_t inner, outer, x, y;
};

#endif
