/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define ROWS 1000
#define PARTITIONS 8
#define CAPACITY 512	/* rows of a partition */

typedef struct {
	uint32_t rows;
	uint32_t seed;
} request_t;

#endif
