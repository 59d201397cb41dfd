/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define TILE 32		/* cells of a tile's side */
#define PENALTY 2

/* what a DPU needs for one tile, and what it gives back: at the heap's start */
typedef struct {
	int32_t top[TILE + 2];	/* from the corner on */
	int32_t left[TILE + 2];
	uint8_t a[TILE];
	uint8_t b[TILE];
	int32_t bottom[TILE];
	int32_t right[TILE];
} tile_t;

typedef struct {
	uint32_t tiles;
	uint32_t unused;
} dpu_arguments_t;

#endif
