// SPDX-License-Identifier: MIT
/*
 * The items of a call whose hosts share no memory. They lie tile by tile, so that in place
 * nothing is overwritten that a host has not folded or sent yet: of allgather and
 * reduce_scatter the groups go by whose chunks lie where sources do, and of alltoall both
 * directions between two groups follow each other.
 */
#include "collectives/algorithms/mailed_items.h"
#include "collectives/parts/host_words.h"

/* words of each member in an item of scatter and gather */
#define VECTOR_WORDS	1024

/* the functions of a collective, what of it is vectors of words, and what lies in rows */
static const struct kind {
	pc_item_fn fold, make, take;
} kinds[PC_NR_COLLECTIVES] = {
	[PC_ALLTOALL] = { NULL, pc_item_exchange, pc_item_store_exchanged },
	[PC_REDUCE_SCATTER] = { pc_item_fold_chunk, NULL, pc_item_store_chunk },
	[PC_ALLREDUCE] = { pc_item_fold_rows, NULL, pc_item_spread_rows },
	[PC_ALLGATHER] = { NULL, pc_item_load_chunks, pc_item_spread_chunks },
	[PC_SCATTER] = { NULL, pc_item_of_vectors, pc_item_push },
	[PC_GATHER] = { NULL, pc_item_pull, pc_item_to_vectors },
	[PC_REDUCE] = { pc_item_fold_rows, NULL, pc_item_rows_to_buffers },
	[PC_BROADCAST] = { NULL, pc_item_of_buffers, pc_item_spread_rows },
};

/* the same without registers, where any are in use */
static const struct kind pulled[PC_NR_COLLECTIVES] = {
	[PC_ALLTOALL] = { NULL, pc_words_pull_pair, pc_words_push_pair },
	[PC_REDUCE_SCATTER] = { pc_words_fold_chunks, NULL, pc_words_store_chunks },
	[PC_ALLREDUCE] = { pc_words_fold, NULL, pc_words_spread },
	[PC_ALLGATHER] = { NULL, pc_item_pull, pc_words_spread_chunks },
	[PC_REDUCE] = { pc_words_fold, NULL, pc_words_to_buffers },
	[PC_BROADCAST] = { NULL, pc_words_of_buffers, pc_words_spread },
};

static bool is_of_rows(enum pc_collective id)
{
	return id == PC_ALLREDUCE || id == PC_REDUCE || id == PC_BROADCAST;
}

static bool is_of_vectors(enum pc_collective id)
{
	return id == PC_SCATTER || id == PC_GATHER;
}

/* a tile's words at most */
static uint64_t tile_words_of(const struct pc_call *call, bool pulls)
{
	const enum pc_collective id = call->req->id;

	if (is_of_vectors(id))
		return VECTOR_WORDS;
	if (pulls)
		return is_of_rows(id) ? PC_HOST_WORDS : PC_HOST_WORDS / 8;
	return is_of_rows(id) ? pc_rows_words(call) : pc_item_chunk_words(call);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Steps of so many, modulo n, come by all numbers below n, and by small and large in turn. */
static uint64_t even_step(uint64_t n)
{
	uint64_t step = n * 5 / 8 ? n * 5 / 8 : 1;

	while (common_divisor(n, step) > 1)
		step--;
	return step;
}

void pc_mailed_items(struct pc_mailed_items *m, const struct pc_call *call, bool conventional)
{
	const enum pc_collective id = call->req->id;
	const uint64_t egs = call->req->shape->egs;
	const bool pulls = conventional && !is_of_vectors(id);
	const struct kind *kind = pulls ? &pulled[id] : &kinds[id];

	*m = (struct pc_mailed_items){
		.call = call,
		.targets = is_of_rows(id) ? 1 : egs,
		.tile_words = tile_words_of(call, pulls),
		.pulls = pulls,
		.fold = kind->fold,
		.make = kind->make,
		.take = kind->take,
	};
	/* pairs, and an even number of groups alone: batches begin at even numbers */
	if (id == PC_ALLTOALL)
		m->targets = egs * egs + (egs & 1);
	m->tiles = (call->req->words + m->tile_words - 1) / m->tile_words;
	m->count = call->req->shape->sets * m->tiles * m->targets;
	m->distances = (egs - 1) / 2;
	m->step = even_step(m->distances);
}

uint64_t pc_mailed_acc_bytes(const struct pc_mailed_items *m, uint64_t n)
{
	if (m->pulls && is_of_rows(m->call->req->id))
		return pc_mailed_bytes(m, n) * (m->call->req->fold.widen ? 2 : 1);
	return is_of_rows(m->call->req->id) ? pc_rows_acc_bytes(m->call, n) :
					      pc_item_chunk_bytes(m->call, n);
}

uint64_t pc_mailed_bytes(const struct pc_mailed_items *m, uint64_t n)
{
	if (is_of_rows(m->call->req->id))
		return m->pulls ? 64 / m->call->req->shape->lanes.nl * n : 64 * pc_rows(m->call, n);
	return 64 * n * (m->call->req->id == PC_ALLTOALL ? m->call->req->shape->lanes.nl : 1);
}

/*
 * Two groups at a time, all groups with those so many places further before there is a next
 * distance: all hosts have as much to do. Short distances lie within hosts, and long ones
 * between them: they take turns, so that there is as much to send at any time.
 */
static bool find_pair(const struct pc_mailed_items *m, uint64_t q, struct pc_item *l)
{
	const uint64_t egs = m->call->req->shape->egs, pairs = egs * (egs - 1);
	uint64_t a = q / 2 % egs, distance = q / 2 / egs, b;

	if (distance < m->distances)
		distance = distance * m->step % m->distances;
	b = (a + 1 + distance) % egs;
	if (q >= pairs)
		a = b = q - pairs;
	l->t = (uint32_t)(q & 1 ? b : a);
	l->d = (uint32_t)(q & 1 ? a : b);
	return a < egs;
}

static uint32_t owner(const struct pc_call *call, const struct pc_item *l, uint32_t e)
{
	return pc_crew_owner(call->req->crew, pc_eg(call, l->set, e));
}

static uint32_t root_of(const struct pc_call *call, const struct pc_item *l)
{
	const struct pc_crew *crew = call->req->crew;

	return crew->root < crew->hosts ? crew->root : owner(call, l, 0);
}

static void find_ends(const struct pc_mailed_items *m, const struct pc_item *l,
		      struct pc_errand *e)
{
	const struct pc_call *call = m->call;

	*e = (struct pc_errand){ .set = l->set, .folds = m->fold, .from = PC_NOBODY,
				 .to = PC_EVERYBODY };
	switch (call->req->id) {
	case PC_ALLTOALL:
		e->from = owner(call, l, l->t);
		e->to = owner(call, l, l->d);
		break;
	case PC_ALLGATHER:
		e->from = owner(call, l, l->t);
		e->spreads = true;
		break;
	case PC_GATHER:
		e->from = owner(call, l, l->t);
		e->to = root_of(call, l);
		break;
	case PC_SCATTER:
		e->from = root_of(call, l);
		e->to = owner(call, l, l->t);
		break;
	case PC_BROADCAST:
		e->from = root_of(call, l);
		break;
	case PC_REDUCE_SCATTER:
		e->to = owner(call, l, l->t);
		break;
	case PC_REDUCE:
		e->to = root_of(call, l);
		break;
	default:
		break;
	}
}

bool pc_mailed_item(const struct pc_mailed_items *m, uint64_t item, struct pc_item *l,
		    struct pc_errand *e)
{
	const struct pc_call *call = m->call;
	const uint32_t egs = call->req->shape->egs;
	const uint64_t q = item % m->targets, at = item / m->targets;

	*l = (struct pc_item){
		.set = (uint32_t)(at / m->tiles),
		.word = at % m->tiles * m->tile_words,
		.t = (uint32_t)q,
	};
	l->n = call->req->words - l->word;
	if (l->n > m->tile_words)
		l->n = m->tile_words;
	/* whose chunk lies where sources do comes last */
	if (call->req->id == PC_ALLGATHER)
		l->t = egs - 1 - l->t;
	if (call->req->id == PC_ALLTOALL && !find_pair(m, q, l))
		return false;
	pc_crew_egs(call->req->crew, call->req->shape, l->set, &l->e, &l->end);
	find_ends(m, l, e);
	return true;
}
