/* SPDX-License-Identifier: MIT */
/*
 * What PEs found in programs that are compiled to be checked, while PIMDIMM_CHECK asks
 * for it: each pair of source lines is told once, on standard error.
 */
#ifndef PD_CHECK_H
#define PD_CHECK_H

#include <stdbool.h>

#include "runtime/pe/program/program.h"

/*
 * Of a program that was just read, and whose note has been believed: 0, -EINVAL where
 * PIMDIMM_CHECK is not understood, or -ENOMEM.
 */
int pd_check_open(struct pimdimm_program *program);
/* Whether uses of undefined memory are to be told; NULL: nothing is. */
bool pd_check_memory(const struct pd_check *check);
void pd_check_free(struct pd_check *check);

/*
 * Tell what a PE left in its table, which is not to be believed. Returns whether the
 * run is to fail by it, the first finding in *found then.
 */
bool pd_check_tell(const struct pimdimm_program *program, uint32_t pe,
		   const struct pe_check_table *table, struct pe_found *found);

#endif /* PD_CHECK_H */
