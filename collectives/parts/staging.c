// SPDX-License-Identifier: MIT
/* Pulls and pushes between MRAM and a host buffer for each member. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/watch/count.h"
#include "runtime/base/error.h"
#include "collectives/parts/staging.h"
#include "runtime/ranks/transfer.h"

/* words of each member in an item; half as many of two groups that share lines */
#define TILE_WORDS 2048

/* pc_pull() and pc_push() in pieces */
struct move {
	struct pc_call *call;
	uint64_t word, words, tile_words, tiles;
	pc_where where;
	bool to_mram;
	/*
	 * As in pc_shape, else 0: an item is words of both groups that share
	 * lines. Who reads those reads memory in order; who stores gains nothing.
	 */
	uint32_t groups, twins, pairs;
	enum pd_stores stores;	/* where there is no trial */
	enum pc_share share;	/* of hosts */
	_Atomic uint64_t moved;	/* words by groups, of this one where there are several */
};

/* where the words of an entangled group's PEs are, on the host's side */
static void find_buffers(const struct move *m, uint32_t set, uint32_t e, uint64_t word,
			 uint8_t *bufs[PIMDIMM_CHIPS])
{
	const struct pc_lanes *lanes = &m->call->req->shape->lanes;
	uint32_t group = pc_group(m->call->req->shape, set, 0);
	uint32_t rank = e * lanes->nl;

	for (unsigned int lane = 0; lane < PIMDIMM_CHIPS; lane++)
		bufs[lane] = m->where(m->call, group + lanes->group[lane],
				      rank + lanes->rank[lane]) +
			     8 * word;
}

static void staging_move_eg(const struct move *m, uint32_t set, uint32_t e,
			    uint64_t word, uint64_t n, enum pd_stores stores)
{
	struct pc_call *call = m->call;
	uint32_t eg = call->req->places[pc_eg(call, set, e)];
	uint8_t *bufs[PIMDIMM_CHIPS];

	find_buffers(m, set, e, word, bufs);
	if (m->to_mram)
		pd_eg_put(call->req->sys, eg, m->word + word, n,
			  (const void *const *)bufs, stores);
	else
		pd_eg_get(call->req->sys, eg, m->word + word, n,
			  (void *const *)bufs, stores);
}

/* of both groups that share lines */
static void staging_pull_pair(const struct move *m, uint32_t set, uint32_t e,
			      uint64_t word, uint64_t n, enum pd_stores stores)
{
	struct pc_call *call = m->call;
	uint8_t *bufs[2 * PIMDIMM_CHIPS];

	find_buffers(m, set, e, word, bufs);
	find_buffers(m, set + m->twins, e + m->pairs, word, bufs + PIMDIMM_CHIPS);
	pd_pair_get(call->req->sys, call->req->places[pc_eg(call, set, e)], m->word + word,
		    n, (void *const *)bufs, stores);
}

/* an item: words of an entangled group of a set, or the first of two */
struct place {
	uint64_t tile;
	uint32_t set, e;
};

/* the next one, without a division: these are slow beside a small item */
static void next_staged(const struct move *m, struct place *p)
{
	if (++p->tile < m->tiles)
		return;
	p->tile = 0;
	if (++p->e & m->pairs)	/* these have been */
		p->e += m->pairs;
	if (p->e < m->call->req->shape->egs)
		return;
	p->e = 0;
	if (++p->set & m->twins)
		p->set += m->twins;
}

/* the n-th number that has not this bit, or of all where there is none */
static uint32_t without(uint32_t bit, uint32_t n)
{
	return bit ? n / bit * 2 * bit + n % bit : n;
}

static struct place place_of(const struct move *m, uint64_t item)
{
	uint32_t egs = m->call->req->shape->egs, eg;

	if (!item)
		return (struct place){ 0 };
	if (m->pairs)
		egs /= 2;
	eg = (uint32_t)(item / m->tiles);
	return (struct place){ item % m->tiles, without(m->twins, eg / egs),
			       without(m->pairs, eg % egs) };
}

/* Groups that share lines are of one host. */
static bool is_own(const struct move *m, const struct place *p)
{
	const struct pc_crew *crew = m->call->req->crew;

	return !crew || m->share != PC_SHARE_ALL ||
	       pc_crew_has(crew, pc_eg(m->call, p->set, p->e));
}

static uint64_t staging_move_work(void *ctx, uint64_t first, uint64_t count,
				  enum pd_stores stores)
{
	struct move *m = ctx;
	struct place p = place_of(m, first);
	uint64_t work = 0;

	for (; count--; next_staged(m, &p)) {
		uint64_t word = p.tile * m->tile_words;
		uint64_t n = m->words - word;

		if (n > m->tile_words)
			n = m->tile_words;
		if (!is_own(m, &p))
			continue;
		(m->groups > 1 ? staging_pull_pair : staging_move_eg)(m, p.set, p.e, word, n,
								      stores);
		work += n;
	}
	if (m->call->req->crew)
		atomic_fetch_add(&m->moved, m->groups * work);
	return work;
}

static void staging_move_items(void *ctx, uint64_t first, uint64_t count)
{
	const struct move *m = ctx;

	staging_move_work(ctx, first, count, m->stores);
}

static void count_moved(struct pc_call *call, bool to_mram, uint64_t blocks)
{
	pc_count(&call->counts.transfers, blocks);
	pc_count(to_mram ? &call->counts.blocks_written
			 : &call->counts.blocks_read,
		 blocks);
	pc_count(to_mram ? &call->counts.host_read : &call->counts.host_written,
		 64 * blocks);
}

/* trial: of other ways to store; NULL: there are none */
static void staging_move(struct pc_call *call, uint64_t word, uint64_t words,
			 pc_where where, bool to_mram, enum pd_stores stores,
			 struct pd_trial *trial, enum pc_share share)
{
	struct pd_workers *workers = call->req->sys->workers;
	const struct pc_shape *s = call->req->shape;
	uint64_t egs = call->req->hc->cube.nr_pes / 8, items = egs;
	struct move m = {
		.call = call,
		.word = word,
		.words = words,
		.tile_words = TILE_WORDS,
		.where = where,
		.to_mram = to_mram,
		.groups = 1,
		.stores = stores,
		.share = share,
	};
	uint64_t grain = words < TILE_WORDS ? TILE_WORDS / words : 1;

	if (!to_mram && (s->twins || s->pairs)) {
		m.groups = 2;
		m.twins = s->twins;
		m.pairs = s->pairs;
		m.tile_words /= 2;
		items /= 2;
	}
	m.tiles = (words + m.tile_words - 1) / m.tile_words;
	items *= m.tiles;
	if (call->req->crew) {
		pc_call_crew(call, m.share, items, grain, stores, trial,
			    staging_move_work, &m);
		count_moved(call, to_mram, m.moved);
		return;
	}
	if (trial)
		pd_trial_run(trial, workers, items, grain, staging_move_work,
			     &m);
	else
		pd_workers_run(workers, items, grain, staging_move_items, &m);
	count_moved(call, to_mram, egs * words);
}

void pc_gather_pieces(struct pc_call *call, pc_where where)
{
	staging_move(call, call->req->src, call->req->words, where, false,
		     call->work.stores, call->work.trial, call->work.share);
}

void pc_scatter_pieces(struct pc_call *call, pc_where where)
{
	staging_move(call, call->req->dst, call->req->words, where, true,
		     call->work.stores, call->work.trial, call->work.share);
}

void pc_pull(struct pc_call *call, uint64_t word, uint64_t words,
	     pc_where where)
{
	uint64_t start = pc_phase_begin(call, PC_PHASE_PULL);

	/* what is pulled is worked on next */
	staging_move(call, word, words, where, false, PD_STORES_PLAIN, NULL,
		     PC_SHARE_ALL);
	pc_phase_end(call->phase_ns, PC_PHASE_PULL, start);
}

void pc_push(struct pc_call *call, uint64_t word, uint64_t words,
	     pc_where where)
{
	uint64_t start = pc_phase_begin(call, PC_PHASE_PUSH);

	/* of several hosts, who has a group's buffer alone can read it */
	staging_move(call, word, words, where, true, call->work.stores, NULL,
		     where == pc_group_buffer ? PC_SHARE_ROOTS : PC_SHARE_ALL);
	pc_phase_end(call->phase_ns, PC_PHASE_PUSH, start);
}

/* All hosts come here, with the same bytes; they keep what is found too small. */
static int staging_of_crew(struct pc_call *call, uint64_t bytes)
{
	struct pc_crew *crew = call->req->crew;
	struct pidcomm *hc = call->req->hc;

	hc->staging = crew->staging(crew, bytes);
	if (!hc->staging)
		return crew->err;
	hc->staging_bytes = bytes;
	return 0;
}

int pc_staging(struct pc_call *call, uint64_t bytes)
{
	struct pidcomm *hc = call->req->hc;

	if (bytes <= hc->staging_bytes)
		return 0;
	hc->staging_bytes = 0;
	bytes = (bytes + 4095) & ~UINT64_C(4095);
	if (call->req->crew)
		return staging_of_crew(call, bytes);
	free(hc->staging);
	hc->staging = aligned_alloc(4096, bytes);
	if (!hc->staging)
		return pd_error(ENOMEM,
				"%s: no memory for %llu bytes of staging",
				pc_collective_name(call->req->id),
				(unsigned long long)bytes);
	hc->staging_bytes = bytes;
	return 0;
}

uint64_t pc_vectors_bytes(const struct pc_call *call)
{
	return call->req->hc->cube.nr_pes * call->req->bytes;
}

uint64_t pc_results_bytes(const struct pc_call *call)
{
	return call->req->shape->groups * call->req->bytes;
}

uint8_t *pc_staged_vector(const struct pc_call *call, uint32_t group,
			  uint32_t rank)
{
	return (uint8_t *)call->req->hc->staging +
	       ((uint64_t)group * call->req->shape->members + rank) *
		       call->req->bytes;
}

uint8_t *pc_staged_result(const struct pc_call *call, uint32_t group,
			  uint32_t rank)
{
	(void)rank;
	return (uint8_t *)call->req->hc->staging + pc_vectors_bytes(call) +
	       group * call->req->bytes;
}

uint8_t *pc_group_buffer(const struct pc_call *call, uint32_t group,
			 uint32_t rank)
{
	(void)rank;
	return call->req->bufs[group];
}

/* a run of items that stores as it likes */
struct plain_items {
	pd_work_fn fn;
	void *ctx;
};

static uint64_t staging_plain_work(void *ctx, uint64_t first, uint64_t count,
				   enum pd_stores stores)
{
	const struct plain_items *items = ctx;

	(void)stores;
	items->fn(items->ctx, first, count);
	return count;
}

void pc_in_host_memory(struct pc_call *call, enum pc_share share, uint64_t items,
		       uint64_t grain, pd_work_fn fn, void *ctx)
{
	struct plain_items plain = { fn, ctx };

	if (call->req->crew)
		pc_call_crew(call, share, items, grain, PD_STORES_PLAIN,
			    NULL, staging_plain_work, &plain);
	else
		pd_workers_run(call->req->sys->workers, items, grain, fn, ctx);
}

bool pc_is_apart(const struct pc_call *call)
{
	return call->req->crew && !call->req->crew->mapped;
}

/* buffers of groups, and their places in staging memory */
struct staged_buffers {
	struct pc_call *call;
	uint8_t *staged;
	uint64_t bytes;
	bool to_buffers;
};

static void stage_buffers_work(void *ctx, uint64_t first, uint64_t count)
{
	const struct staged_buffers *b = ctx;
	struct pc_call own = pc_call_copy(b->call);

	for (uint64_t g = first; g < first + count; g++) {
		uint8_t *at = b->staged + g * b->bytes, *buf = own.req->bufs[g];

		pd_copy(b->to_buffers ? buf : at, b->to_buffers ? at : buf, b->bytes);
	}
	pc_count(&own.counts.host_read, count * b->bytes);
	pc_count(&own.counts.host_written, count * b->bytes);
	pc_call_add(b->call, &own);
}

void pc_stage_buffers(struct pc_call *call, uint8_t *staged, uint64_t bytes, bool to_buffers)
{
	struct staged_buffers b = { call, staged, bytes, to_buffers };
	const uint64_t start = pc_phase_begin(call, PC_PHASE_HOST);

	pc_in_host_memory(call, PC_SHARE_ROOTS, call->req->shape->groups, 1, stage_buffers_work,
			  &b);
	pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
}

/* pc_reduce_staged() in pieces of a group's vector */
struct reduction {
	struct pc_call *call;
	pc_where result;
	uint64_t pieces;
	_Atomic uint64_t folded;	/* bytes of results, by this host */
};

static void staging_reduce_piece(const struct reduction *r, uint32_t group,
				 uint64_t at, uint64_t bytes)
{
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];
	const struct pc_call *call = r->call;

	pc_fold_first(&call->req->fold, acc,
		      pc_staged_vector(call, group, 0) + at, bytes);
	for (uint32_t rank = 1; rank < call->req->shape->members; rank++)
		pc_fold_next(&call->req->fold, acc,
			     pc_staged_vector(call, group, rank) + at, bytes);
	pc_fold_last(&call->req->fold, acc, acc, bytes);
	pd_copy(r->result(call, group, 0) + at, acc, bytes);
}

static void staging_reduce_work(void *ctx, uint64_t first, uint64_t count)
{
	struct reduction *r = ctx;
	uint64_t folded = 0;

	for (uint64_t i = first; i < first + count; i++) {
		uint64_t at = i % r->pieces * PC_FOLD_BYTES;
		uint64_t bytes = r->call->req->bytes - at;

		if (bytes > PC_FOLD_BYTES)
			bytes = PC_FOLD_BYTES;
		staging_reduce_piece(r, (uint32_t)(i / r->pieces), at, bytes);
		folded += bytes;
	}
	atomic_fetch_add(&r->folded, folded);
}

void pc_reduce_staged(struct pc_call *call, pc_where result)
{
	struct reduction r = {
		.call = call,
		.result = result,
		.pieces =
			(call->req->bytes + PC_FOLD_BYTES - 1) / PC_FOLD_BYTES,
	};
	uint64_t start;

	pc_pull(call, call->req->src, call->req->bytes / 8, pc_staged_vector);
	start = pc_phase_begin(call, PC_PHASE_HOST);
	pc_in_host_memory(call,
			  result == pc_group_buffer ? PC_SHARE_ROOTS : PC_SHARE_ANY,
			  call->req->shape->groups * r.pieces, 1,
			  staging_reduce_work, &r);
	pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
	pc_count(&call->counts.host_read, r.folded * call->req->shape->members);
	pc_count(&call->counts.host_written, r.folded);
}
