/* SPDX-License-Identifier: MIT */
/* The threads that parcels start: their memory, and their stacks once they begin. */
#ifndef PD_PARCELS_H
#define PD_PARCELS_H

#include "runtime/pe/resident/run.h"

/* one of the stacks that begun threads of parcels have */
struct pd_stack_slot {
	struct pd_stack_slot *next;
	struct pd_stacks *stacks;
	unsigned int index;
};

/*
 * A thread that has not begun, with its copy of the frame; NULL: there is no memory.
 * `w`: the worker that calls; NULL for the host, which has the run's lock.
 */
struct pd_thread *pd_parcel_new(struct pd_run *run, struct pd_worker *w,
				void (*entry)(struct pimdimm_pe *pe, void *frame),
				const void *frame, size_t bytes);
/* Its context ready to be switched to, if it is not yet; false: there is no stack. */
bool pd_parcel_begin(struct pd_worker *w, struct pd_thread *t,
		     void (*run)(void *thread));
/* It has ended, and nothing runs on its stack any more. */
void pd_parcel_recycle(struct pd_worker *w, struct pd_thread *t);
/* All that parcels' threads had, those that have not ended included. */
void pd_parcels_free(struct pd_run *run);

/* 0, or a negative errno and a sentence: a PE of the run; a frame that can go there */
int pd_parcel_check_to(const struct pd_run *run, uint32_t to);
int pd_parcel_check_frame(const struct pd_run *run, uint32_t to,
			  void (*entry)(struct pimdimm_pe *pe, void *frame),
			  const void *frame, size_t bytes);
struct pd_home *pd_parcel_home(struct pd_run *run, uint32_t pe);
/* The thread is in this PE from now on. */
void pd_parcel_settle(struct pd_thread *t, struct pd_home *home);

#endif /* PD_PARCELS_H */
