// SPDX-License-Identifier: MIT
/*
 * Rendezvous whose buffers one end can reach, or both: parts of the stream, which whoever
 * makes a call takes from a counter that both have, until none is left. So both copy while
 * both wait.
 */
#include <errno.h>

#include "collectives/messages/pair/pair.h"

/* a part is not worth more than this to take, and there are so many of a long message */
#define PART_BYTES	(UINT64_C(16) << 10)
#define PARTS		64u

void pm_pair_parts_begin(struct pair_transfer *t)
{
	uint64_t part = (t->total / PARTS + 63) / 64 * 64;

	t->part = part < PART_BYTES ? PART_BYTES : part;
	t->nr = (t->total + t->part - 1) / t->part;
	t->way = PAIR_PARTS;
}

bool pm_pair_parts_done(const struct pair_transfer *t, const struct pair_slot *slot)
{
	return atomic_load(&slot->done) >= t->nr;
}

int pm_pair_parts_move(struct pair *p, struct pair_transfer *t, struct pair_slot *slot,
		       bool sends)
{
	/* the counters are the other process's, too: no more parts than there are */
	for (uint64_t most = t->nr; most && t->copies; most--) {
		uint64_t i = atomic_fetch_add(&slot->next, 1), at = i * t->part, bytes;
		int ret;

		if (i >= t->nr) {
			t->copies = false;
			break;
		}
		bytes = t->total - at < t->part ? t->total - at : t->part;
		ret = pm_pair_copy(p, t, sends, at, bytes);
		if (p->broken || p->gone)
			return PAIR_NOT_YET;
		if (ret && sends)
			return ret;
		t->error = t->error ? t->error : ret;
		*(t->mapped ? &p->stats.mapped_bytes : &p->stats.cma_bytes) += ret ? 0 : bytes;
		atomic_fetch_add(&slot->done, 1);
		p->did = true;
	}
	return pm_pair_parts_done(t, slot) ? PAIR_READY : PAIR_NOT_YET;
}
