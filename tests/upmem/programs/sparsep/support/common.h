/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#ifdef INT64
typedef int64_t val_dt;
#elif defined(INT8)
typedef int8_t val_dt;
#elif defined(FP64)
typedef double val_dt;
#endif

struct elem_t {
	uint32_t rowind;
	uint32_t colind;
	int64_t val;
};

typedef struct {
	uint32_t rows;
	uint32_t cols;
	uint32_t max_rows;
	uint32_t max_cols;
	uint32_t nnz;
	uint32_t max_nnz;
} dpu_arguments_t;

#endif
