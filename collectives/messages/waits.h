/* SPDX-License-Identifier: MIT */
/* Threads that wait for messages: those of kernels, and the host's. */
#ifndef PM_WAITS_H
#define PM_WAITS_H

#include "collectives/messages/world.h"

struct pm_wait {
	struct pd_wait thread;		/* of a kernel's; first */
	struct pimmsg_end *end;
	/* what for: some of these requests, or a message with this key */
	struct me_request *const *requests;
	uint32_t nr, left;		/* how many are to be done yet */
	struct me_key key;
	bool woken;			/* the host's */
};

/* on whose behalf the calling thread makes the calls that follow; NULL: the host's */
void pm_call_for(struct pimdimm_pe *pe);

/* until it is woken; -EDEADLK and a sentence for the host when a run ended so */
int pm_wait(struct pm_wait *wait);
void pm_wake(struct pm_wait *wait);
/* a request is done: who waits for it, or for it and others, goes on */
void pm_request_done(struct me_request *request);

/* a run begins and ends, a world ends: PEs wait for the host no more */
void pm_run_begin(struct pm_world *world, struct pd_run *run);
void pm_run_end(struct pm_world *world, int ret);
void pm_host_ends(struct pm_world *world);

#endif /* PM_WAITS_H */
