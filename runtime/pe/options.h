/* SPDX-License-Identifier: MIT */
/* What the environment says of launches of PE programs. */
#ifndef PD_PE_OPTIONS_H
#define PD_PE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* what is done with the first PE of a launch that faults */
enum pd_on_fault {
	PD_ON_FAULT_END,
	PD_ON_FAULT_WAIT,	/* it is kept for a debugger */
	PD_ON_FAULT_CORE,	/* a core file is written */
};

struct pd_options {
	enum pd_on_fault on_fault;
	const char *core_folder;
	uint32_t timeout_ms;
	uint32_t resident;	/* workers that PEs wait in, at most */
	bool shuffle;		/* tasklets run in an order that the seed makes */
	uint64_t seed;
	uint32_t eager;		/* messages of fewer bytes, of programs with <mpi.h>, are */
	bool poll;		/* and those that loiter look for their receive */
};

/* 0, or -EINVAL and a sentence that names the variable */
int pd_options_read(struct pd_options *options);

/* where the random numbers of a PE's run begin: of its nth launch */
uint64_t pd_options_random(uint64_t seed, uint32_t pe, uint32_t launch);

#endif /* PD_PE_OPTIONS_H */
