/* SPDX-License-Identifier: MIT */
/*
 * What a PE kernel sees of its PE, however its tasklets are run, and what surrounds
 * every run of kernels: the checks, the ranks' change of hands, faults, reports.
 */
#ifndef PD_KERNEL_H
#define PD_KERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm.h>

#include "runtime/base/fiber.h"

/* the fault of the lowest PE, and there of the lowest tasklet */
struct pd_kernel_faults {
	pthread_mutex_t lock;	/* of what follows */
	bool faulted;
	uint32_t pe;
	unsigned int tasklet;
	char text[160];
};

/* a PE, whoever runs on it */
struct pd_place {
	struct pimdimm *sys;
	struct pd_kernel_faults *faults;
	uint8_t *wram;
	size_t wram_left;	/* bytes not handed out, from the start */
	bool wram_whole;	/* they may be touched nonetheless */
	uint32_t pe;
	bool resident;		/* so that its threads may wait for other PEs' */
	/* after so many transfers without a wait a tasklet lets others run */
	unsigned int dmas_in_a_row;
	/*
	 * Of a launch: tasklets that have not ended, a bit each, those of them that do not
	 * wait at the barrier, and all of them by number.
	 */
	uint32_t alive, ready;
	struct pimdimm_pe *tasklets;
};

/* how tasklets are run, where they do not just take turns */
struct pd_kernel_kind {
	void (*barrier)(struct pimdimm_pe *pe);
	void (*yield)(struct pimdimm_pe *pe);	/* let the others run */
	void (*dma)(struct pimdimm_pe *pe);	/* dmas_in_a_row have been made */
};

struct pimdimm_pe {
	struct pd_place *place;
	const struct pd_kernel_kind *kind;	/* NULL: of a launch, see turns.h */
	unsigned int tasklet;
	unsigned int dmas;
	struct pd_fiber fiber;	/* unless it is the only one */
};

/* a call that runs kernels */
struct pd_kernel_call {
	struct pimdimm *sys;
	uint32_t first_pe, nr_pes;
	unsigned int nr_tasklets;
	pimdimm_kernel kernel;
	const char *name;	/* a constant, in timeline and report */
	/* 0, or a negative errno and a sentence */
	int (*run)(struct pd_kernel_call *call);
	struct pd_kernel_faults faults;
};

/* Check a call, run it in the PEs' hands, and tell of it; no cancellation point. */
int pd_kernel_call(struct pd_kernel_call *call);

/* 0, or -EOPNOTSUPP and a sentence: what a kernel of pimdimm_launch() does not have. */
int pd_kernel_check_resident(const struct pimdimm_pe *pe, const char *what);

/* What a thread of a PE is called in sentences, up to 32 bytes. */
void pd_kernel_who(unsigned int tasklet, char text[32]);

/* Keep a refused access, and its sentence, if it is the lowest so far; -EINVAL. */
__attribute__((format(printf, 2, 3)))
int pd_kernel_fault(struct pimdimm_pe *pe, const char *format, ...);

#endif /* PD_KERNEL_H */
