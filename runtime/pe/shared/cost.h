/* SPDX-License-Identifier: MIT */
/*
 * The cost model: what a PE of hardware would have taken, from what its program
 * did. It never changes what a program computes, and no measured time enters it.
 */
#ifndef PD_COST_H
#define PD_COST_H

#include "runtime/pe/shared/cycles.h"

/* the parameters in use: built in, or those of the file that PIMDIMM_COST names */
const struct pe_cost *pd_cost(void);

/* 0, or -errno and a sentence when the file of PIMDIMM_COST cannot be used */
int pd_cost_check(void);

#endif /* PD_COST_H */
