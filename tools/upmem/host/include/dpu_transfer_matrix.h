/* SPDX-License-Identifier: MIT */
/* The buffers of a rank's DPUs in a transfer. */
#ifndef DPU_TRANSFER_MATRIX_H
#define DPU_TRANSFER_MATRIX_H

#include <dpu_error.h>
#include <dpu_types.h>

struct dpu_transfer_matrix {
	void *ptr[DPU_MAX_NR_CIS * DPU_MAX_NR_DPUS_PER_CI]; /* 8 * member + slice */
	uint32_t offset;
	uint32_t size;
};

#endif /* DPU_TRANSFER_MATRIX_H */
