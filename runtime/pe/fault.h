/* SPDX-License-Identifier: MIT */
/* Faults of PEs in sentences. */
#ifndef PD_FAULT_H
#define PD_FAULT_H

#include <stdbool.h>

#include "runtime/pe/program/program.h"
#include "runtime/pe/shared/shared.h"

#define PD_MAX_CALLERS	16u

/* what is known of a PE's end, copied from where the program could change it */
struct pd_end {
	uint32_t pe;
	uint32_t nr_tasklets;
	uint32_t timeout_ms;
	bool asked;		/* for by the caller */
	uint64_t ticked;
	char death[80];		/* PE_FAULT_DIED */
	char told[192];		/* what became of the PE besides, or "" */
	char said[192];		/* what the program says of it in its WRAM, or "" */
	/* what called the code at fault, the nearest first: addresses in calls */
	uint64_t callers[PD_MAX_CALLERS];
	uint32_t nr_callers;
	struct pe_report report;
	struct pe_tasklet tasklets[PE_PLACES];
};

struct pd_tasklet_name {
	char text[24];
};

/* what the thread of a number is called in sentences: tasklet 3, traveller 0 */
struct pd_tasklet_name pd_tasklet_name(uint32_t t);

void pd_fault_tell(const struct pd_end *end,
		   const struct pimdimm_program *program,
		   struct pimdimm_fault *fault);
/*
 * How many other PEs were stopped, or did not begin: at the end of the first fault's
 * text, or in place of what there is no room for; without a fault of the launch's own
 * it is the text.
 */
void pd_fault_tell_stopped(struct pimdimm_fault *fault, bool own,
			   uint32_t nr_stopped);

#endif /* PD_FAULT_H */
