/* SPDX-License-Identifier: MIT */
/* Addresses of a program's code in the words of its source. */
#ifndef PD_PLACES_H
#define PD_PLACES_H

#include "runtime/pe/program/inlined.h"
#include "runtime/pe/program/program.h"

/* one function of those that an address lies in */
struct pd_place {
	const char *file;	/* NULL: not known; else with its line */
	uint32_t line;
	const char *function;	/* or NULL */
};

/*
 * The function whose code lies at a text address and, each inlined into the one
 * before, those that the address belongs to. How many; 0: nothing is known of it.
 */
uint32_t pd_places_find(const struct pimdimm_program *program, uint32_t address,
			struct pd_place places[PD_MAX_INLINED + 1]);

#endif /* PD_PLACES_H */
