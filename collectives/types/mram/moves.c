// SPDX-License-Identifier: MIT
/* Typed moves between the MRAM of PEs, by entangled group where that can be. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <pimdimm/types.h>

#include "collectives/types/mram/groups.h"
#include "collectives/types/layouts.h"
#include "collectives/types/mram/moves.h"
#include "collectives/types/mram/sets.h"
#include "collectives/types/stream.h"
#include "runtime/base/error.h"
#include "runtime/ranks/inject.h"
#include "runtime/watch/timeline.h"

/* moves that are done as one: eight, to all lanes of a group, or one */
struct set {
	const struct pimtype_move *moves[PIMDIMM_CHIPS];
	bool whole;
	struct pt_node *merged;	/* of a whole set in linear windows, if one is worth it */
};

struct moving {
	struct pimdimm *sys;
	struct set *sets;
	size_t nr_sets;
	enum pd_stores stores;
	bool by_pes;	/* in kernels, whose ranks are their PEs' */
	bool alike;	/* all moves are of the same parts, which are these */
	struct pt_whole to, from;
};

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_part(const struct pimtype_part *a, const struct pimtype_part *b)
{
	int order = by_number((uintptr_t)a->type, (uintptr_t)b->type);

	if (!order)
		order = by_number((uint64_t)a->offset, (uint64_t)b->offset);
	return order ? order : by_number(a->count, b->count);
}

/* whether two may be done together: 0, and an order of those that may not */
static int by_kind(const struct pimtype_move *a, const struct pimtype_move *b)
{
	int order = by_number(pd_eg_of(a->to_pe), pd_eg_of(b->to_pe));

	if (!order)
		order = by_part(&a->to, &b->to);
	return order ? order : by_part(&a->from, &b->from);
}

static int by_move(const void *a, const void *b)
{
	const struct pimtype_move *const *x = a, *const *y = b;
	int order = by_kind(*x, *y);

	return order ? order : by_number((*x)->to_pe, (*y)->to_pe);
}

/* whether the eight from here on are the lanes of a group */
static bool is_whole(const struct moving *m, const struct pimtype_move *const sorted[],
		     size_t nr)
{
	if (nr < PIMDIMM_CHIPS || pd_lane_of(sorted[0]->to_pe))
		return false;
	for (uint32_t i = 1; i < PIMDIMM_CHIPS; i++) {
		if (sorted[i]->to_pe != sorted[0]->to_pe + i ||
		    (!m->alike && by_kind(sorted[i], sorted[0])))
			return false;
	}
	return true;
}

static bool to_rising_pes(const struct pimtype_move *const sorted[], size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (sorted[i]->to_pe <= sorted[i - 1]->to_pe)
			return false;
	}
	return true;
}

/* Moves of the same parts, to a PE each, need not be compared. False: it is not so. */
static bool sort_by_pes(const struct moving *m, const struct pimtype_move *sorted[],
			size_t nr)
{
	const uint32_t nr_pes = m->sys->geometry.nr_pes;
	const struct pimtype_move **to = NULL;
	bool all = m->alike && nr <= nr_pes;
	size_t n = 0;

	if (all && to_rising_pes(sorted, nr))
		return true;
	if (all)
		to = calloc(nr_pes, sizeof(*to));
	all = to;
	for (size_t i = 0; i < nr && all; i++) {
		all = !to[sorted[i]->to_pe];
		to[sorted[i]->to_pe] = sorted[i];
	}
	for (uint32_t pe = 0; pe < nr_pes && all; pe++) {
		if (to[pe])
			sorted[n++] = to[pe];
	}
	free(to);
	return all;
}

static void make_sets(struct moving *m, const struct pimtype_move *sorted[],
		      size_t nr)
{
	if (!sort_by_pes(m, sorted, nr))
		qsort(sorted, nr, sizeof(*sorted), by_move);
	for (size_t i = 0; i < nr;) {
		struct set *set = &m->sets[m->nr_sets++];
		size_t n = is_whole(m, sorted + i, nr - i) ? PIMDIMM_CHIPS : 1;

		*set = (struct set){ .whole = n > 1 };
		for (size_t k = 0; k < n; k++)
			set->moves[k] = sorted[i++];
	}
}

static struct pt_set set_of(const struct set *set, const struct pt_whole *to,
			    const struct pt_whole *from)
{
	struct pt_set all = {
		.eg = pd_eg_of(set->moves[0]->to_pe),
		.to = to,
		.source = from,
		.merged = set->merged,
	};

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
		all.from[i] = set->moves[i]->from_pe;
	return all;
}

static bool same_part(const struct pimtype_part *a, const struct pimtype_part *b)
{
	return a->type == b->type && a->offset == b->offset && a->count == b->count;
}

static bool same_parts(const struct pimtype_move *a, const struct pimtype_move *b)
{
	return same_part(&a->to, &b->to) && same_part(&a->from, &b->from);
}

/*
 * For windows that are linear: what is merged is that of bytes, each being a row. The set
 * before, if any, is likely to have the same.
 */
static int find_merged(const struct moving *m, struct set *set, const struct set *before)
{
	const struct pimtype_move *move = set->moves[0];
	struct pt_whole to, from;
	int ret;

	if (!set->whole || m->sys->geometry.layout != PIMDIMM_LAYOUT_LINEAR)
		return 0;
	if (before && before->merged && (m->alike || same_parts(move, before->moves[0]))) {
		set->merged = pt_get(before->merged);
		return 0;
	}
	ret = pt_whole_of(&to, &move->to, "to");
	if (!ret)
		ret = pt_whole_of(&from, &move->from, "from");
	if (ret || from.size != to.size || !from.size)
		return ret;
	return pt_layouts_find(&move->to, &to, &move->from, &from, &set->merged);
}

static void move_lane(const struct moving *m, const struct pimtype_move *move,
		      const struct pt_whole *to, const struct pt_whole *from,
		      uint64_t at, uint64_t bytes)
{
	uint8_t stream[PT_TILE];

	pt_lane_get(m->sys, move->from_pe, from, at, bytes, stream);
	pt_lane_put(m->sys, move->to_pe, to, at, bytes, stream);
}

static void move_set(const struct moving *m, const struct set *set, const struct pt_whole *to,
		     const struct pt_whole *from)
{
	struct pt_set all;

	if (set->whole) {
		all = set_of(set, to, from);
		pt_set_move(m->sys, &all, m->stores);
		return;
	}
	for (uint64_t at = 0; at < from->size; at += PT_TILE) {
		uint64_t bytes = from->size - at;

		move_lane(m, set->moves[0], to, from, at,
			  bytes < PT_TILE ? bytes : PT_TILE);
	}
}

static void move_sets(void *ctx, uint64_t first, uint64_t count)
{
	const struct moving *m = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		const struct set *set = &m->sets[i];
		struct pt_whole to, from;

		if (m->alike) {
			move_set(m, set, &m->to, &m->from);
			continue;
		}
		/* which all have been checked */
		pt_whole_of(&to, &set->moves[0]->to, "to");
		pt_whole_of(&from, &set->moves[0]->from, "from");
		move_set(m, set, &to, &from);
	}
}

static int check_move_pes(const struct pimdimm_geometry *g, size_t i,
			  const struct pimtype_move *move)
{
	if (move->from_pe >= g->nr_pes || move->to_pe >= g->nr_pes)
		return pd_error(EINVAL,
				"move %zu: from_pe=%u and to_pe=%u, expected below %u",
				i, move->from_pe, move->to_pe, g->nr_pes);
	return 0;
}

/* bytes of all moves, and the MRAM and the PEs that they concern */
struct extent {
	uint64_t bytes, lo, hi;
	uint32_t first_pe, last_pe;
};

static void add_pe(struct extent *all, uint32_t pe)
{
	all->first_pe = pe < all->first_pe ? pe : all->first_pe;
	all->last_pe = pe > all->last_pe ? pe : all->last_pe;
}

static int check_parts(const struct moving *m, const struct pimtype_move *move,
		       struct pt_whole *to, struct pt_whole *from)
{
	int ret = pt_whole_of(to, &move->to, "to");

	if (!ret)
		ret = pt_whole_of(from, &move->from, "from");
	if (!ret)
		ret = pt_check_mram(m->sys, to, "to");
	if (!ret)
		ret = pt_check_mram(m->sys, from, "from");
	if (!ret)
		ret = pt_check_parts("to", &move->to, to, "from", &move->from,
				     from);
	return ret;
}

/* Parts that the move before had are checked already; m->to and m->from become the last one's. */
static int check_moves(struct moving *m, size_t nr,
		       const struct pimtype_move moves[], struct extent *all)
{
	int ret = 0;

	m->alike = true;
	for (size_t i = 0; i < nr; i++) {
		bool same = i && same_parts(&moves[i], &moves[i - 1]);

		ret = check_move_pes(&m->sys->geometry, i, &moves[i]);
		if (!ret && !same)
			ret = check_parts(m, &moves[i], &m->to, &m->from);
		if (ret)
			return ret;
		m->alike &= same || !i;
		add_pe(all, moves[i].from_pe);
		add_pe(all, moves[i].to_pe);
		all->bytes += m->from.size;
		if (!same && m->from.size) {
			all->lo = (uint64_t)m->to.lo < all->lo ? (uint64_t)m->to.lo : all->lo;
			all->hi = (uint64_t)m->to.hi > all->hi ? (uint64_t)m->to.hi : all->hi;
		}
	}
	return 0;
}

static void moving_free(struct moving *m)
{
	for (size_t i = 0; i < m->nr_sets; i++)
		pt_put(m->sets[i].merged);
	free(m->sets);
}

static int prepare_moves(struct moving *m, size_t nr,
			 const struct pimtype_move moves[])
{
	const struct pimtype_move **sorted;
	int ret = 0;

	if (nr > SIZE_MAX / sizeof(*m->sets))
		return pd_error(EINVAL, "nr=%zu, expected an array of as many", nr);
	sorted = malloc(nr * sizeof(*sorted));
	m->sets = malloc(nr * sizeof(*m->sets));
	if (!sorted || !m->sets) {
		free(sorted);
		return pd_error(ENOMEM, "no memory for %zu moves", nr);
	}
	for (size_t i = 0; i < nr; i++)
		sorted[i] = &moves[i];
	make_sets(m, sorted, nr);
	free(sorted);
	for (size_t i = 0; i < m->nr_sets && !ret; i++)
		ret = find_merged(m, &m->sets[i], i ? &m->sets[i - 1] : NULL);
	return ret;
}

static void moves_do(struct moving *m, size_t nr, const struct extent *all)
{
	struct pd_span span = pd_timeline_begin("move typed");

	/* workers are busy with the kernels */
	if (m->by_pes)
		move_sets(m, 0, m->nr_sets);
	else
		pd_workers_run(m->sys->workers, m->nr_sets,
			       pd_workers_grain(m->sys->workers, m->nr_sets, all->bytes),
			       move_sets, m);
	pd_timeline_end(&span, "\"moves\":%zu,\"total_bytes\":%" PRIu64, nr,
			all->bytes);
}

/* the PEs that a call concerns, as a transfer to them */
static int run_moves(struct moving *m, size_t nr,
		     const struct pimtype_move moves[], const struct extent *all)
{
	const uint32_t nr_pes = all->last_pe - all->first_pe + 1;
	struct pd_touch touch = { .first_pe = all->first_pe, .nr_pes = nr_pes,
				  .off = all->lo, .bytes = all->hi - all->lo,
				  .to_mram = true, .call = "pimtype_move()" };
	void **taking = calloc(nr_pes, sizeof(*taking));
	struct pimdimm_fate *fates;
	int ret;

	if (!taking)
		return pd_error(ENOMEM, "no memory for %zu moves", nr);
	for (size_t i = 0; i < nr; i++) {
		taking[moves[i].to_pe - all->first_pe] = m;
		taking[moves[i].from_pe - all->first_pe] = m;
	}
	touch.bufs = taking;
	ret = m->by_pes ? pd_pes_touch_begin(m->sys, &touch, &fates) :
			  pd_touch_begin(m->sys, &touch, &fates);
	if (!ret) {
		moves_do(m, nr, all);
		ret = m->by_pes ? pd_pes_touch_end(m->sys, &touch, fates) :
				  pd_touch_end(m->sys, &touch, fates);
	}
	free(taking);
	return ret;
}

static int moves_checked(struct moving *m, size_t nr,
			 const struct pimtype_move moves[])
{
	struct extent all = { .lo = UINT64_MAX, .first_pe = UINT32_MAX };
	int ret = check_moves(m, nr, moves, &all);

	if (ret || !all.bytes)
		return ret;
	m->stores = pd_stores_for(m->sys, m->sys->nt, 2 * all.bytes);
	ret = prepare_moves(m, nr, moves);
	if (!ret)
		ret = run_moves(m, nr, moves, &all);
	moving_free(m);
	return ret;
}

int pt_moves_of_pes(struct pimdimm *sys, size_t nr,
		    const struct pimtype_move moves[])
{
	struct moving m = { .sys = sys, .by_pes = true };

	return moves_checked(&m, nr, moves);
}

int pimtype_move(struct pimdimm *sys, size_t nr,
		 const struct pimtype_move moves[])
{
	struct moving m = { .sys = sys };

	if (!sys)
		return pd_error(EINVAL, "sys is NULL");
	if (!moves && nr)
		return pd_error(EINVAL, "moves is NULL, expected %zu", nr);
	return moves_checked(&m, nr, moves);
}
