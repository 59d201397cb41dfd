// SPDX-License-Identifier: MIT
/*
 * Data-partitioning multi-leader reductions: all hosts copy in all they have, each folds one
 * part of all copies in the order of the hosts. On two levels, sockets fold apart first.
 */
#include "collectives/hosts/buffers.h"

struct dpml {
	struct pc_buffers_call *call;
	uint64_t slice, round_bytes;	/* p slices a round */
	uint32_t p, r;
	uint8_t *copies, *results;
};

static uint8_t *dpml_copy(const struct dpml *d, uint32_t host)
{
	return d->copies + host * d->round_bytes * d->call->wide;
}

/* The slice of host x in a round: where in the round, and how long. */
static uint64_t dpml_slice(const struct dpml *d, uint64_t n, uint32_t x, uint64_t *at)
{
	*at = x * d->slice;
	if (*at >= n)
		return 0;
	return n - *at < d->slice ? n - *at : d->slice;
}

static void dpml_make(struct dpml *d, struct pc_buffers_call *call)
{
	d->call = call;
	d->p = call->h->hosts;
	d->r = call->h->host;
	d->slice = pc_buffers_slice(call, PC_HOSTS_SMALL_SLICE);
	d->round_bytes = d->p * d->slice;
	d->copies = call->h->scratch;
	d->results = dpml_copy(d, d->p);
}

/*
 * One round, of the vector from `begin` on. Steps: this host has copied in, has folded,
 * has received. The copy of the next round waits for the latter two of all.
 */
static bool dpml_round(struct dpml *d, uint32_t round, void (*fold)(struct dpml *, uint64_t))
{
	struct pc_buffers_call *call = d->call;
	uint64_t begin = round * d->round_bytes, n = call->bytes - begin;

	n = n < d->round_bytes ? n : d->round_bytes;
	if (round && !pc_buffers_wait_all(call, 3 * round))
		return false;
	pc_buffers_first(call, dpml_copy(d, d->r), call->src + begin, n);
	pc_buffers_post(call, 3 * round + 1);
	if (!pc_buffers_wait_all(call, 3 * round + 1))
		return false;
	fold(d, n);
	pc_buffers_post(call, 3 * round + 2);
	if (call->out_begin < call->out_end) {
		if (!pc_buffers_wait_all(call, 3 * round + 2))
			return false;
		pc_buffers_receive(call, d->results, begin, n);
	}
	pc_buffers_post(call, 3 * round + 3);
	return true;
}

static void dpml_rounds(struct dpml *d, void (*fold)(struct dpml *, uint64_t))
{
	const uint64_t rounds = (d->call->bytes + d->round_bytes - 1) / d->round_bytes;

	for (uint32_t round = 0; round < rounds; round++) {
		if (!dpml_round(d, round, fold))
			return;
	}
}

/* an accumulator's bytes, as they are */
static void dpml_begin(struct dpml *d, uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	pc_buffers_copy(d->call, to, from, bytes * d->call->wide, false);
}

static void dpml_fold(struct dpml *d, uint64_t n)
{
	uint64_t at, bytes = dpml_slice(d, n, d->r, &at);
	const unsigned int wide = d->call->wide;

	if (!bytes)
		return;
	dpml_begin(d, d->results + at * wide, dpml_copy(d, 0) + at * wide, bytes);
	for (uint32_t i = 1; i < d->p; i++)
		pc_buffers_merge(d->call, d->results + at * wide, dpml_copy(d, i) + at * wide,
				 bytes);
}

static void dpml_run(struct pc_buffers_call *call)
{
	struct dpml d;

	dpml_make(&d, call);
	dpml_rounds(&d, dpml_fold);
}

const struct pc_buffers_algorithm pc_buffers_dpml = {
	.name = "dpml",
	.desc = "all hosts copy in, each folds one part of all copies",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE,
	.run = dpml_run,
};
