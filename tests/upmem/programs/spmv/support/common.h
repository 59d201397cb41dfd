/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define ROUND_UP_TO_MULTIPLE_OF_8(x) ((((x) + 7) / 8) * 8)

struct Nonzero {
	uint32_t col;
	float value;
};

/* at offset 0 of the heap */
struct DPUParams {
	uint32_t numRows;
	uint32_t rowPtrs_m;
	uint32_t nonzeros_m;
	uint32_t inVector_m;
	uint32_t outVector_m;
	uint32_t unused;
};

#endif
