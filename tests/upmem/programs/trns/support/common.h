/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define T int64_t
#define TILE 8		/* n: rows and columns of a tile */

typedef struct {
	uint32_t m;	/* tiles of a DPU */
	uint32_t kernel;
} dpu_arguments_t;

#endif
