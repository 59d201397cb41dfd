// SPDX-License-Identifier: MIT
/* A call is cut into items, which threads take; blocks of a stream are found. */
#include "collectives/call/call.h"

/* what a worker takes at a time at least, so that handing out costs nothing */
#define GRAIN_BYTES	PD_WORK_LEAST
/* what it takes at most, where there is plenty: what a tile asks for ahead of the
 * next one is lost on it if another thread does that */
#define LONG_GRAIN	(2 << 20)
#define GRAINS_A_THREAD	8

/* items for each thread at least, where tiles can be made smaller for it */
#define ITEMS_A_THREAD	4
#define LEAST_WORDS	32

static void add_counter(uint64_t *counter, uint64_t n)
{
	if (n)
		__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

void pc_call_add(struct pc_call *call, const struct pc_call *copy)
{
	add_counter(&call->counts.blocks_read, copy->counts.blocks_read);
	add_counter(&call->counts.blocks_written, copy->counts.blocks_written);
	add_counter(&call->counts.transfers, copy->counts.transfers);
	add_counter(&call->counts.host_read, copy->counts.host_read);
	add_counter(&call->counts.host_written, copy->counts.host_written);
}

/* an item as its set, its tile and its part of the set's groups */
struct place {
	uint32_t set;
	uint64_t tile, part;
};

/*
 * Items go part by part and tile by tile through a set. Where two sets are
 * twins they take turns with each tile, so that the second one finds in the
 * cache what came with the lines of the first.
 */
static struct place item_place(const struct pc_call *call, uint64_t item)
{
	uint32_t twins = call->req->shape->twins;
	struct place p = { 0 };
	bool second = false;

	if (!item)
		return p;
	p.part = item % call->work.parts;
	item /= call->work.parts;
	if (twins && !call->work.paired) {
		second = item & 1;
		item /= 2;
	}
	p.tile = item % call->work.tiles;
	p.set = (uint32_t)(item / call->work.tiles);
	if (twins)
		p.set = p.set / twins * 2 * twins + p.set % twins +
			(second ? twins : 0);
	return p;
}

/* to the twin, or back to the first one and on; true: both have had the tile */
static bool next_twin(uint32_t twins, struct place *p)
{
	p->set ^= twins;
	return !(p->set & twins);
}

/* the next one, without a division: these are slow beside a small item */
static void next_item(const struct pc_call *call, struct place *p)
{
	uint32_t twins = call->req->shape->twins;

	if (++p->part < call->work.parts)
		return;
	p->part = 0;
	if (twins && !call->work.paired && !next_twin(twins, p))
		return;
	if (++p->tile < call->work.tiles)
		return;
	p->tile = 0;
	p->set++;
	if (p->set & twins)	/* these have been */
		p->set += twins;
}

/* bytes of MRAM and of host buffers, by 64 */
static uint64_t work_done(const struct pc_call *call)
{
	return call->counts.blocks_read + call->counts.blocks_written +
	       (call->counts.host_read + call->counts.host_written) / 64;
}

static uint64_t call_work_parts(void *ctx, uint64_t first, uint64_t count,
				enum pd_stores stores)
{
	struct pc_call call = pc_call_copy(ctx);
	struct place p = item_place(&call, first);
	uint32_t egs = call.work.parts == 1 ? call.work.nr_egs : 1;

	call.work.stores = stores;
	for (; count--; next_item(&call, &p)) {
		uint64_t word = p.tile * call.work.tile_words;
		uint64_t n = call.work.words - word;
		uint32_t e = call.work.first_eg + (uint32_t)p.part * egs;

		if (n > call.work.tile_words)
			n = call.work.tile_words;
		for (uint32_t end = e + egs; e < end; e++)
			call.work.part(&call, p.set, e, word, n);
	}
	pc_call_add(ctx, &call);
	return work_done(&call);
}

static void call_work_items(void *ctx, uint64_t first, uint64_t count)
{
	const struct pc_call *call = ctx;

	call_work_parts(ctx, first, count, call->work.stores);
}

/* bytes of all PEs together */
static uint64_t all_bytes(const struct pc_call *call)
{
	const struct pc_shape *s = call->req->shape;

	return call->req->bytes * s->sets * s->egs * 8;
}

/* threads that work on the call, of all hosts */
static uint64_t call_threads(const struct pc_call *call)
{
	return call->req->crew ? call->req->crew->threads :
				 pd_workers_threads(call->req->sys->workers);
}

/* items that threads are to have between them at least; what one host tries is no
 * reason for items that others do not know */
static uint64_t items_wanted(const struct pc_call *call)
{
	uint64_t bytes = all_bytes(call), threads;

	if (bytes < GRAIN_BYTES)
		return 1;
	threads = call_threads(call);
	if (call->work.trial && call->work.trial->open && !call->req->crew)
		return pd_trial_items(call->work.trial, (unsigned int)threads);
	if (threads == 1 || bytes < threads * GRAIN_BYTES)
		return 1;
	return threads * ITEMS_A_THREAD;
}

uint32_t pc_egs_together(const struct pc_call *call, uint64_t most)
{
	const struct pc_shape *s = call->req->shape;
	uint64_t fair;

	if (s->egs == 1)
		return 1;
	fair = (uint64_t)s->sets * s->egs / items_wanted(call);
	if (most > fair)
		most = fair;
	if (most > s->egs)
		most = s->egs;
	return most ? (uint32_t)most : 1;
}

/* that items are given */
static uint64_t item_sets(const struct pc_call *call)
{
	return call->work.paired ? call->req->shape->sets / 2
				 : call->req->shape->sets;
}

static void set_tiles(struct pc_call *call, uint64_t tile_words)
{
	call->work.tile_words = tile_words;
	call->work.tiles = 1;
	if (tile_words < call->work.words)
		call->work.tiles =
			(call->work.words + tile_words - 1) / tile_words;
}

/*
 * An item is all groups of a set and one of its tiles, unless threads would go
 * without: then one group, and if need be less of a tile.
 */
static void cut_items(struct pc_call *call, uint64_t tile_words)
{
	uint64_t items = items_wanted(call), sets = item_sets(call);

	for (;;) {
		set_tiles(call, tile_words);
		call->work.parts =
			sets * call->work.tiles < items ? call->work.nr_egs : 1;
		if (sets * call->work.tiles * call->work.parts >= items ||
		    tile_words < 2 * LEAST_WORDS)
			break;
		tile_words = (tile_words + 15) / 16 * 8;
	}
}

/* items that a worker takes at a time */
static uint64_t items_grain(const struct pc_call *call, uint64_t items)
{
	uint64_t bytes = all_bytes(call), share;

	share = bytes / call_threads(call) / GRAINS_A_THREAD;
	if (share < GRAIN_BYTES)
		share = GRAIN_BYTES;
	if (share > LONG_GRAIN)
		share = LONG_GRAIN;
	return share * items / (bytes + 1) + 1;
}

uint64_t pc_phase_begin(const struct pc_call *call, enum pc_phase phase)
{
	struct pc_crew *crew = call->req->crew;

	if (crew)
		crew->doing(crew, phase);
	return pd_now_ns();
}

void pc_call_crew(struct pc_call *call, enum pc_share share, uint64_t items, uint64_t grain,
		  enum pd_stores stores, struct pd_trial *trial, pd_part_fn fn, void *ctx)
{
	const struct pc_crew_items run = {
		.workers = call->req->sys->workers,
		.shape = call->req->shape,
		.share = share,
		.items = items,
		.grain = grain,
		.stores = stores,
		.trial = trial,
		.fn = fn,
		.ctx = ctx,
	};

	pc_crew_run(call->req->crew, &run);
}

void pc_for_each_part(struct pc_call *call, uint64_t words, uint64_t tile_words,
		      uint32_t first, uint32_t nr, pc_part_fn part)
{
	struct pd_workers *workers = call->req->sys->workers;
	bool split = all_bytes(call) >= GRAIN_BYTES;
	uint64_t items, n;

	if (!nr)
		return;
	call->work.words = words;
	call->work.first_eg = first;
	call->work.nr_egs = nr;
	call->work.part = part;
	if (tile_words > words)
		tile_words = words;
	/* a small call is one thread's, at once: dividing would take as long as
	 * it does */
	call->work.parts = 1;
	if (split)
		cut_items(call, tile_words);
	else
		set_tiles(call, tile_words);
	items = item_sets(call) * call->work.tiles * call->work.parts;
	n = split ? items_grain(call, items) : items;
	if (call->req->crew)
		pc_call_crew(call, call->work.share, items, n, call->work.stores,
			     call->work.trial, call_work_parts, call);
	else if (call->work.trial)
		pd_trial_run(call->work.trial, workers, items, n,
			     call_work_parts, call);
	else
		pd_workers_run(workers, items, n, call_work_items, call);
}

static void whole_set(struct pc_call *call, uint32_t set, uint32_t e,
		      uint64_t word, uint64_t n)
{
	(void)e;
	call->work.tile(call, set, word, n);
}

void pc_for_each_tile(struct pc_call *call, uint64_t words, uint64_t tile_words,
		      pc_tile_fn tile)
{
	call->work.tile = tile;
	pc_for_each_part(call, words, tile_words, 0, 1, whole_set);
}

/* streams that begin in different runs; eg: as the system numbers them */
static uint64_t far_streams(const struct pc_call *call, uint32_t eg,
			    uint64_t first, uint64_t gap, uint64_t step,
			    unsigned int streams, uint64_t n, uint8_t *ptr[8])
{
	for (unsigned int j = 0; j < streams; j++) {
		uint64_t left = pd_run(call->req->sys, first + j * gap);

		if (left < n * step)
			n = (left + step - 1) / step;
		ptr[j] = pd_block(call->req->sys, eg, first + j * gap);
	}
	return n;
}

uint64_t pc_streams(const struct pc_call *call, uint32_t eg, uint64_t first,
		    uint64_t gap, uint64_t step, unsigned int streams,
		    uint64_t n, uint8_t *ptr[8])
{
	uint64_t run = pd_run(call->req->sys, first);
	uint64_t last = (streams - 1) * gap;
	size_t gap_bytes = pc_step(call, gap);
	uint8_t *at;

	eg = call->req->places[eg];
	if (last >= run)
		return far_streams(call, eg, first, gap, step, streams, n, ptr);
	at = pd_block(call->req->sys, eg, first);
	for (unsigned int j = 0; j < streams; j++, at += gap_bytes)
		ptr[j] = at;
	run -= last;
	return run < n * step ? (run + step - 1) / step : n;
}

struct pc_next pc_next_visit(const struct pc_call *call, uint32_t e, uint32_t sources,
			     bool beside)
{
	uint32_t egs = call->req->shape->egs, block = 2 * call->req->shape->pairs;
	bool pairs = pc_folds_pairs(call), apart = sources < block && !pairs;
	struct pc_next next = { .e = apart ? e + block : pc_visited_next(call, e, sources) };

	if (next.e >= egs) {
		next.e -= egs;
		next.next_tile = true;
	}
	/* streams that ask side by side go on as they are */
	next.lines = apart || pairs || (block && !beside);
	next.sources = pc_sources(call, next.e);
	if (!apart)
		return next;
	next.sources = (sources + 1) / 2;
	next.half = sources == 1 ? 1 + next.e % 2 : 0;
	next.e = pc_pair(call, next.e / 2);
	return next;
}

void pc_ask_lines(struct pc_ahead *ahead)
{
	unsigned int lines = 0;

	if (!ahead->streams)
		return;
	for (unsigned int j = 0; j < ahead->streams; j++) {
		if (!((uintptr_t)ahead->ptr[j] & 64))
			ahead->ptr[lines++] = ahead->ptr[j];
	}
	ahead->streams = lines;
	ahead->step = 64;
	ahead->n *= 2;
}
