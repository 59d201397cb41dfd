/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define DTYPE int32_t
#define QUERY 64	/* samples */

typedef struct {
	uint32_t length;	/* windows to look at */
	uint32_t unused;
} dpu_arguments_t;

typedef struct {
	int64_t best;		/* smallest distance */
	uint32_t index;
	uint32_t unused;
} dpu_result_t;

#endif
