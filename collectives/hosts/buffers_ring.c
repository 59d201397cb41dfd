// SPDX-License-Identifier: MIT
/*
 * The ring, as libraries of messages have it: p - 1 steps of folding, in each of which every
 * host takes a part from the one before it and adds its own, then p - 1 of passing results
 * on. Each message is copied into a slot and out of it.
 */
#include "collectives/hosts/buffers.h"

struct ring {
	struct pc_buffers_call *call;
	uint32_t p, r;
	uint64_t slice;
	uint32_t sent;
};

/* What is passed of a part: its bytes from `at` on, at most a slice. */
static uint64_t ring_piece(const struct ring *g, uint32_t x, uint64_t at, uint64_t *begin)
{
	uint64_t bytes = g->call->begins[x + 1] - g->call->begins[x];

	*begin = g->call->begins[x] + at;
	if (at >= bytes)
		return 0;
	return bytes - at < g->slice ? bytes - at : g->slice;
}

/* what is done with bytes that have come */
typedef void (*ring_take)(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
			  uint64_t bytes);

static uint8_t *ring_place(const struct ring *g, uint32_t host, uint32_t place)
{
	return g->call->h->scratch + (4 * (uint64_t)host + place) * g->slice;
}

/*
 * `out` bytes to the next host, `in` bytes from the one before. A slot is free when what
 * was in it two messages ago has been taken: its taker has then sent the one after it.
 */
static bool ring_pass(struct ring *g, const uint8_t *from, uint64_t out, uint8_t *to, uint64_t in,
		      ring_take take)
{
	struct pc_buffers_call *call = g->call;
	uint32_t next = (g->r + 1) % g->p, before = (g->r + g->p - 1) % g->p;

	if (g->sent >= 2 && !pc_buffers_wait(call, next, g->sent))
		return false;
	pc_buffers_copy(call, ring_place(g, g->r, g->sent & 1), from, out, false);
	pc_buffers_post(call, ++g->sent);
	if (!pc_buffers_wait(call, before, g->sent))
		return false;
	take(call, to, ring_place(g, before, ~g->sent & 1), in);
	return true;
}

static void take_to_fold(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
			 uint64_t bytes)
{
	pc_buffers_copy(call, to, from, bytes, false);
}

static void take_last(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
		      uint64_t bytes)
{
	pc_buffers_copy(call, to, from, bytes, true);
}

/* The fold of what is at `at` in every part: in the end this host has that of its own. */
static bool ring_fold(struct ring *g, uint64_t at)
{
	struct pc_buffers_call *call = g->call;
	uint8_t *taken = ring_place(g, g->r, 2), *held = ring_place(g, g->r, 3);

	for (uint32_t t = 0; t < g->p - 1; t++) {
		uint64_t begin, first;
		uint64_t out = ring_piece(g, (g->r + 2 * g->p - 1 - t) % g->p, at, &first);
		uint64_t in = ring_piece(g, (g->r + 2 * g->p - 2 - t) % g->p, at, &begin);

		if (!ring_pass(g, t ? held : call->src + first, out, taken, in, take_to_fold))
			return false;
		pc_buffers_into(call, t < g->p - 2 ? held :
				call->dst + (begin - call->out_begin), taken, call->src + begin,
				in);
	}
	return true;
}

static bool ring_gather(struct ring *g, uint64_t at)
{
	uint8_t *dst = g->call->dst;

	for (uint32_t t = 0; t < g->p - 1; t++) {
		uint64_t from, to;
		uint64_t out = ring_piece(g, (g->r + g->p - t) % g->p, at, &from);
		uint64_t in = ring_piece(g, (g->r + 2 * g->p - 1 - t) % g->p, at, &to);

		/* the next host gets all but the last of it from this one */
		if (!ring_pass(g, dst + from, out, dst + to, in,
			       t + 2 < g->p ? pc_buffers_hand_on : take_last))
			return false;
	}
	return true;
}

static void ring_run(struct pc_buffers_call *call)
{
	struct ring g = { .call = call, .p = call->h->hosts, .r = call->h->host,
			  .slice = pc_buffers_slice(call, PC_HOSTS_SLICE) };
	uint64_t most = 0;

	for (uint32_t x = 0; x < g.p; x++) {
		uint64_t bytes = call->begins[x + 1] - call->begins[x];

		most = bytes > most ? bytes : most;
	}
	for (uint64_t at = 0; at < most; at += g.slice) {
		if (!ring_fold(&g, at))
			return;
		if (call->kind == PC_HOSTS_ALLREDUCE && !ring_gather(&g, at))
			return;
	}
}

const struct pc_buffers_algorithm pc_buffers_ring = {
	.name = "ring",
	.desc = "a ring of messages, each copied in and out, to compare with",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER,
	.needs = PC_NEEDS_EXACT,
	.run = ring_run,
};
