/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define T int64_t

typedef struct {
	uint32_t size;
	uint32_t unused;
} dpu_arguments_t;

typedef struct {
	uint32_t t_count;
	uint32_t unused;
	T first;
	T last;
} dpu_results_t;

#endif
