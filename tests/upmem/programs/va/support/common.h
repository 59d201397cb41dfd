/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

/* bytes that are brought from and to MRAM at a time */
#define BLOCK (1 << BL)

#define T int32_t

typedef struct {
	uint32_t size;		/* bytes of a vector */
	uint32_t transfer_size;	/* with what makes it a multiple of 8 */
} dpu_arguments_t;

typedef struct {
	uint64_t cycles;
} dpu_results_t;

#endif
