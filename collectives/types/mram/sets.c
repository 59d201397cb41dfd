// SPDX-License-Identifier: MIT
/* Moves what eight lanes get from others: tile by tile, by rows of whole
 * groups. */
#include "collectives/types/mram/sets.h"
#include "collectives/types/mover.h"

/* of one set, all lanes */
struct setting {
	struct pimdimm *sys;
	const struct pt_set *set;
	enum pd_stores stores;
	bool straight, full;
};

/* from each lane of a group to the same one of another */
static bool is_straight(const struct pt_set *set)
{
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		if (set->from[i] == PT_NOBODY ||
		    pd_lane_of(set->from[i]) != i ||
		    pd_eg_of(set->from[i]) != pd_eg_of(set->from[0]))
			return false;
	}
	return true;
}

static unsigned int lanes_of(const struct pt_set *set)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
		n += set->from[i] != PT_NOBODY;
	return n;
}

/* whether a lane before this one has the same group, which has been read for
 * both */
static bool seen_before(const struct pt_set *set, unsigned int lane)
{
	for (unsigned int k = 0; k < lane; k++) {
		if (set->from[k] != PT_NOBODY &&
		    pd_eg_of(set->from[k]) == pd_eg_of(set->from[lane]))
			return true;
	}
	return false;
}

/* lanes of the source that go to each lane, 8 for those of other groups */
static void lanes_from(const struct pt_set *set, uint32_t eg,
		       uint8_t lanes[PIMDIMM_CHIPS])
{
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		uint32_t pe = set->from[i];

		lanes[i] = pe != PT_NOBODY && pd_eg_of(pe) == eg
				   ? (uint8_t)pd_lane_of(pe)
				   : PIMDIMM_CHIPS;
	}
}

/* rows of all groups that the lanes come from, over those that are there */
static void blend(const struct setting *s, uint64_t at, uint64_t bytes,
		  uint8_t *rows)
{
	_Alignas(64) uint8_t source[PIMDIMM_CHIPS * PT_TILE];
	uint8_t lanes[PIMDIMM_CHIPS];

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		struct pt_group g = { s->sys, 0, PD_STORES_PLAIN };

		if (s->set->from[i] == PT_NOBODY || seen_before(s->set, i))
			continue;
		g.eg = pd_eg_of(s->set->from[i]);
		lanes_from(s->set, g.eg, lanes);
		pt_rows_get(&g, s->set->source, at, bytes, source);
		pt_isa_strided(s->sys->isa)->lanes(rows, source, lanes, bytes);
	}
}

static void move_tile(const struct setting *s, uint64_t at, uint64_t bytes)
{
	_Alignas(64) uint8_t rows[PIMDIMM_CHIPS * PT_TILE];
	struct pt_group to = { s->sys, s->set->eg, s->stores };
	struct pt_group from = { s->sys, 0, PD_STORES_PLAIN };

	if (s->straight) {
		from.eg = pd_eg_of(s->set->from[0]);
		pt_rows_get(&from, s->set->source, at, bytes, rows);
	} else {
		if (!s->full)
			pt_rows_get(&to, s->set->to, at, bytes, rows);
		blend(s, at, bytes, rows);
	}
	pt_rows_put(&to, s->set->to, at, bytes, rows);
}

static void move_merged(struct pimdimm *sys, const struct pt_set *set)
{
	uint8_t *dst = pd_block(sys, set->eg, 0);
	const uint8_t *src = pd_block(sys, pd_eg_of(set->from[0]), 0);

	pt_run_merged(pt_isa_strided(sys->isa), set->merged,
		      dst + PIMDIMM_CHIPS * set->to->off,
		      src + PIMDIMM_CHIPS * set->source->off, 3);
}

/*
 * What all lanes get of one group or two is moved from where it is to where it goes, row by
 * row. False: there are more, or some lanes get nothing.
 */
static bool lanes_turned(const struct pt_set *set, struct pt_turned *turned, uint32_t egs[2])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		uint32_t pe = set->from[i], s = 0;

		if (pe == PT_NOBODY)
			return false;
		while (s < n && egs[s] != pd_eg_of(pe))
			s++;
		if (s == 2)
			return false;
		if (s == n)
			egs[n++] = pd_eg_of(pe);
		turned->from[s][i] = (uint8_t)pd_lane_of(pe);
		turned->from[!s][i] = PIMDIMM_CHIPS;
	}
	if (n == 1)
		egs[1] = egs[0];
	return true;
}

static bool move_turned(struct pimdimm *sys, const struct pt_set *set)
{
	const struct pt_strided *strided = pt_isa_strided(sys->isa);
	struct pt_turned turned;
	const uint8_t *src;
	uint32_t egs[2];

	if (!set->merged || !strided->turn || !lanes_turned(set, &turned, egs))
		return false;
	src = pd_block(sys, egs[0], 0);
	turned.other = (int64_t)((uintptr_t)pd_block(sys, egs[1], 0) - (uintptr_t)src);
	pt_run_turned(strided, set->merged,
		      pd_block(sys, set->eg, 0) + PIMDIMM_CHIPS * set->to->off,
		      src + PIMDIMM_CHIPS * set->source->off, &turned);
	return true;
}

void pt_set_move(struct pimdimm *sys, const struct pt_set *set,
		 enum pd_stores stores)
{
	unsigned int lanes = lanes_of(set);
	struct setting s = { sys, set, stores, is_straight(set),
			     lanes == PIMDIMM_CHIPS };

	if (!lanes)
		return;
	if (s.straight && set->merged) {
		move_merged(sys, set);
		return;
	}
	if (move_turned(sys, set))
		return;
	for (uint64_t at = 0; at < set->source->size; at += PT_TILE) {
		uint64_t bytes = set->source->size - at;

		move_tile(&s, at, bytes < PT_TILE ? bytes : PT_TILE);
	}
}

struct pt_traffic pt_set_traffic(const struct pt_set *set)
{
	uint64_t bytes = PIMDIMM_CHIPS * set->source->size;
	unsigned int lanes = lanes_of(set);
	struct pt_traffic t = { 0, lanes ? bytes : 0 };

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		if (set->from[i] != PT_NOBODY && !seen_before(set, i))
			t.read += bytes;
	}
	if (lanes && lanes < PIMDIMM_CHIPS)
		t.read += bytes;
	return t;
}
