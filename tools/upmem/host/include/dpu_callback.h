/* SPDX-License-Identifier: MIT */
/* Included by programs for what dpu.h declares. */
#ifndef DPU_CALLBACK_H
#define DPU_CALLBACK_H

#include <dpu_error.h>
#include <dpu_types.h>

#endif /* DPU_CALLBACK_H */
