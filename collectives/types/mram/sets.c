// SPDX-License-Identifier: MIT
/* Moves what eight lanes get from others: tile by tile, by rows of whole
 * groups. */
#include <string.h>

#include "collectives/types/mram/sets.h"
#include "collectives/types/mover.h"

/* the entangled groups that lanes come from, each once, and how many lanes do */
struct sources {
	uint32_t eg[PIMDIMM_CHIPS];
	unsigned int nr, lanes;
	bool straight;		/* each lane of a group from the same one of another */
};

/* of one set, all lanes */
struct setting {
	struct pimdimm *sys;
	const struct pt_set *set;
	enum pd_stores stores;
	struct sources from;
};

static void find_sources(const struct pt_set *set, struct sources *from)
{
	unsigned int same = 0;

	from->nr = from->lanes = 0;
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		uint32_t pe = set->from[i];
		unsigned int k = from->nr;

		if (pe == PT_NOBODY)
			continue;
		/* most often it is that of the lane before */
		while (k && from->eg[k - 1] != pd_eg_of(pe))
			k--;
		if (!k)
			from->eg[from->nr++] = pd_eg_of(pe);
		from->lanes++;
		same += pd_lane_of(pe) == i;
	}
	from->straight = from->nr == 1 && same == PIMDIMM_CHIPS;
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

	for (unsigned int k = 0; k < s->from.nr; k++) {
		const struct pt_group g = { s->sys, s->from.eg[k], PD_STORES_PLAIN };

		lanes_from(s->set, g.eg, lanes);
		pt_rows_get(&g, s->set->source, at, bytes, source);
		pt_isa_strided(s->sys->isa)->lanes(rows, source, lanes, bytes);
	}
}

static void move_tile(const struct setting *s, uint64_t at, uint64_t bytes)
{
	_Alignas(64) uint8_t rows[PIMDIMM_CHIPS * PT_TILE];
	struct pt_group to = { s->sys, s->set->eg, s->stores };
	const struct pt_group from = { s->sys, s->from.eg[0], PD_STORES_PLAIN };

	if (s->from.straight) {
		pt_rows_get(&from, s->set->source, at, bytes, rows);
	} else {
		if (s->from.lanes < PIMDIMM_CHIPS)
			pt_rows_get(&to, s->set->to, at, bytes, rows);
		blend(s, at, bytes, rows);
	}
	pt_rows_put(&to, s->set->to, at, bytes, rows);
}

static void move_merged(const struct setting *s)
{
	const struct pt_set *set = s->set;

	pt_run_merged(pt_isa_strided(s->sys->isa), set->merged,
		      pd_block(s->sys, set->eg, 0) + PIMDIMM_CHIPS * set->to->off,
		      pd_block(s->sys, s->from.eg[0], 0) + PIMDIMM_CHIPS * set->source->off, 3);
}

static bool can_turn(const struct setting *s)
{
	return s->set->merged && pt_isa_strided(s->sys->isa)->turn &&
	       s->from.lanes == PIMDIMM_CHIPS && s->from.nr <= 2;
}

/*
 * What all lanes get of one group or two is moved from where it is to where it goes, row by
 * row.
 */
static void move_turned(const struct setting *s)
{
	const struct pt_set *set = s->set;
	const uint8_t *src = pd_block(s->sys, s->from.eg[0], 0);
	const uint8_t *other = pd_block(s->sys, s->from.eg[s->from.nr - 1], 0);
	struct pt_turned turned = { .other = (int64_t)((uintptr_t)other - (uintptr_t)src) };
	/* as words, which loops load: bytes stored one by one would not be forwarded */
	uint64_t lanes[2] = { 0 };

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		bool second = pd_eg_of(set->from[i]) != s->from.eg[0];
		uint64_t lane = pd_lane_of(set->from[i]);

		lanes[0] |= (second ? PIMDIMM_CHIPS : lane) << 8 * i;
		lanes[1] |= (second ? lane : PIMDIMM_CHIPS) << 8 * i;
	}
	memcpy(turned.from, lanes, sizeof(turned.from));
	pt_run_turned(pt_isa_strided(s->sys->isa), set->merged,
		      pd_block(s->sys, set->eg, 0) + PIMDIMM_CHIPS * set->to->off,
		      src + PIMDIMM_CHIPS * set->source->off, &turned);
}

static void move_tiles(const struct setting *s)
{
	for (uint64_t at = 0; at < s->set->source->size; at += PT_TILE) {
		uint64_t bytes = s->set->source->size - at;

		move_tile(s, at, bytes < PT_TILE ? bytes : PT_TILE);
	}
}

/* rows of every group that lanes come from, and of the one they go to, if some lanes stay */
static struct pt_traffic traffic_of(const struct setting *s)
{
	uint64_t bytes = PIMDIMM_CHIPS * s->set->source->size;

	return (struct pt_traffic){
		.read = (s->from.nr + (s->from.lanes < PIMDIMM_CHIPS)) * bytes,
		.written = bytes,
	};
}

struct pt_traffic pt_set_move(struct pimdimm *sys, const struct pt_set *set,
			      enum pd_stores stores)
{
	struct setting s = { .sys = sys, .set = set, .stores = stores };

	find_sources(set, &s.from);
	if (!s.from.lanes)
		return (struct pt_traffic){ 0 };
	if (s.from.straight && set->merged)
		move_merged(&s);
	else if (can_turn(&s))
		move_turned(&s);
	else
		move_tiles(&s);
	return traffic_of(&s);
}
