// SPDX-License-Identifier: MIT
/*
 * Several hosts, each on its own MRAM. Of a reduction every host folds its own members in
 * registers: it goes on with what the hosts before it have folded, which lies in memory that
 * all map, so that the result is the left fold in rank order. Blocks of items pass through
 * the hosts one step apart, so that all work at once. What is moved is pulled and pushed.
 */
#include <errno.h>
#include <stdlib.h>

#include "runtime/base/error.h"
#include "collectives/algorithms/mailed.h"
#include "collectives/algorithms/staged.h"
#include "collectives/algorithms/table.h"
#include "collectives/parts/host_items.h"
#include "collectives/parts/rows.h"
#include "collectives/parts/staging.h"
#include "runtime/watch/count.h"

/* blocks of items: the more, the shorter a host waits for its first one */
#define BLOCKS		8

/* a reduction whose items have each a place for what is folded */
struct chain {
	struct pc_call *call;
	uint8_t *places;
	uint64_t place_bytes;
	uint64_t tile_words, tiles;	/* of a vector, or of a chunk */
	uint64_t items;
	uint64_t first;			/* of the block */
};

static struct pc_item link_of(const struct chain *c, uint64_t item, uint32_t targets)
{
	const struct pc_call *call = c->call;
	struct pc_item l = { .place = c->places + item * c->place_bytes };
	uint64_t at = item / c->tiles;

	l.set = (uint32_t)(at / targets);
	l.t = (uint32_t)(at % targets);
	l.word = item % c->tiles * c->tile_words;
	l.n = call->req->words - l.word;
	if (l.n > c->tile_words)
		l.n = c->tile_words;
	l.e = 0;
	l.end = call->req->shape->egs;
	if (call->req->crew)
		pc_crew_egs(call->req->crew, call->req->shape, l.set, &l.e, &l.end);
	return l;
}

static uint64_t fold_rows_items(void *ctx, uint64_t first, uint64_t count, enum pd_stores stores)
{
	const struct chain *c = ctx;
	struct pc_call call = pc_call_copy(c->call);

	(void)stores;
	for (uint64_t i = c->first + first; i < c->first + first + count; i++) {
		struct pc_item l = link_of(c, i, 1);

		if (l.e < l.end)
			pc_item_fold_rows(&call, &l);
	}
	pc_call_add(c->call, &call);
	return count;
}

static uint64_t spread_items(void *ctx, uint64_t first, uint64_t count, enum pd_stores stores)
{
	const struct chain *c = ctx;
	struct pc_call call = pc_call_copy(c->call);

	call.work.stores = stores;
	for (uint64_t i = first; i < first + count; i++) {
		struct pc_item l = link_of(c, i, 1);

		if (l.e < l.end)
			pc_item_spread_rows(&call, &l);
	}
	pc_call_add(c->call, &call);
	return count;
}

static uint64_t to_buffers_items(void *ctx, uint64_t first, uint64_t count, enum pd_stores stores)
{
	const struct chain *c = ctx;
	struct pc_call call = pc_call_copy(c->call);

	call.work.stores = stores;
	for (uint64_t i = first; i < first + count; i++) {
		struct pc_item l = link_of(c, i, 1);

		pc_item_rows_to_buffers(&call, &l);
	}
	pc_call_add(c->call, &call);
	return count;
}

static uint64_t fold_chunks_items(void *ctx, uint64_t first, uint64_t count,
				  enum pd_stores stores)
{
	const struct chain *c = ctx;
	struct pc_call call = pc_call_copy(c->call);

	(void)stores;
	for (uint64_t i = c->first + first; i < c->first + first + count; i++) {
		struct pc_item l = link_of(c, i, call.req->shape->egs);

		if (l.e < l.end)
			pc_item_fold_chunk(&call, &l);
	}
	pc_call_add(c->call, &call);
	return count;
}

static uint64_t store_items(void *ctx, uint64_t first, uint64_t count, enum pd_stores stores)
{
	const struct chain *c = ctx;
	struct pc_call call = pc_call_copy(c->call);

	call.work.stores = stores;
	for (uint64_t i = first; i < first + count; i++) {
		struct pc_item l = link_of(c, i, call.req->shape->egs);

		if (l.t >= l.e && l.t < l.end)
			pc_item_store_chunk(&call, &l);
	}
	pc_call_add(c->call, &call);
	return count;
}

static int chain_make(struct chain *c, struct pc_call *call, uint64_t tile_words,
		      uint64_t place_bytes, uint32_t targets)
{
	int ret;

	*c = (struct chain){
		.call = call,
		.place_bytes = place_bytes,
		.tile_words = tile_words,
		.tiles = (call->req->words + tile_words - 1) / tile_words,
	};
	c->items = call->req->shape->sets * targets * c->tiles;
	ret = pc_staging(call, c->items * place_bytes);
	c->places = call->req->hc->staging;
	return ret;
}

/* Block b is host h's at step b + h: all hosts wait for each other between steps. */
static void chain_fold(struct chain *c, pd_part_fn fold)
{
	const struct pc_crew *crew = c->call->req->crew;
	const uint64_t blocks = c->items < BLOCKS ? c->items : BLOCKS;
	const uint64_t start = pc_phase_begin(c->call, PC_PHASE_PULL);

	for (uint64_t step = 0; step < blocks + crew->hosts - 1; step++) {
		uint64_t b = step - crew->host, end = 0;

		c->first = 0;
		if (b < blocks) {
			c->first = c->items * b / blocks;
			end = c->items * (b + 1) / blocks;
		}
		pc_call_crew(c->call, PC_SHARE_ALL, end - c->first, 1, PD_STORES_PLAIN, NULL, fold,
			     c);
	}
	pc_phase_end(c->call->phase_ns, PC_PHASE_PULL, start);
}

/* What is staged, to all hosts' own MRAM. */
static void chain_store(struct chain *c, pd_part_fn store)
{
	const uint64_t start = pc_phase_begin(c->call, PC_PHASE_PUSH);

	pc_call_crew(c->call, PC_SHARE_ALL, c->items, 1, c->call->work.stores, NULL, store, c);
	pc_phase_end(c->call->phase_ns, PC_PHASE_PUSH, start);
}

static void chain_to_buffers(struct chain *c)
{
	const uint64_t start = pc_phase_begin(c->call, PC_PHASE_HOST);

	pc_call_crew(c->call, PC_SHARE_ROOTS, c->items, 1, c->call->work.stores, NULL,
		     to_buffers_items, c);
	pc_phase_end(c->call->phase_ns, PC_PHASE_HOST, start);
}

static int make_rows(struct chain *c, struct pc_call *call)
{
	uint64_t words = pc_rows_words(call);

	return chain_make(c, call, words, pc_rows_acc_bytes(call, words), 1);
}

static int allreduce_staged_run(struct pc_call *call)
{
	struct chain c;
	int ret = make_rows(&c, call);

	if (ret)
		return ret;
	chain_fold(&c, fold_rows_items);
	chain_store(&c, spread_items);
	return 0;
}

static int reduce_staged_run(struct pc_call *call)
{
	struct chain c;
	int ret = make_rows(&c, call);

	if (ret)
		return ret;
	chain_fold(&c, fold_rows_items);
	chain_to_buffers(&c);
	return 0;
}

/* What `direct` does, with vectors in memory that all map instead of buffers. */
static int run_on_vectors(struct pc_call *call, uint8_t **vectors, int (*run)(struct pc_call *))
{
	struct pc_request req = *call->req;
	struct pc_call part = pc_call_derive(call, &req);
	const enum pc_phase phase = req.id == PC_REDUCE ? PC_PHASE_PULL : PC_PHASE_PUSH;
	const uint64_t start = pc_phase_begin(call, phase);
	int ret;

	for (uint32_t g = 0; g < req.shape->groups; g++)
		vectors[g] = (uint8_t *)req.hc->staging + g * req.bytes;
	req.bufs = vectors;
	part.work.share = PC_SHARE_ANY;
	ret = run(&part);
	pc_phase_end(call->phase_ns, phase, start);
	pc_call_add(call, &part);
	return ret;
}

static int shared_run(struct pc_call *call)
{
	const bool reduces = call->req->id == PC_REDUCE;
	uint8_t **vectors = malloc(call->req->shape->groups * sizeof(*vectors));
	int ret = vectors ? pc_staging(call, pc_results_bytes(call)) :
			    pd_error(ENOMEM, "no memory for vectors of %u groups",
				     call->req->shape->groups);

	if (!ret && !reduces)
		pc_stage_buffers(call, call->req->hc->staging, call->req->bytes, false);
	if (!ret)
		ret = run_on_vectors(call, vectors, reduces ? pc_reduce_direct.run :
							      pc_broadcast_direct.run);
	if (!ret && reduces)
		pc_stage_buffers(call, call->req->hc->staging, call->req->bytes, true);
	free(vectors);
	return ret;
}

static int reduce_scatter_staged_run(struct pc_call *call)
{
	uint64_t words = pc_item_chunk_words(call);
	struct chain c;
	int ret;

	ret = chain_make(&c, call, words, pc_item_chunk_bytes(call, words), call->req->shape->egs);
	if (ret)
		return ret;
	chain_fold(&c, fold_chunks_items);
	chain_store(&c, store_items);
	return 0;
}

/* a group's vector: all that is staged */
static uint8_t *staged_vector_of_group(const struct pc_call *call, uint32_t group, uint32_t rank)
{
	(void)rank;
	return (uint8_t *)call->req->hc->staging + group * call->req->bytes;
}

static int scatter_apart(struct pc_call *call)
{
	uint64_t bytes = call->req->shape->members * call->req->bytes;
	int ret = pc_staging(call, pc_vectors_bytes(call));

	if (ret)
		return ret;
	pc_stage_buffers(call, call->req->hc->staging, bytes, false);
	pc_push(call, call->req->dst, call->req->words, pc_staged_vector);
	return 0;
}

static int gather_apart(struct pc_call *call)
{
	uint64_t bytes = call->req->shape->members * call->req->bytes;
	int ret = pc_staging(call, pc_vectors_bytes(call));

	if (ret)
		return ret;
	pc_pull(call, call->req->src, call->req->words, pc_staged_vector);
	pc_stage_buffers(call, call->req->hc->staging, bytes, true);
	return 0;
}

/* a register for nl words of the groups' vectors, which lie in staging memory */
static uint64_t broadcast_items(void *ctx, uint64_t first, uint64_t count, enum pd_stores stores)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	const struct chain *c = ctx;
	struct pc_call call = pc_call_copy(c->call);
	const unsigned int groups = 8 / call.req->shape->lanes.nl;

	call.work.stores = stores;
	for (uint64_t i = first; i < first + count; i++) {
		struct pc_item l = link_of(c, i, 1);
		const uint8_t *from[8];

		if (l.e == l.end)
			continue;
		for (unsigned int g = 0; g < groups; g++)
			from[g] = staged_vector_of_group(&call, l.set * groups + g, 0);
		pc_item_rows_of(&call, &l, from, rows);
		pc_rows_spread_some(&call, &(struct pc_rows_part){ l.set, l.e, l.end, l.word, l.n },
				    rows);
	}
	pc_call_add(c->call, &call);
	return count;
}

static int broadcast_apart(struct pc_call *call)
{
	struct chain c = { .call = call, .tile_words = pc_rows_words(call) };
	int ret = pc_staging(call, pc_results_bytes(call));

	if (ret)
		return ret;
	c.tiles = (call->req->words + c.tile_words - 1) / c.tile_words;
	c.items = call->req->shape->sets * c.tiles;
	pc_stage_buffers(call, call->req->hc->staging, call->req->bytes, false);
	chain_store(&c, broadcast_items);
	return 0;
}

static int alltoall_staged_run(struct pc_call *call)
{
	return pc_alltoall_conventional.run(call);
}

static int allgather_staged_run(struct pc_call *call)
{
	return pc_allgather_conventional.run(call);
}

/* Where hosts share no memory, messages take its place. */
#define STAGED(id_, name_, run_, desc_)				\
	static int name_##_run(struct pc_call *call)		\
	{							\
		return call->req->crew->mail ? pc_mailed_run(call) : run_(call); \
	}							\
	const struct pc_algorithm pc_staged_##name_ = {		\
		.collective = PC_##id_,				\
		.name = "staged",				\
		.desc = desc_,					\
		.serves = PC_ALL_TYPES,				\
		.run = name_##_run,				\
	}

STAGED(ALLTOALL, alltoall, alltoall_staged_run, "pulled, rearranged in shared memory, pushed");
STAGED(REDUCE_SCATTER, reduce_scatter, reduce_scatter_staged_run,
       "each host folds its own members, one after the other");
STAGED(ALLREDUCE, allreduce, allreduce_staged_run,
       "each host folds its own members, one after the other");
STAGED(ALLGATHER, allgather, allgather_staged_run, "pulled into shared memory, pushed");
STAGED(SCATTER, scatter, scatter_apart, "through shared memory");
STAGED(GATHER, gather, gather_apart, "through shared memory");
STAGED(REDUCE, reduce, reduce_staged_run, "each host folds its own members, one after the other");
STAGED(BROADCAST, broadcast, broadcast_apart, "through shared memory");

#define SHARED(id_, name_, desc_)				\
	static const struct pc_algorithm shared_##name_ = {	\
		.collective = PC_##id_,				\
		.name = "shared",				\
		.desc = desc_,					\
		.serves = PC_ALL_TYPES,				\
		.run = shared_run,				\
	}

SHARED(REDUCE, reduce, "folds in registers into shared memory, which is copied");
SHARED(BROADCAST, broadcast, "copied into shared memory, from where all take it");

const struct pc_algorithm *pc_algorithm_shared(enum pc_collective id)
{
	return id == PC_REDUCE ? &shared_reduce : &shared_broadcast;
}

const struct pc_algorithm *pc_algorithm_staged(enum pc_collective id)
{
	static const struct pc_algorithm *const all[PC_NR_COLLECTIVES] = {
		[PC_ALLTOALL] = &pc_staged_alltoall,
		[PC_REDUCE_SCATTER] = &pc_staged_reduce_scatter,
		[PC_ALLREDUCE] = &pc_staged_allreduce,
		[PC_ALLGATHER] = &pc_staged_allgather,
		[PC_SCATTER] = &pc_staged_scatter,
		[PC_GATHER] = &pc_staged_gather,
		[PC_REDUCE] = &pc_staged_reduce,
		[PC_BROADCAST] = &pc_staged_broadcast,
	};

	return all[id];
}
