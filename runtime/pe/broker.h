/* SPDX-License-Identifier: MIT */
/* One PE's run in a worker, seen from the host. */
#ifndef PD_BROKER_H
#define PD_BROKER_H

#include "runtime/pe/fault.h"
#include "runtime/pe/process/post.h"
#include "runtime/pe/state.h"
#include "runtime/pe/process/stay.h"
#include "runtime/watch/report.h"

struct pd_tracks;

struct pd_order {
	uint32_t pe;
	uint32_t timeout_ms;
	bool asked;		/* for by the caller; else PIMDIMM_WATCHDOG's */
	uint64_t used_ns;	/* of it, when the PE was entered before */
	const uint32_t *over;	/* 1, the launch: whoever still runs is stopped */
	bool trace;		/* name it on standard error where it takes long */
	bool compat;
	bool again;		/* the PE has been entered in this launch */
	struct pd_tracks *tracks;	/* NULL unless its tasklets are drawn */
	bool told;		/* reports are, of each tasklet */
	bool traced;		/* what called the code at fault is of interest */
	bool shuffle;		/* its tasklets, from these numbers */
	uint64_t random;
	struct pd_stay *stay;	/* as it was left, or NULL; the broker's to free */
	struct pe_parcel inbox[PE_INBOX];
	uint32_t nr_inbox;
	/* where parcels go that the PE sends */
	enum pe_refusal (*post)(void *ctx, uint32_t from, uint32_t to,
				const struct pe_parcel *parcel);
	void *ctx;
};

struct pd_outcome {
	struct pd_end end;	/* report.kind: 0 or the fault */
	struct pd_stay *stay;	/* not NULL: it waits for parcels */
	bool stopped;		/* before its time was up: the launch was over */
	uint64_t used_ns;
	struct pimdimm_times times;
	struct pd_tasklet tasklets[PE_MAX_TASKLETS];	/* where the order asks for them */
	bool forced;		/* the timer had to switch its tasklets */
	/* by the tasklet that came nearest to its stack's end; how far that is */
	uint32_t stack_used, stack_room;
	bool uncounted;		/* its last reading of a counter was in vain */
};

/* whether a stack of which so much is used is nearer to its end than the other */
static inline bool pd_nearer(uint64_t used, uint64_t room, uint64_t other_used,
			     uint64_t other_room)
{
	return !other_room || used * other_room > other_used * room;
}

/*
 * Run a PE whose group the slot's window has taken. The slot's worker is parked
 * before and after, or has been ended after a program that it could not get rid
 * of. emulation_ns: time in windows is added to it.
 */
void pd_broker_run(struct pd_slot *slot, struct pd_pe *pe,
		   const struct pd_order *order, struct pd_outcome *out,
		   uint64_t *emulation_ns);

#endif /* PD_BROKER_H */
