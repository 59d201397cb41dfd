// SPDX-License-Identifier: MIT
/* Workers that are kept for PEs that wait in them. */
#include "runtime/pe/keep.h"
#include "runtime/pe/wram.h"
#include "runtime/ranks/geometry.h"

bool pd_keep_claim(struct pd_keeper *k, const struct pd_entry *e)
{
	struct pd_pe_state *st = k->sys->pe;
	bool had;

	/* most wait only once, for what all others do; one that comes back may again */
	if (e->slot || !e->entered)
		return false;
	pthread_mutex_lock(&st->lock);
	had = k->nr < k->most;
	k->nr += had;
	pthread_mutex_unlock(&st->lock);
	if (had && pd_slot_spare(k->sys, e->program)) {
		pd_keep_decline(k);
		had = false;
	}
	return had;
}

static void let_go(struct pd_keeper *k)
{
	pthread_mutex_lock(&k->sys->pe->lock);
	k->nr--;
	pthread_mutex_unlock(&k->sys->pe->lock);
}

void pd_keep_decline(struct pd_keeper *k)
{
	let_go(k);
	pd_slot_spare_back(k->sys);
}

int pd_keep_stay(struct pd_entry *e, struct pd_slot *slot)
{
	struct pd_window *w = &slot->arena.window;
	int lost = pd_window_leave_eg(w);

	pd_window_take_eg(w, pd_eg_of(e->pe), (uint8_t)(1u << pd_lane_of(e->pe)));
	e->slot = slot;
	return lost;
}

int pd_keep_leave(struct pd_keeper *k, struct pd_entry *e)
{
	struct pd_slot *slot = e->slot;
	int ret, lost;

	/* the window's pages are in its clusters since the worker was parked */
	pd_arena_wipe(&slot->arena);
	ret = pd_wram_leave(&slot->arena, &k->sys->pe->pes[e->pe]);
	lost = pd_window_leave_eg(&slot->arena.window);
	e->slot = NULL;
	pd_slot_return(k->sys, slot);
	pd_keep_decline(k);
	return ret ? ret : lost;
}
