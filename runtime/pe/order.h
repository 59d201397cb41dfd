/* SPDX-License-Identifier: MIT */
/* One PE's run in a worker: what is asked for, and what came of it. */
#ifndef PD_ORDER_H
#define PD_ORDER_H

#include <stdatomic.h>

#include "runtime/pe/fault.h"
#include "runtime/pe/options.h"
#include "runtime/pe/process/post.h"
#include "runtime/pe/process/stay.h"
#include "runtime/watch/report.h"

struct pd_debugger;
struct pd_tracks;

/* of parcels that were sent */
struct pd_taken {
	bool all;		/* or none: there is no room for one to PE `parcel` */
	enum pe_refusal refused;	/* not 0: number `parcel` of them, this one */
	uint32_t parcel;
	struct pe_parcel of;
};

struct pd_order {
	uint32_t pe;
	uint32_t first_pe, nr_pes;	/* of the launch; none: not in a row */
	bool host;		/* there is an end of the host's */
	uint32_t eager;		/* of messages: as struct pd_options says */
	bool poll;
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
	struct pd_debugger *debugger;	/* NULL: it has none */
	enum pd_on_fault on_fault;	/* for the first of the launch that */
	const char *core_folder;
	_Atomic bool *caught;		/* there has been one */
	struct pd_stay *stay;	/* as it was left, or NULL; the broker's to free */
	bool kept;		/* in the worker that it is entered in */
	bool may_stay;		/* where it is if it waits: it has the worker to itself */
	struct pd_parcel in[PE_INBOX];
	uint32_t nr_in;
	bool room;		/* whoever waited for it tries again */
	/* takes the parcels that the PE has sent; `last`: whatever it costs */
	struct pd_taken (*take)(void *ctx, const struct pd_order *order,
				const struct pd_arena *arena, bool last);
	void *ctx;
	uint32_t entry;		/* of the launch */
};

struct pd_outcome {
	struct pd_end end;	/* report.kind: 0 or the fault */
	struct pd_stay *stay;	/* not NULL: it waits for parcels */
	bool kept;		/* in the worker, which is parked */
	bool stopped;		/* before its time was up: the launch was over */
	uint64_t used_ns;
	uint32_t begun;		/* of the parcels that it was given */
	struct pimdimm_times times;
	struct pd_tasklet tasklets[PE_PLACES];	/* where the order asks for them */
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

#endif /* PD_ORDER_H */
