// SPDX-License-Identifier: MIT
/*
 * Data-partitioning multi-leader reductions: all hosts copy in all they have, each folds one
 * part of all copies in the order of the hosts.
 */
#include "collectives/hosts/buffers.h"

struct dpml {
	struct pc_buffers_call *call;
	uint64_t slice;		/* of a part, in a round */
	uint32_t p, r, rounds;
};

/* Where slice x of a host's copy is, or of the results, which stand behind all copies. */
static uint8_t *dpml_at(const struct dpml *d, uint32_t host, uint32_t x)
{
	return d->call->h->scratch + (host * (uint64_t)d->p + x) * d->slice * d->call->wide;
}

/* The bytes of slice x in a round, and where they begin in the vector. */
static uint64_t dpml_slice(const struct dpml *d, uint32_t round, uint32_t x, uint64_t *begin)
{
	uint64_t end = d->call->begins[x + 1];

	*begin = d->call->begins[x] + round * d->slice;
	if (*begin >= end)
		return 0;
	return end - *begin < d->slice ? end - *begin : d->slice;
}

static void dpml_make(struct dpml *d, struct pc_buffers_call *call)
{
	uint64_t most = 0;

	*d = (struct dpml){ .call = call, .p = call->h->hosts, .r = call->h->host,
			    .slice = pc_buffers_slice(call, PC_HOSTS_SMALL_SLICE) };
	for (uint32_t x = 0; x < d->p; x++) {
		uint64_t bytes = call->begins[x + 1] - call->begins[x];

		most = bytes > most ? bytes : most;
	}
	d->rounds = (uint32_t)((most + d->slice - 1) / d->slice);
}

static void dpml_copy_in(const struct dpml *d, uint32_t round)
{
	for (uint32_t x = 0; x < d->p; x++) {
		uint64_t begin, bytes = dpml_slice(d, round, x, &begin);

		pc_buffers_first(d->call, dpml_at(d, d->r, x), d->call->src + begin, bytes);
	}
}

/* This host's slice of all copies; of reduce_scatter the last one straight into its vector. */
static void dpml_fold(const struct dpml *d, uint32_t round)
{
	struct pc_buffers_call *call = d->call;
	const bool scatters = call->kind == PC_HOSTS_REDUCE_SCATTER;
	/* a wide accumulator is no element, which a vector's last step takes */
	const bool straight = scatters && call->wide == 1;
	uint64_t begin, bytes = dpml_slice(d, round, d->r, &begin);
	uint8_t *acc = dpml_at(d, d->p, d->r), *to = NULL;

	if (!bytes)
		return;
	if (scatters)
		to = call->dst + (begin - call->out_begin);
	pc_buffers_copy(call, acc, dpml_at(d, 0, d->r), bytes * call->wide, false);
	for (uint32_t i = 1; i + straight < d->p; i++)
		pc_buffers_merge(call, acc, dpml_at(d, i, d->r), bytes);
	if (straight)
		pc_buffers_into(call, to, acc, dpml_at(d, d->p - 1, d->r), bytes);
	else if (scatters)
		pc_buffers_last(call, to, acc, bytes);
	if (scatters)
		pc_buffers_folded(call, begin, begin + bytes);
}

static void dpml_receive(const struct dpml *d, uint32_t round)
{
	for (uint32_t x = 0; x < d->p; x++) {
		uint64_t begin, bytes = dpml_slice(d, round, x, &begin);

		pc_buffers_receive(d->call, dpml_at(d, d->p, x), begin, bytes);
	}
}

/*
 * One round. Steps: this host has copied in, has folded, has received. The copy of the next
 * round waits for the latter two of all.
 */
static bool dpml_round(const struct dpml *d, uint32_t round)
{
	struct pc_buffers_call *call = d->call;

	if (round && !pc_buffers_wait_all(call, 3 * round))
		return false;
	dpml_copy_in(d, round);
	pc_buffers_post(call, 3 * round + 1);
	if (!pc_buffers_wait_all(call, 3 * round + 1))
		return false;
	dpml_fold(d, round);
	pc_buffers_post(call, 3 * round + 2);
	if (call->kind != PC_HOSTS_REDUCE_SCATTER && call->out_begin < call->out_end) {
		if (!pc_buffers_wait_all(call, 3 * round + 2))
			return false;
		dpml_receive(d, round);
	}
	pc_buffers_post(call, 3 * round + 3);
	return true;
}

static void dpml_run(struct pc_buffers_call *call)
{
	struct dpml d;

	dpml_make(&d, call);
	for (uint32_t round = 0; round < d.rounds; round++) {
		if (!dpml_round(&d, round))
			return;
	}
}

const struct pc_buffers_algorithm pc_buffers_dpml = {
	.name = "dpml",
	.desc = "all hosts copy in, each folds one part of all copies",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE,
	.run = dpml_run,
};
