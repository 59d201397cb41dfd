// SPDX-License-Identifier: MIT
/* Items of hosts that share no memory, pulled into host memory and pushed back. */
#include "collectives/parts/host_words.h"
#include "runtime/ranks/transfer.h"
#include "runtime/watch/count.h"

/* what has been pulled of an entangled group, and is folded next */
static _Thread_local _Alignas(64) uint8_t pulled[64 * PC_HOST_WORDS];

static uint32_t place_of(const struct pc_call *call, const struct pc_item *l, uint32_t e)
{
	return call->req->places[pc_eg(call, l->set, e)];
}

static void pull(struct pc_call *call, const struct pc_item *l, uint32_t e, uint64_t word,
		 uint8_t *to)
{
	uint8_t *bufs[8];

	for (unsigned int lane = 0; lane < 8; lane++)
		bufs[lane] = to + 8 * lane * l->n;
	pd_eg_get(call->req->sys, place_of(call, l, e), call->req->src + word, l->n,
		  (void *const *)bufs, PD_STORES_PLAIN);
	pc_count(&call->counts.blocks_read, l->n);
	pc_count(&call->counts.transfers, l->n);
	pc_count(&call->counts.host_written, 64 * l->n);
}

static void push(struct pc_call *call, const struct pc_item *l, uint32_t e, uint64_t word,
		 const uint8_t *const bufs[8])
{
	pd_eg_put(call->req->sys, place_of(call, l, e), call->req->dst + word, l->n,
		  (const void *const *)bufs, call->work.stores);
	pc_count(&call->counts.blocks_written, l->n);
	pc_count(&call->counts.transfers, l->n);
	pc_count(&call->counts.host_read, 64 * l->n);
}

/* n words of each group, from word `from` of the members on, at acc */
static void fold_words(struct pc_call *call, const struct pc_item *l, uint64_t from, uint8_t *acc)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const unsigned int groups = 8 / lanes->nl;
	const struct pc_fold *fold = &call->req->fold;
	const uint64_t bytes = 8 * l->n, wide = bytes * (fold->widen ? 2 : 1);

	for (uint32_t e = l->e; e < l->end; e++) {
		pull(call, l, e, from, pulled);
		for (unsigned int i = 0; i < 8; i++) {
			const unsigned int r = i / groups, g = i % groups;
			const uint8_t *in = pulled + bytes * lanes->lane[g][r];

			if (e || r)
				pc_fold_next(fold, acc + g * wide, in, bytes);
			else
				pc_fold_first(fold, acc + g * wide, in, bytes);
		}
		pc_count(&call->counts.host_read, 8 * bytes);
	}
	for (unsigned int g = 0; l->end == call->req->shape->egs && g < groups; g++)
		pc_fold_last(fold, acc + g * bytes, acc + g * wide, bytes);
}

/* `vectors` times n words of each group, vector i from word l->word + i * step of members on */
static void fold_vectors(struct pc_call *call, const struct pc_item *l, uint64_t first,
			 unsigned int vectors, uint64_t step)
{
	_Alignas(64) uint8_t acc[2 * 64 * PC_HOST_WORDS];
	const bool last = l->end == call->req->shape->egs;
	const uint64_t bytes = 64 / call->req->shape->lanes.nl * l->n;
	const uint64_t wide = bytes * (call->req->fold.widen ? 2 : 1);

	for (unsigned int i = 0; i < vectors; i++) {
		if (l->e) {
			pd_copy(acc, l->place + i * wide, wide);
			pc_count(&call->counts.host_read, wide);
		}
		fold_words(call, l, first + i * step, acc);
		pd_copy(l->place + i * (last ? bytes : wide), acc, last ? bytes : wide);
		pc_count(&call->counts.host_written, last ? bytes : wide);
	}
}

void pc_words_fold(struct pc_call *call, const struct pc_item *l)
{
	fold_vectors(call, l, l->word, 1, 0);
}

void pc_words_fold_chunks(struct pc_call *call, const struct pc_item *l)
{
	const unsigned int nl = call->req->shape->lanes.nl;

	fold_vectors(call, l, l->t * nl * call->req->words + l->word, nl, call->req->words);
}

void pc_words_spread(struct pc_call *call, const struct pc_item *l)
{
	const uint8_t *bufs[8];

	for (unsigned int lane = 0; lane < 8; lane++)
		bufs[lane] = l->place + 8 * l->n * call->req->shape->lanes.group[lane];
	for (uint32_t e = l->e; e < l->end; e++)
		push(call, l, e, l->word, bufs);
}

void pc_words_store_chunks(struct pc_call *call, const struct pc_item *l)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const uint8_t *bufs[8];

	for (unsigned int lane = 0; lane < 8; lane++)
		bufs[lane] = l->place + 8 * l->n * (lanes->rank[lane] * (8 / lanes->nl) +
						    lanes->group[lane]);
	push(call, l, l->t, l->word, bufs);
}

static void copy_words(struct pc_call *call, const struct pc_item *l, bool to_buffers)
{
	const unsigned int groups = 8 / call->req->shape->lanes.nl;

	for (unsigned int g = 0; g < groups; g++) {
		uint8_t *buf = call->req->bufs[l->set * groups + g] + 8 * l->word;
		uint8_t *place = l->place + 8 * l->n * g;

		pd_copy(to_buffers ? buf : place, to_buffers ? place : buf, 8 * l->n);
	}
	pc_count(&call->counts.host_read, 8 * l->n * groups);
	pc_count(&call->counts.host_written, 8 * l->n * groups);
}

void pc_words_to_buffers(struct pc_call *call, const struct pc_item *l)
{
	copy_words(call, l, true);
}

void pc_words_of_buffers(struct pc_call *call, const struct pc_item *l)
{
	copy_words(call, l, false);
}

/* Rank r's words to all members, for every r of group t. */
void pc_words_spread_chunks(struct pc_call *call, const struct pc_item *l)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const uint8_t *bufs[8];

	for (unsigned int r = 0; r < lanes->nl; r++) {
		for (unsigned int lane = 0; lane < 8; lane++)
			bufs[lane] = l->place + 8 * l->n * lanes->lane[lanes->group[lane]][r];
		for (uint32_t e = l->e; e < l->end; e++)
			push(call, l, e, (l->t * lanes->nl + r) * call->req->words + l->word, bufs);
	}
}

/* Chunks for rank r of group d lie together, lane by lane of those that they come from. */
void pc_words_pull_pair(struct pc_call *call, const struct pc_item *l)
{
	const unsigned int nl = call->req->shape->lanes.nl;

	for (unsigned int r = 0; r < nl; r++)
		pull(call, l, l->t, (l->d * nl + r) * call->req->words + l->word,
		     l->place + 64 * l->n * r);
}

void pc_words_push_pair(struct pc_call *call, const struct pc_item *l)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const uint8_t *bufs[8];

	for (unsigned int r = 0; r < lanes->nl; r++) {
		for (unsigned int lane = 0; lane < 8; lane++)
			bufs[lane] = l->place + 64 * l->n * lanes->rank[lane] +
				     8 * l->n * lanes->lane[lanes->group[lane]][r];
		push(call, l, l->d, (l->t * lanes->nl + r) * call->req->words + l->word, bufs);
	}
}
