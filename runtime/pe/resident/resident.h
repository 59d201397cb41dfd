/* SPDX-License-Identifier: MIT */
/*
 * Resident kernels from the inside, for layers that make their threads wait: waits that
 * tell what for, wake-ups from any thread of the process, and what is to be done when
 * threads wait, yield or move bytes.
 */
#ifndef PD_RESIDENT_H
#define PD_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/spmd.h>

#include "runtime/pe/resident/wait.h"

struct pd_run;

/* Wait until somebody has woken it, which may have happened before. */
void pd_resident_wait(struct pimdimm_pe *pe, struct pd_wait *wait);

/*
 * Let a thread go on that waits, or is about to. `by`: the thread that calls, NULL for one
 * of the host's, which must hold the run, see below. After this the wait may be gone.
 */
void pd_resident_wake(struct pimdimm_pe *by, struct pd_wait *wait);

/* The run that a thread belongs to; NULL under pimdimm_launch(). */
struct pd_run *pd_resident_run(const struct pimdimm_pe *pe);

/* Whether the thread may look for something a while: nobody else would run meanwhile. */
bool pd_resident_spare(const struct pimdimm_pe *pe);

/* pimdimm_parcel() by a thread of the host's, which must hold the run. */
int pd_resident_post(struct pd_run *run, uint32_t to,
		     void (*entry)(struct pimdimm_pe *pe, void *frame),
		     const void *frame, size_t bytes);

/*
 * As long as a run is held there is no deadlock, as threads may be woken from outside,
 * and the run does not end. Held first by one of its threads or inside of begin().
 */
void pd_resident_hold(struct pd_run *run);
void pd_resident_release(struct pd_run *run);

/* They last until they are set again, NULL: none; not while a run is under way. */
void pd_resident_set_hooks(struct pimdimm *sys,
			   const struct pd_resident_hooks *hooks);

#endif /* PD_RESIDENT_H */
