/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define T int32_t
#define N 160		/* neurons of a layer */

typedef struct {
	uint32_t rows;
	uint32_t max_rows;
} dpu_arguments_t;

#endif
