// SPDX-License-Identifier: MIT
/*
 * Every PE walks its own MRAM, all of them at once. Here the eight of an
 * entangled group go together: a register is a word of each.
 */
#include "runtime/watch/count.h"
#include "runtime/pe/shared/cost.h"
#include "collectives/algorithms/assisted/reorder.h"

/* what a PE moves between MRAM and WRAM at a time */
#define DMA_BYTES	2048

/* words of all chunks of a row, or of several rows, that are an item */
#define TILE_WORDS	512

/* in words */
struct reorder {
	struct pc_call *call;
	const struct pc_turns *turns;
	uint64_t from, to, rows, chunk;
	uint64_t tiles;		/* of a row */
	uint64_t item_rows;	/* of an item, if a row is a tile */
	uint64_t items;		/* of an entangled group */
};

/* the words [word, word + n) of the chunks of a row */
static void reorder_row(const struct reorder *r, uint32_t eg, uint64_t row,
			uint64_t word, uint64_t n)
{
	const struct pc_call *call = r->call;
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t at = row * lanes->nl * r->chunk + word;

	while (n) {
		uint8_t *from[8], *to[8];
		uint64_t run = pc_streams(call, eg, r->from + at, r->chunk, 1,
					  lanes->nl, n, from);

		run = pc_streams(call, eg, r->to + at, r->chunk, 1, lanes->nl,
				 run, to);
		r->turns->reorder(lanes, to, from, pc_step(call, 1), run,
				  r->from != r->to ? call->work.stores
						   : PD_STORES_PLAIN);
		at += run;
		n -= run;
	}
}

static void reorder_item(const struct reorder *r, uint64_t item)
{
	uint32_t eg = (uint32_t)(item / r->items);
	uint64_t row = item % r->items / r->tiles * r->item_rows;
	uint64_t end = row + r->item_rows;
	uint64_t word = item % r->items % r->tiles * TILE_WORDS;
	uint64_t n = r->chunk - word;

	if (n > TILE_WORDS)
		n = TILE_WORDS;
	if (end > r->rows)
		end = r->rows;
	for (; row < end; row++)
		reorder_row(r, eg, row, word, n);
}

/* in place the first of each group has nothing to do */
static uint64_t reorder_moving(const struct reorder *r, uint64_t bytes)
{
	unsigned int nl = r->call->req->shape->lanes.nl;

	return r->from == r->to ? bytes / nl * (nl - 1) : bytes;
}

/* What the loop touches is the PEs' doing: none of it is the host's. */
static void reorder_counted(const struct reorder *r, uint64_t item)
{
	struct pd_counter pes;
	struct pd_counting before;
	struct pd_counts c;

	pd_counter_init(&pes, r->call->req->sys->windows,
			r->call->req->sys->nr_ranks);
	before = pd_counting_enter(&pes, __builtin_frame_address(0));
	reorder_item(r, item);
	pd_counting_leave(before);
	c = pd_counter_counts(&pes);
	pd_count_pe(reorder_moving(r, 64 * (c.blocks_read + c.blocks_written)));
}

static void reorder_work(void *ctx, uint64_t first, uint64_t count)
{
	const struct reorder *r = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		if (pd_counts_now())
			reorder_counted(r, i);
		else
			reorder_item(r, i);
	}
}

/*
 * What each PE would take: the DMA of its chunks by pieces, or of as many whole
 * rows at a time as a piece holds.
 */
static uint64_t modelled_ns(const struct reorder *r)
{
	const struct pe_cost *cost = pd_cost();
	uint64_t chunks = r->rows * r->call->req->shape->lanes.nl;
	uint64_t row = 8 * r->call->req->shape->lanes.nl * r->chunk;
	uint64_t per = row <= DMA_BYTES ? DMA_BYTES / row : 0;
	uint64_t pieces = per ? (r->rows + per - 1) / per :
		chunks * ((8 * r->chunk + DMA_BYTES - 1) / DMA_BYTES);
	struct pe_work w = {
		.reads = pieces,
		.writes = pieces,
		.read_bytes = 8 * chunks * r->chunk,
		.write_bytes = 8 * chunks * r->chunk,
	};

	return (uint64_t)((double)pe_dma_cycles(cost, &w) * 1e9 /
			  cost->clock_hz);
}

void pc_reorder(struct pc_call *call, uint64_t from, uint64_t to, uint64_t rows,
		uint64_t words)
{
	uint64_t nl = call->req->shape->lanes.nl;
	struct reorder r = {
		.call = call,
		.turns = pc_isa_turns(call->req->sys->isa),
		.from = from,
		.to = to,
		.rows = rows,
		.chunk = words,
		.item_rows = 1,
	};

	if (!rows || !words || (from == to && nl == 1))
		return;
	r.tiles = (words + TILE_WORDS - 1) / TILE_WORDS;
	if (words < TILE_WORDS)
		r.item_rows = TILE_WORDS / words;
	r.items = (rows + r.item_rows - 1) / r.item_rows * r.tiles;
	pd_workers_run(call->req->sys->workers,
		       call->req->hc->cube.nr_pes / 8 * r.items, 1,
		       reorder_work, &r);
	call->pe_moved += reorder_moving(
		&r, 2 * 8 * rows * nl * words * call->req->hc->cube.nr_pes);
	call->pe_modelled_ns += modelled_ns(&r);
}
