/* SPDX-License-Identifier: MIT */
/* Included by programs for what dpu.h declares. */
#ifndef DPU_CONFIG_H
#define DPU_CONFIG_H

#include <dpu_error.h>
#include <dpu_types.h>

#endif /* DPU_CONFIG_H */
