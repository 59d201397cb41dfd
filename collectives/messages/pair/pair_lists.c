// SPDX-License-Identifier: MIT
/*
 * Layouts as lists of their runs, one after the other, as the designs before FALCON-X's last
 * one have them: made anew for each message, and told for each, whole or in chunks
 * that are copied as they come; or told once and known by what is in them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/messages/pair/pair.h"

#define CHUNK		((uint32_t)(PAIR_BLOCK / sizeof(struct pair_run)))
#define MOST_RUNS	(UINT64_C(1) << 20)

struct listing {
	struct pair_run *runs;
	uint64_t nr, room, bytes;
	int64_t first;		/* the stream's first byte */
};

static bool list_add(void *ctx, const struct pt_leaf *leaf)
{
	struct listing *l = ctx;

	for (uint64_t i = 0; i < leaf->n[0] * leaf->n[1]; i++) {
		const uint64_t in = i % leaf->n[0], out = i / leaf->n[0];
		const int64_t off = leaf->mem + (int64_t)out * leaf->stride[1] +
				    (leaf->offs ? leaf->offs[in] :
						  (int64_t)in * leaf->stride[0]);

		if (l->nr == l->room)
			return false;
		l->runs[l->nr++] = (struct pair_run){ off - l->first, leaf->len };
		l->bytes += leaf->len;
	}
	return true;
}

/* so many runs from some byte on, or fewer; bytes of them */
static uint64_t list_some(const struct pt_whole *whole, uint64_t first, struct pair_run runs[],
			  uint64_t room, uint64_t *nr)
{
	struct listing l = { .runs = runs, .room = room, .first = whole->off };

	pt_walk(whole, first, whole->size - first, list_add, &l);
	*nr = l.nr;
	return l.bytes;
}

struct pair_run *pm_pair_list_all(const struct pt_whole *whole, uint64_t *nr)
{
	struct pair_run *runs = NULL, *more;
	uint64_t had, room = 0, at = 0;

	for (*nr = 0; at < whole->size; *nr += had) {
		if (*nr == room) {
			room = room ? 2 * room : CHUNK;
			more = room > MOST_RUNS ? NULL : realloc(runs, room * sizeof(*runs));
			if (!more) {
				free(runs);
				return NULL;
			}
			runs = more;
		}
		at += list_some(whole, at, runs + *nr, room - *nr, &had);
	}
	return runs;
}

uint64_t pm_pair_list_hash(const struct pair_run runs[], uint64_t nr)
{
	uint64_t hash = nr;

	for (uint64_t i = 0; i < nr; i++)
		hash = pt_mix(pt_mix(hash, (uint64_t)runs[i].at), runs[i].len);
	return hash;
}

void pm_pair_list_begin(struct pair *p, uint32_t slot, uint64_t send)
{
	p->nr_lists += !p->lists[slot].used;
	p->lists[slot].used = true;
	p->lists[slot].send = send;
	p->lists[slot].at = 0;
	p->stats.layouts_sent++;
}

/* as many of its runs as there is room for in the ring; whether that is all */
static bool list_tell(struct pair *p, uint32_t slot, const struct pt_whole *whole)
{
	uint64_t *at = &p->lists[slot].at, nr, bytes;
	struct pair_head head = { .kind = PAIR_RUNS, .slot = slot };

	while (*at < whole->size && !p->backlog) {
		uint8_t *data = pm_pair_reserve(p, PAIR_BLOCK);

		if (!data)
			return false;
		pm_pair_phase(p, PAIR_PHASE_LISTS);
		bytes = list_some(whole, *at, (struct pair_run *)(void *)data, CHUNK, &nr);
		pm_pair_phase(p, PAIR_PHASE_TELLS);
		head.at = *at;
		head.bytes = (uint32_t)(nr * sizeof(struct pair_run));
		p->stats.layout_bytes += head.bytes;
		pm_pair_commit(p, &head);
		pm_pair_phase(p, PAIR_PHASE_REST);
		*at += bytes;
	}
	return *at == whole->size;
}

void pm_pair_lists_move(struct pair *p)
{
	for (uint32_t slot = 0; slot < PAIR_SLOTS && p->nr_lists && !p->broken; slot++) {
		const struct me_request *send;
		struct pt_whole whole;

		if (!p->lists[slot].used)
			continue;
		/* whoever claims a message does not want to know of it any more */
		send = me_request_of(pair_node(p), p->lists[slot].send, ME_SEND, ME_ACTIVE);
		if (send && !send->parcel)
			pm_buffer_whole(&send->buffer, &whole);
		if (send && !send->parcel && !list_tell(p, slot, &whole))
			continue;
		p->lists[slot].used = false;
		p->nr_lists--;
	}
}

/* whether all runs lie in the other end's memory, and how many bytes they have; -EBADMSG */
static int list_check(struct pair *p, const struct pair_transfer *t,
		      const struct pair_run runs[], uint64_t nr, uint64_t most, uint64_t *bytes)
{
	*bytes = 0;
	for (uint64_t i = 0; i < nr; i++) {
		int64_t at, end;

		if (!runs[i].len || runs[i].len > most - *bytes || t->there.at > INT64_MAX ||
		    __builtin_add_overflow((int64_t)t->there.at, runs[i].at, &at) || at < 0 ||
		    __builtin_add_overflow(at, (int64_t)runs[i].len, &end) ||
		    (t->mapped && (uint64_t)end > t->mapped->bytes))
			return pm_pair_lied(p, "a run of %llu bytes at %lld",
					    (unsigned long long)runs[i].len,
					    (long long)runs[i].at);
		*bytes += runs[i].len;
	}
	return 0;
}

/* runs that were checked, to the own stream from t->listed on */
static void list_copy(struct pair *p, struct pair_transfer *t, const struct pair_run runs[],
		      uint64_t nr, uint64_t bytes)
{
	enum pair_phase before = pm_pair_phase(p, PAIR_PHASE_COPIES);
	uint64_t at = t->listed;
	int ret = 0;

	if (!t->mapped)
		ret = pm_pair_cma_runs(p, t, runs, nr, at);
	for (uint64_t i = 0; i < nr && t->mapped && !ret; at += runs[i++].len)
		ret = pm_buffer_stream(&p->world, &t->request->buffer, at,
				       t->mapped->base + (int64_t)t->there.at + runs[i].at,
				       runs[i].len, true);
	pm_pair_phase(p, before);
	t->error = t->error ? t->error : ret;
	t->listed += bytes;
	*(t->mapped ? &p->stats.mapped_bytes : &p->stats.cma_bytes) += ret ? 0 : bytes;
}

int pm_pair_list_kept(struct pair *p, struct pair_transfer *t)
{
	const struct pair_layout *l = t->layout;
	uint64_t bytes;
	int ret = list_check(p, t, l->runs, l->nr_runs, t->total, &bytes);

	if (!ret && bytes != t->total)
		ret = pm_pair_lied(p, "a layout of %llu bytes for a message of %llu",
				   (unsigned long long)bytes, (unsigned long long)t->total);
	if (!ret)
		list_copy(p, t, l->runs, l->nr_runs, bytes);
	return ret;
}

/* room for more of them, behind those that are there */
static int list_room(struct pair_transfer *t, uint64_t nr)
{
	struct pair_run *more;
	uint64_t room = t->room_runs ? t->room_runs : CHUNK;

	while (room < t->nr_runs + nr)
		room *= 2;
	if (room == t->room_runs)
		return 0;
	more = realloc(t->runs, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	t->runs = more;
	t->room_runs = room;
	return 0;
}

int pm_pair_arrive_runs(struct pair *p, const struct pair_head *head, const uint8_t *data)
{
	struct pair_transfer *t = &p->in[head->slot % PAIR_SLOTS];
	const uint64_t nr = head->bytes / sizeof(struct pair_run);
	uint64_t bytes;
	int ret;

	if (head->slot >= PAIR_SLOTS || !t->used || !t->claim || !t->asked ||
	    t->there.layout != PAIR_LISTED || head->at != t->told || !nr ||
	    head->bytes % sizeof(struct pair_run))
		return pm_pair_lied(p, "%u bytes of a list that nobody waits for", head->bytes);
	ret = list_room(t, nr);
	if (ret)
		return ret;
	/* out of what the other process can still write */
	memcpy(t->runs + t->nr_runs, data, head->bytes);
	pm_pair_phase(p, PAIR_PHASE_PLACES);
	ret = list_check(p, t, t->runs + t->nr_runs, nr, t->total - t->told, &bytes);
	if (ret)
		return ret;
	t->told += bytes;
	t->nr_runs += nr;
	if (p->design == PD_ZEROCOPY_NAIVE && t->told < t->total)
		return 0;
	list_copy(p, t, t->runs, t->nr_runs, t->told - t->listed);
	t->nr_runs = 0;
	return 0;
}
