/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define T uint32_t
#define DEPTH 12
#define BINS 256

typedef struct {
	uint32_t size;
	uint32_t transfer_size;
} dpu_arguments_t;

#endif
