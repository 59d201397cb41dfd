/* SPDX-License-Identifier: MIT */
/* Included by programs for what dpu.h declares. */
#ifndef DPU_LOADER_H
#define DPU_LOADER_H

#include <dpu_error.h>
#include <dpu_types.h>

#endif /* DPU_LOADER_H */
