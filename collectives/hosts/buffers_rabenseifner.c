// SPDX-License-Identifier: MIT
/*
 * Rabenseifner's algorithm, as libraries of messages have it: groups of hosts halve, each half
 * gets the parts that are its own from the other one, down to single hosts; back up they hand
 * each other results. Where a group is odd, one host takes two messages: the volume is the same
 * for every number of hosts. Each message is copied into a box and out of it.
 */
#include "collectives/hosts/buffers.h"

struct halving {
	struct pc_buffers_call *call;
	uint32_t p, r;
	uint64_t slice, at;	/* of each part, and where in it this round is */
	uint32_t step;		/* messages' so far, of all hosts alike */
	uint32_t readers[2], nr_readers;	/* of this host's box */
	bool raw;		/* what this host has folded is its source alone */
};

/* a group of hosts, and its halves; of an odd one the second has one more */
struct halves {
	uint32_t lo, mid, hi;
};

static uint64_t halving_piece(const struct halving *v, uint32_t x)
{
	uint64_t bytes = v->call->begins[x + 1] - v->call->begins[x];

	if (v->at >= bytes)
		return 0;
	return bytes - v->at < v->slice ? bytes - v->at : v->slice;
}

/* A host's places: boxes of two messages, what it takes out of others', what it has folded. */
enum halving_places { BOX, SECOND_BOX, TAKEN, HELD, PLACES };

static uint8_t *halving_place(const struct halving *v, uint32_t host, enum halving_places place)
{
	return v->call->h->scratch + (PLACES * (uint64_t)host + place) * v->p * v->slice;
}

static uint8_t *halving_held(const struct halving *v, uint32_t x)
{
	return halving_place(v, v->r, HELD) + x * v->slice;
}

static uint8_t *halving_result(const struct halving *v, uint32_t x)
{
	return v->call->dst + (v->call->begins[x] + v->at - v->call->out_begin);
}

static const uint8_t *halving_own(const struct halving *v, uint32_t x)
{
	return v->raw ? v->call->src + v->call->begins[x] + v->at : halving_held(v, x);
}

/* Who takes this host's message: its like in the other half, and an odd one out. */
static void find_readers(struct halving *v, const struct halves *g, bool folds)
{
	const bool odd = g->hi - g->mid > g->mid - g->lo;
	const uint32_t like = v->r < g->mid ? v->r - g->lo + g->mid : v->r - g->mid + g->lo;

	v->nr_readers = 0;
	if (like != g->mid || v->r < g->mid)
		v->readers[v->nr_readers++] = like;
	else if (folds)
		v->readers[v->nr_readers++] = g->mid - 1;
	if (odd && !folds && v->r == g->mid - 1)
		v->readers[v->nr_readers++] = g->hi - 1;
}

/* Whose messages this host takes. */
static uint32_t find_senders(const struct halving *v, const struct halves *g, bool folds,
			     uint32_t senders[2])
{
	const bool odd = g->hi - g->mid > g->mid - g->lo;
	uint32_t n = 0;

	if (v->r < g->mid) {
		senders[n++] = v->r - g->lo + g->mid;
		if (odd && folds && v->r == g->mid - 1)
			senders[n++] = g->hi - 1;
	} else if (v->r - g->mid < g->mid - g->lo) {
		senders[n++] = v->r - g->mid + g->lo;
	} else if (!folds) {
		senders[n++] = g->mid - 1;
	}
	return n;
}

/* Parts [a, b), a message for each reader. */
static void halving_send(struct halving *v, uint32_t a, uint32_t b, bool folds)
{
	for (uint32_t i = 0; i < v->nr_readers; i++) {
		uint8_t *box = halving_place(v, v->r, i ? SECOND_BOX : BOX);

		for (uint32_t x = a; x < b; x++)
			pc_buffers_copy(v->call, box + (x - a) * v->slice,
					folds ? halving_own(v, x) : halving_result(v, x),
					halving_piece(v, x), false);
	}
	pc_buffers_post(v->call, 2 * v->step + 1);
}

static void halving_fold(struct halving *v, uint32_t a, uint32_t b, bool first)
{
	const uint8_t *taken = halving_place(v, v->r, TAKEN);

	for (uint32_t x = a; x < b; x++) {
		uint8_t *to = b - a == 1 ? halving_result(v, x) : halving_held(v, x);
		const uint8_t *in = taken + (x - a) * v->slice;

		if (first)
			pc_buffers_into(v->call, to, in, halving_own(v, x), halving_piece(v, x));
		else
			pc_buffers_merge(v->call, to, in, halving_piece(v, x));
	}
}

/* Parts [a, b) out of another host's box: to be folded, or as results. */
static bool halving_take(struct halving *v, const struct halves *g, uint32_t sender, uint32_t a,
			 uint32_t b, bool folds)
{
	/* an odd one out takes the second of its sender's results */
	const bool second = !folds && v->r >= g->mid && v->r - g->mid == g->mid - g->lo;
	const uint8_t *box = halving_place(v, sender, second ? SECOND_BOX : BOX);
	uint8_t *taken = halving_place(v, v->r, TAKEN);

	if (!pc_buffers_wait(v->call, sender, 2 * v->step + 1))
		return false;
	for (uint32_t x = a; x < b; x++)
		pc_buffers_copy(v->call, folds ? taken + (x - a) * v->slice : halving_result(v, x),
				box + (x - a) * v->slice, halving_piece(v, x), !folds);
	return true;
}

/* One step of a group: messages there and back between its halves. */
static bool halving_step(struct halving *v, const struct halves *g, bool folds)
{
	const bool low = v->r < g->mid;
	const uint32_t own[2] = { low ? g->lo : g->mid, low ? g->mid : g->hi };
	const uint32_t other[2] = { low ? g->mid : g->lo, low ? g->hi : g->mid };
	const uint32_t *sends = folds ? other : own, *takes = folds ? own : other;
	uint32_t senders[2], n = find_senders(v, g, folds, senders);

	for (uint32_t i = 0; i < v->nr_readers; i++) {
		if (!pc_buffers_wait(v->call, v->readers[i], 2 * v->step))
			return false;
	}
	find_readers(v, g, folds);
	halving_send(v, sends[0], sends[1], folds);
	for (uint32_t i = 0; i < n; i++) {
		if (!halving_take(v, g, senders[i], takes[0], takes[1], folds))
			return false;
		if (folds)
			halving_fold(v, takes[0], takes[1], !i);
	}
	v->raw = v->raw && !(folds && n);
	return true;
}

/* The group that this host is in after so many halvings; one of one host stays so. */
static struct halves halves_at(const struct halving *v, uint32_t depth)
{
	struct halves g = { 0, v->p / 2, v->p };

	while (depth-- && g.hi - g.lo > 1) {
		if (v->r < g.mid)
			g.hi = g.mid;
		else
			g.lo = g.mid;
		g.mid = g.lo + (g.hi - g.lo) / 2;
	}
	return g;
}

/* What a step is to all hosts, to those too that have nothing to do in it. */
static bool halving_at(struct halving *v, uint32_t depth, bool folds)
{
	struct halves g = halves_at(v, depth);
	bool ok = g.hi - g.lo == 1 || halving_step(v, &g, folds);

	pc_buffers_post(v->call, 2 * ++v->step);
	return ok;
}

static bool halving_round(struct halving *v, uint32_t depths)
{
	v->raw = true;
	for (uint32_t depth = 0; depth < depths; depth++) {
		if (!halving_at(v, depth, true))
			return false;
	}
	for (uint32_t depth = depths; depth-- && v->call->kind == PC_HOSTS_ALLREDUCE;) {
		if (!halving_at(v, depth, false))
			return false;
	}
	return true;
}

static void rabenseifner_run(struct pc_buffers_call *call)
{
	struct halving v = { .call = call, .p = call->h->hosts, .r = call->h->host };
	uint32_t depths = 0;
	uint64_t most = 0;

	v.slice = pc_buffers_slice(call, PC_HOSTS_SLICE / v.p / 64 * 64);
	while (1u << depths < v.p)
		depths++;
	for (uint32_t x = 0; x < v.p; x++) {
		uint64_t bytes = call->begins[x + 1] - call->begins[x];

		most = bytes > most ? bytes : most;
	}
	for (; v.at < most; v.at += v.slice) {
		if (!halving_round(&v, depths))
			return;
	}
}

const struct pc_buffers_algorithm pc_buffers_rabenseifner = {
	.name = "rabenseifner",
	.desc = "groups halve, and double again: messages, each copied in and out, to compare with",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER,
	.needs = PC_NEEDS_EXACT,
	.run = rabenseifner_run,
};
