// SPDX-License-Identifier: MIT
/*
 * alltoallv and allgatherv move: all that PEs send is pulled by rows of whole
 * groups, and lies in staging memory as it is received, to be pushed by rows as
 * far as all lanes have as much.
 */
#include <string.h>

#include "collectives/typed/typed.h"

/* bytes of each PE that a worker does at a time */
#define ITEM_BYTES (32 * PT_TILE)

struct tile {
	_Alignas(64) uint8_t streams[PIMDIMM_CHIPS][PT_TILE];
	_Alignas(64) uint8_t rows[PIMDIMM_CHIPS * PT_TILE];
};

/* a lane's place among its pieces */
struct cursor {
	const uint64_t *counts, *at;
	uint64_t left; /* bytes of this piece */
	uint64_t into;
};

static uint64_t size_of(const struct pc_typed *t)
{
	return pt_size(t->counts.type);
}

static struct cursor cursor_at(const struct pc_typed *t, uint32_t pe,
			       uint64_t skip)
{
	const struct pc_counts *c = &t->counts;
	struct cursor cur = { &c->counts[(uint64_t)pe * c->each],
			      &c->at[(uint64_t)pe * c->each], 0, 0 };

	while (skip >= *cur.counts * size_of(t)) {
		skip -= *cur.counts++ * size_of(t);
		cur.at++;
	}
	cur.left = *cur.counts * size_of(t) - skip;
	cur.into = skip;
	return cur;
}

/* what comes next in the lane's stream goes where it is received */
static void stage(const struct pc_typed *t, struct cursor *cur,
		  const uint8_t *stream, uint64_t bytes)
{
	uint8_t *staging = t->hc->staging;

	while (bytes) {
		uint64_t n = bytes < cur->left ? bytes : cur->left;

		memcpy(staging + *cur->at + cur->into, stream, n);
		stream += n;
		bytes -= n;
		cur->left -= n;
		cur->into += n;
		while (bytes && !cur->left) {
			cur->left = *++cur->counts * size_of(t);
			cur->at++;
			cur->into = 0;
		}
	}
}

/* bytes of [at, at + bytes) that there are */
static uint64_t part_of(uint64_t there, uint64_t at, uint64_t bytes)
{
	if (there <= at)
		return 0;
	return there - at < bytes ? there - at : bytes;
}

static void pull_tile(struct pc_typed *t, uint32_t eg, struct tile *tile,
		      struct cursor cur[PIMDIMM_CHIPS], uint64_t at,
		      uint64_t bytes)
{
	const struct pt_group g = { t->hc->sys, pc_typed_eg(t, eg), PD_STORES_PLAIN };
	void *streams[PIMDIMM_CHIPS];
	uint64_t staged = 0;

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
		streams[i] = tile->streams[i];
	pt_rows_get(&g, &t->counts.from, at, bytes, tile->rows);
	pt_rows_to_lanes(t->hc->sys, streams, tile->rows, bytes);
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		uint64_t sent = t->counts.sent[PIMDIMM_CHIPS * eg + i];
		uint64_t n = part_of(sent * size_of(t), at, bytes);

		stage(t, &cur[i], streams[i], n);
		staged += n;
	}
	pc_tally_add(&t->tally.read, PIMDIMM_CHIPS * bytes);
	pc_tally_add(&t->tally.transposed, PIMDIMM_CHIPS * bytes);
	pc_tally_add(&t->tally.host_written, staged);
}

/* the least and the most of a group's lanes, bytes */
static void bounds_of(const struct pc_typed *t, const uint64_t elements[],
		      uint32_t eg, uint64_t *least, uint64_t *most)
{
	*least = UINT64_MAX;
	*most = 0;
	for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++) {
		uint64_t n = elements[PIMDIMM_CHIPS * eg + i] * size_of(t);

		*least = n < *least ? n : *least;
		*most = n > *most ? n : *most;
	}
}

static void pull_item(struct pc_typed *t, uint32_t eg, uint64_t at)
{
	struct cursor cur[PIMDIMM_CHIPS] = { { 0 } };
	uint64_t least, most, end;
	struct tile tile;

	bounds_of(t, t->counts.sent, eg, &least, &most);
	end = at + part_of(most, at, ITEM_BYTES);
	for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++) {
		uint32_t pe = PIMDIMM_CHIPS * eg + i;

		if (t->counts.sent[pe] * size_of(t) > at)
			cur[i] = cursor_at(t, pe, at);
	}
	for (; at < end; at += PT_TILE)
		pull_tile(t, eg, &tile, cur, at,
			  end - at < PT_TILE ? end - at : PT_TILE);
}

static void push_tile(struct pc_typed *t, uint32_t eg, struct tile *tile,
		      uint64_t at, uint64_t bytes)
{
	const struct pt_group g = { t->hc->sys, pc_typed_eg(t, eg), t->stores };
	const uint8_t *staging = t->hc->staging;
	const void *streams[PIMDIMM_CHIPS];

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
		streams[i] =
			staging + t->counts.staged[PIMDIMM_CHIPS * eg + i] + at;
	pt_rows_from_lanes(t->hc->sys, tile->rows, streams, bytes);
	pt_rows_put(&g, &t->counts.to, at, bytes, tile->rows);
	pc_tally_add(&t->tally.written, PIMDIMM_CHIPS * bytes);
	pc_tally_add(&t->tally.transposed, PIMDIMM_CHIPS * bytes);
	pc_tally_add(&t->tally.host_read, PIMDIMM_CHIPS * bytes);
}

/* what this lane has and not all have; a byte of its own is in a row of all */
static void push_tail(struct pc_typed *t, uint32_t node, uint64_t at,
		      uint64_t bytes)
{
	const uint8_t *staging = t->hc->staging;

	pt_lane_put(t->hc->sys, pc_typed_pe(t, node), &t->counts.to, at, bytes,
		    staging + t->counts.staged[node] + at);
	pc_tally_add(&t->tally.written, PIMDIMM_CHIPS * bytes);
	pc_tally_add(&t->tally.host_read, bytes);
}

static void push_item(struct pc_typed *t, uint32_t eg, uint64_t at)
{
	uint64_t least, most, end, next = at + ITEM_BYTES;
	struct tile tile;

	bounds_of(t, t->counts.received, eg, &least, &most);
	end = at + part_of(least, at, ITEM_BYTES);
	for (; at < end; at += PT_TILE)
		push_tile(t, eg, &tile, at,
			  end - at < PT_TILE ? end - at : PT_TILE);
	for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++) {
		uint32_t pe = PIMDIMM_CHIPS * eg + i;
		uint64_t had = t->counts.received[pe] * size_of(t);

		had = part_of(had, end, next - end);
		if (had)
			push_tail(t, pe, end, had);
	}
}

static uint64_t items_of(uint64_t bytes)
{
	return (bytes + ITEM_BYTES - 1) / ITEM_BYTES;
}

static void pull_items(void *ctx, uint64_t first, uint64_t count)
{
	struct pc_typed *t = ctx;
	uint64_t each = items_of(t->counts.from.size);

	for (uint64_t i = first; i < first + count; i++)
		pull_item(t, (uint32_t)(i / each), i % each * ITEM_BYTES);
}

static void push_items(void *ctx, uint64_t first, uint64_t count)
{
	struct pc_typed *t = ctx;
	uint64_t each = items_of(t->counts.to.size);

	for (uint64_t i = first; i < first + count; i++)
		push_item(t, (uint32_t)(i / each), i % each * ITEM_BYTES);
}

void pc_counts_run(struct pc_typed *t)
{
	struct pd_workers *workers = t->hc->sys->workers;
	const struct pc_counts *c = &t->counts;
	uint64_t egs = t->hc->cube.nr_pes / PIMDIMM_CHIPS;

	pd_workers_run(workers, egs * items_of(c->from.size), 1, pull_items, t);
	pd_workers_run(workers, egs * items_of(c->to.size), 1, push_items, t);
}
