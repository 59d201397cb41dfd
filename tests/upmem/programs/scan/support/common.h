/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define T uint64_t
#define REGS (BLOCK_SIZE >> 3)

enum kernels { kernel1 = 0, kernel2 = 1, nr_kernels = 2 };

typedef struct {
	uint32_t size;
	enum kernels kernel;
	T t_count;
} dpu_arguments_t;

typedef struct {
	T t_count;
} dpu_results_t;

#endif
