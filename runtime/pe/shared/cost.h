/* SPDX-License-Identifier: MIT */
/*
 * The cost model: what a PE of hardware would have taken, from what its program
 * did. It never changes what a program computes, and no measured time enters it.
 */
#ifndef PD_COST_H
#define PD_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/pe/shared/clock.h"
#include "runtime/pe/shared/instructions.h"

/* the parameters in use: those of a set that is built in, and what PIMDIMM_COST changes */
const struct pe_cost *pd_cost(void);

/* 0, or -errno and a sentence when PIMDIMM_COST cannot be used */
int pd_cost_check(void);

/* one of them, for whoever shows all */
struct pd_cost_parameter {
	const char *name;
	uint32_t value;
	const char *unit;
	const char *source;	/* of this value */
};

/* the set that they began with */
const char *pd_cost_set(void);

/* Number @i with the value in use, where there is one; returns how many there are. */
size_t pd_cost_parameter(size_t i, struct pd_cost_parameter *p);

/* The table of instructions in use, which is read by the first of the calls above. */
extern uint32_t pd_instructions[PE_NR_INSTRUCTIONS];

/* one of it, which a program has compiled in: it may be another one's */
struct pd_cost_instruction {
	const char *name;
	uint32_t value, built_in;
	bool given;		/* by PIMDIMM_COST */
};

void pd_cost_instruction(enum pe_instruction insn, struct pd_cost_instruction *c);

#endif /* PD_COST_H */
