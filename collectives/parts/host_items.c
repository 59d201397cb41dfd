// SPDX-License-Identifier: MIT
/* What a host does with an item of a call whose hosts meet in host memory. */
#include "collectives/parts/host_items.h"
#include "runtime/ranks/transfer.h"
#include "runtime/watch/count.h"

/* words of a tile of chunks, and blocks of it in all */
#define CHUNK_WORDS	128
#define CHUNK_BLOCKS	256

/* What is there of the hosts before this one comes into `acc`, and what it is now goes back. */
static void take_place(struct pc_call *call, const struct pc_item *l, uint8_t *acc, uint64_t bytes)
{
	if (!l->e)
		return;
	pd_copy(acc, l->place, bytes);
	pc_count(&call->counts.host_read, bytes);
}

static void leave_place(struct pc_call *call, const struct pc_item *l, const uint8_t *acc,
			uint64_t bytes)
{
	pd_copy(l->place, acc, bytes);
	pc_count(&call->counts.host_written, bytes);
}

void pc_item_fold_rows(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];
	const struct pc_rows_part part = { l->set, l->e, l->end, l->word, l->n };
	uint64_t bytes = pc_rows_acc_bytes(call, l->n);

	take_place(call, l, acc, bytes);
	pc_rows_fold(call, &part, acc);
	if (l->end == call->req->shape->egs) {
		pc_rows_fold_last(call, l->n, acc, acc);
		bytes = 64 * pc_rows(call, l->n);
	}
	leave_place(call, l, acc, bytes);
}

/* the rows of an item, in the domain that is wanted */
static void take_rows(struct pc_call *call, const struct pc_item *l, uint8_t *rows, bool host)
{
	uint64_t count = pc_rows(call, l->n);

	pd_copy(rows, l->place, 64 * count);
	pc_count(&call->counts.host_read, 64 * count);
	if (call->req->fold.host_domain == host)
		return;
	call->req->sys->blocks->transpose(rows, rows, count);
	pc_count(&call->counts.transfers, count);
}

void pc_item_spread_rows(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	const struct pc_rows_part part = { l->set, l->e, l->end, l->word, l->n };

	take_rows(call, l, rows, false);
	pc_rows_spread_some(call, &part, rows);
}

void pc_item_rows_to_buffers(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];

	take_rows(call, l, rows, true);
	pc_rows_store(call, l->set, l->word, l->n, rows);
}

void pc_item_rows_of(struct pc_call *call, const struct pc_item *l, const uint8_t *const vectors[],
		     uint8_t *rows)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const unsigned int groups = 8 / lanes->nl;
	uint64_t all = pc_rows(call, l->n);
	const uint8_t *from[8];

	for (unsigned int g = 0; g < groups; g++)
		from[g] = vectors[g] + 8 * l->word;
	call->req->moves->rows_in(lanes, rows, from, all, l->n - (all - 1) * lanes->nl);
	call->req->sys->blocks->transpose(rows, rows, all);
	pc_count(&call->counts.host_read, 8 * l->n * groups);
	pc_count(&call->counts.transfers, all);
}

void pc_item_of_buffers(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	const unsigned int groups = 8 / call->req->shape->lanes.nl;
	const uint8_t *from[8];

	for (unsigned int g = 0; g < groups; g++)
		from[g] = call->req->bufs[l->set * groups + g];
	pc_item_rows_of(call, l, from, rows);
	leave_place(call, l, rows, 64 * pc_rows(call, l->n));
}

uint64_t pc_item_chunk_words(const struct pc_call *call)
{
	uint64_t words = CHUNK_BLOCKS / call->req->shape->lanes.nl;

	return words < CHUNK_WORDS ? words : CHUNK_WORDS;
}

uint64_t pc_item_chunk_bytes(const struct pc_call *call, uint64_t n)
{
	return 64 * n * (call->req->fold.widen ? 2 : 1);
}

/* The chunks that belong to group t's lanes, of one source. */
static void fold_source(struct pc_call *call, uint8_t *acc, const struct pc_item *l, uint32_t e)
{
	_Alignas(64) uint8_t tile[64 * CHUNK_BLOCKS];
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_fold *fold = &call->req->fold;
	uint64_t base = call->req->src + l->t * lanes->nl * call->req->words + l->word;

	for (uint64_t at = 0, run; at < l->n; at += run) {
		uint8_t *from[8];

		run = pc_streams(call, pc_eg(call, l->set, e), base + at, call->req->words, 1,
				 lanes->nl, l->n - at, from);
		if (fold->reduce)
			fold->reduce(lanes, lanes->nl, acc + 64 * at, from, pc_step(call, 1), run, 0,
				     !e, NULL, NULL);
		else
			call->req->moves->collect(lanes, tile + 64 * at, l->n, from,
						  pc_step(call, 1), run, fold->host_domain, NULL,
						  NULL);
	}
	if (!fold->reduce)
		pc_fold_tile(fold, acc, tile, lanes->nl, 64 * l->n, !e);
	pc_count(&call->counts.blocks_read, lanes->nl * l->n);
	if (fold->host_domain)
		pc_count(&call->counts.transfers, lanes->nl * l->n);
}

void pc_item_fold_chunk(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];
	uint64_t bytes = pc_item_chunk_bytes(call, l->n);

	take_place(call, l, acc, bytes);
	for (uint32_t e = l->e; e < l->end; e++)
		fold_source(call, acc, l, e);
	if (l->end == call->req->shape->egs) {
		pc_fold_last(&call->req->fold, acc, acc, 64 * l->n);
		bytes = 64 * l->n;
	}
	leave_place(call, l, acc, bytes);
}

static void store_chunk(struct pc_call *call, const struct pc_item *l, const uint8_t *acc)
{
	for (uint64_t at = 0, run; at < l->n; at += run) {
		uint8_t *to[8];

		run = pc_streams(call, pc_eg(call, l->set, l->t), call->req->dst + l->word + at, 0,
				 1, 1, l->n - at, to);
		call->req->moves->store(to[0], pc_step(call, 1), acc + 64 * at, run,
					call->req->fold.host_domain, call->work.stores);
	}
	pc_count(&call->counts.blocks_written, l->n);
	if (call->req->fold.host_domain)
		pc_count(&call->counts.transfers, l->n);
}

void pc_item_store_chunk(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t acc[64 * CHUNK_WORDS];

	pd_copy(acc, l->place, 64 * l->n);
	pc_count(&call->counts.host_read, 64 * l->n);
	store_chunk(call, l, acc);
}

void pc_item_load_chunks(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t tile[64 * CHUNK_WORDS];

	for (uint64_t at = 0, run; at < l->n; at += run) {
		uint8_t *from[8];

		run = pc_streams(call, pc_eg(call, l->set, l->t), call->req->src + l->word + at, 0,
				 1, 1, l->n - at, from);
		call->req->moves->load(tile + 64 * at, from[0], pc_step(call, 1), run);
	}
	pd_copy(l->place, tile, 64 * l->n);
	pc_count(&call->counts.blocks_read, l->n);
	pc_count(&call->counts.host_written, 64 * l->n);
}

/* to one entangled group */
static void spread_chunks_to(struct pc_call *call, const struct pc_item *l, const uint8_t *tile,
			     uint32_t e)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t first = call->req->dst + l->t * lanes->nl * call->req->words + l->word;

	for (uint64_t at = 0, run; at < l->n; at += run) {
		uint8_t *to[8];

		run = pc_streams(call, pc_eg(call, l->set, e), first + at, call->req->words, 1,
				 lanes->nl, l->n - at, to);
		call->req->moves->spread(lanes, to, lanes->nl, pc_step(call, 1), tile + 64 * at,
					 run, call->work.stores, NULL);
	}
}

void pc_item_spread_chunks(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t tile[64 * CHUNK_WORDS];

	pd_copy(tile, l->place, 64 * l->n);
	for (uint32_t e = l->e; e < l->end; e++)
		spread_chunks_to(call, l, tile, e);
	pc_count(&call->counts.host_read, 64 * l->n);
	pc_count(&call->counts.blocks_written,
		 (l->end - l->e) * call->req->shape->lanes.nl * l->n);
}

void pc_item_exchange(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t tile[64 * CHUNK_BLOCKS];
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t base = call->req->src + l->d * lanes->nl * call->req->words + l->word;

	for (uint64_t at = 0, run; at < l->n; at += run) {
		uint8_t *from[8], *to[8];

		run = pc_streams(call, pc_eg(call, l->set, l->t), base + at, call->req->words, 1,
				 lanes->nl, l->n - at, from);
		for (unsigned int j = 0; j < lanes->nl; j++)
			to[j] = tile + 64 * (j * l->n + at);
		call->req->moves->exchange(lanes, to, 64, from, pc_step(call, 1), run,
					   PD_STORES_PLAIN, NULL);
	}
	pd_copy(l->place, tile, 64 * lanes->nl * l->n);
	pc_count(&call->counts.blocks_read, lanes->nl * l->n);
	pc_count(&call->counts.host_written, 64 * lanes->nl * l->n);
}

void pc_item_store_exchanged(struct pc_call *call, const struct pc_item *l)
{
	_Alignas(64) uint8_t tile[64 * CHUNK_BLOCKS];
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	uint64_t base = call->req->dst + l->t * lanes->nl * call->req->words + l->word;

	pd_copy(tile, l->place, 64 * lanes->nl * l->n);
	for (uint64_t at = 0, run; at < l->n; at += run) {
		uint8_t *to[8];

		run = pc_streams(call, pc_eg(call, l->set, l->d), base + at, call->req->words, 1,
				 lanes->nl, l->n - at, to);
		for (unsigned int j = 0; j < lanes->nl; j++)
			call->req->moves->store(to[j], pc_step(call, 1),
						tile + 64 * (j * l->n + at), run, false,
						call->work.stores);
	}
	pc_count(&call->counts.blocks_written, lanes->nl * l->n);
	pc_count(&call->counts.host_read, 64 * lanes->nl * l->n);
}

static void lanes_of_place(const struct pc_item *l, uint8_t *lanes[8])
{
	for (unsigned int lane = 0; lane < 8; lane++)
		lanes[lane] = l->place + 8 * lane * l->n;
}

void pc_item_pull(struct pc_call *call, const struct pc_item *l)
{
	uint8_t *bufs[8];

	lanes_of_place(l, bufs);
	pd_eg_get(call->req->sys, call->req->places[pc_eg(call, l->set, l->t)],
		  call->req->src + l->word, l->n, (void *const *)bufs, PD_STORES_PLAIN);
	pc_count(&call->counts.blocks_read, l->n);
	pc_count(&call->counts.transfers, l->n);
	pc_count(&call->counts.host_written, 64 * l->n);
}

void pc_item_push(struct pc_call *call, const struct pc_item *l)
{
	uint8_t *bufs[8];

	lanes_of_place(l, bufs);
	pd_eg_put(call->req->sys, call->req->places[pc_eg(call, l->set, l->t)],
		  call->req->dst + l->word, l->n, (const void *const *)bufs, call->work.stores);
	pc_count(&call->counts.blocks_written, l->n);
	pc_count(&call->counts.transfers, l->n);
	pc_count(&call->counts.host_read, 64 * l->n);
}

static void copy_vectors(struct pc_call *call, const struct pc_item *l, bool to_vectors)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;

	for (unsigned int lane = 0; lane < 8; lane++) {
		uint32_t rank = l->t * lanes->nl + lanes->rank[lane];
		uint8_t *vector = call->req->bufs[pc_group(call->req->shape, l->set, lane)] +
				  rank * call->req->bytes + 8 * l->word;
		uint8_t *place = l->place + 8 * lane * l->n;

		pd_copy(to_vectors ? vector : place, to_vectors ? place : vector, 8 * l->n);
	}
	pc_count(&call->counts.host_read, 64 * l->n);
	pc_count(&call->counts.host_written, 64 * l->n);
}

void pc_item_to_vectors(struct pc_call *call, const struct pc_item *l)
{
	copy_vectors(call, l, true);
}

void pc_item_of_vectors(struct pc_call *call, const struct pc_item *l)
{
	copy_vectors(call, l, false);
}
