/* SPDX-License-Identifier: MIT */
/* Included by programs for what dpu.h declares. */
#ifndef DPU_CHECKPOINT_H
#define DPU_CHECKPOINT_H

#include <dpu_error.h>
#include <dpu_types.h>

#endif /* DPU_CHECKPOINT_H */
