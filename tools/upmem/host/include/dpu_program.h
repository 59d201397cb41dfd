/* SPDX-License-Identifier: MIT */
/* Programs of DPUs. */
#ifndef DPU_PROGRAM_H
#define DPU_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <dpu_error.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dpu_get_program() - the program that a DPU has loaded
 * @dpu: the DPU
 *
 * Return: the program, valid until another is loaded; NULL without one.
 */
struct dpu_program_t *dpu_get_program(struct dpu_t *dpu);

#ifdef __cplusplus
}
#endif

#endif /* DPU_PROGRAM_H */
