/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define T int64_t

typedef struct {
	uint64_t input_size;
	uint64_t slice_per_dpu;
} dpu_arguments_t;

typedef struct {
	T found;	/* sum of the positions */
} dpu_results_t;

#endif
