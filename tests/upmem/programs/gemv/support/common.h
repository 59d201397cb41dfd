/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#ifdef FLOAT
#define T float
#elif defined(INT32)
#define T int32_t
#endif

typedef struct {
	uint32_t n_size;
	uint32_t n_size_pad;
	uint32_t nr_rows;
	uint32_t max_rows;
} dpu_arguments_t;

#endif
