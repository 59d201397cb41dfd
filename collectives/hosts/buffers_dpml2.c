// SPDX-License-Identifier: MIT
/*
 * Data-partitioning multi-leader reductions on two levels (YHCCL, section III), for small
 * vectors: all hosts copy in, those of a socket fold its copies, each a part; then all combine
 * the sockets' results.
 */
#include "collectives/hosts/buffers.h"

struct dpml2 {
	struct pc_buffers_call *call;
	uint32_t p, r, m, q;	/* m sockets of q hosts */
	uint64_t round_bytes;
};

static uint8_t *dpml2_copy(const struct dpml2 *d, uint32_t host)
{
	return d->call->h->scratch + host * d->round_bytes;
}

/* Of a socket of one host its copy is the result. */
static uint8_t *dpml2_result(const struct dpml2 *d, uint32_t socket)
{
	return dpml2_copy(d, d->q > 1 ? d->p + socket : socket);
}

/* Part x of a round's n bytes, cut for `parts`: whole lines. */
static uint64_t dpml2_part(uint64_t n, uint32_t x, uint32_t parts, uint64_t *at)
{
	uint64_t part = ((n + parts - 1) / parts + 63) / 64 * 64;

	*at = x * part;
	if (*at >= n)
		return 0;
	return n - *at < part ? n - *at : part;
}

/* This host's part of its socket's copies. */
static void dpml2_fold(const struct dpml2 *d, uint64_t n)
{
	const uint32_t first = d->r - d->r % d->q;
	uint64_t at, bytes = dpml2_part(n, d->r % d->q, d->q, &at);
	uint8_t *to = dpml2_result(d, d->r / d->q) + at;

	if (!bytes || d->q == 1)
		return;
	pc_buffers_into(d->call, to, dpml2_copy(d, first) + at, dpml2_copy(d, first + 1) + at,
			bytes);
	for (uint32_t i = 2; i < d->q; i++)
		pc_buffers_merge(d->call, to, dpml2_copy(d, first + i) + at, bytes);
}

/* This host's part of all sockets' results, into those of the first one. */
static void dpml2_combine(const struct dpml2 *d, uint64_t n)
{
	uint64_t at, bytes = dpml2_part(n, d->r, d->p, &at);

	for (uint32_t i = 1; bytes && i < d->m; i++)
		pc_buffers_merge(d->call, dpml2_result(d, 0) + at, dpml2_result(d, i) + at, bytes);
}

/* Steps: this host has copied in, folded, combined, received. */
static bool dpml2_round(const struct dpml2 *d, uint32_t round)
{
	struct pc_buffers_call *call = d->call;
	uint64_t begin = round * d->round_bytes, n = call->bytes - begin;

	n = n < d->round_bytes ? n : d->round_bytes;
	if (round && !pc_buffers_wait_all(call, 4 * round))
		return false;
	pc_buffers_first(call, dpml2_copy(d, d->r), call->src + begin, n);
	pc_buffers_post(call, 4 * round + 1);
	if (!pc_buffers_wait_all(call, 4 * round + 1))
		return false;
	dpml2_fold(d, n);
	pc_buffers_post(call, 4 * round + 2);
	if (!pc_buffers_wait_all(call, 4 * round + 2))
		return false;
	dpml2_combine(d, n);
	pc_buffers_post(call, 4 * round + 3);
	if (call->out_begin < call->out_end) {
		if (!pc_buffers_wait_all(call, 4 * round + 3))
			return false;
		pc_buffers_receive(call, dpml2_result(d, 0), begin, n);
	}
	pc_buffers_post(call, 4 * round + 4);
	return true;
}

static void dpml2_run(struct pc_buffers_call *call)
{
	struct dpml2 d = { .call = call, .p = call->h->hosts, .r = call->h->host,
			   .m = call->h->sockets };
	uint32_t rounds;

	/* hosts that cannot be dealt out evenly are of one */
	if (d.p % d.m)
		d.m = 1;
	d.q = d.p / d.m;
	d.round_bytes = d.p * pc_buffers_slice(call, PC_HOSTS_SMALL_SLICE);
	rounds = (uint32_t)((call->bytes + d.round_bytes - 1) / d.round_bytes);
	for (uint32_t round = 0; round < rounds; round++) {
		if (!dpml2_round(&d, round))
			return;
	}
}

const struct pc_buffers_algorithm pc_buffers_dpml2 = {
	.name = "dpml2",
	.desc = "all hosts copy in, those of a socket fold its copies, then the sockets' results",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE,
	.needs = PC_NEEDS_EXACT,
	.run = dpml2_run,
};
