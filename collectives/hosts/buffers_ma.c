// SPDX-License-Identifier: MIT
/*
 * Movement-avoiding reductions (YHCCL, section III): each host copies in one slice of p and
 * adds its own to what the next one has left of the others.
 */
#include "collectives/hosts/buffers.h"

struct ma {
	struct pc_buffers_call *call;
	uint64_t slice;
	uint32_t p, r;
	uint32_t rounds, first;	/* of which one comes first */
	uint8_t *sets[2];	/* of slices; two, so that one round's results are read in peace */
};

/* The bytes of slice x in a round, and where they begin in the vector. */
static uint64_t ma_part(const struct ma *ma, uint32_t round, uint32_t x, uint64_t *begin)
{
	const uint64_t *begins = ma->call->begins;
	uint64_t end = begins[x + 1];

	*begin = begins[x] + (round + ma->first) % ma->rounds * ma->slice;
	if (*begin >= end)
		return 0;
	return end - *begin < ma->slice ? end - *begin : ma->slice;
}

static uint8_t *ma_slice(const struct ma *ma, uint32_t round, uint32_t x)
{
	return ma->sets[round & 1] + x * ma->slice * ma->call->wide;
}

/* Step j: of slice j + r + 1, which host r + 1 has worked on before. */
static void ma_step(const struct ma *ma, uint32_t round, uint32_t j)
{
	struct pc_buffers_call *call = ma->call;
	uint32_t x = (j + ma->r + 1) % ma->p;
	uint8_t *shared = ma_slice(ma, round, x);
	uint64_t begin, bytes = ma_part(ma, round, x, &begin);

	if (!bytes)
		return;
	if (!j)
		pc_buffers_first(call, shared, call->src + begin, bytes);
	else if (j == ma->p - 1 && call->kind == PC_HOSTS_REDUCE_SCATTER)
		pc_buffers_into(call, call->dst + (begin - call->out_begin), shared,
				call->src + begin, bytes);
	else
		pc_buffers_next(call, shared, call->src + begin, bytes);
}

static void ma_receive(const struct ma *ma, uint32_t round)
{
	struct pc_buffers_call *call = ma->call;

	for (uint32_t x = 0; x < ma->p; x++) {
		uint64_t begin, bytes = ma_part(ma, round, x, &begin);

		pc_buffers_receive(call, ma_slice(ma, round, x), begin, bytes);
	}
}

/* How many rounds the longest part takes, and with which of them the fold begins. */
static void ma_find_rounds(struct ma *ma)
{
	uint64_t most = 0;

	for (uint32_t x = 0; x < ma->p; x++) {
		uint64_t bytes = ma->call->begins[x + 1] - ma->call->begins[x];

		most = bytes > most ? bytes : most;
	}
	ma->rounds = (uint32_t)((most + ma->slice - 1) / ma->slice);
	ma->first = (uint32_t)(ma->call->h->folds_first / ma->slice);
	if (ma->first >= ma->rounds)
		ma->first = 0;
}

/* A round of reduce_scatter is over, with it a slice of this host's part. */
static void ma_tell(const struct ma *ma, uint32_t round)
{
	uint64_t begin, bytes = ma_part(ma, round, ma->r, &begin);

	pc_buffers_folded(ma->call, begin, begin + bytes);
}

static void ma_run(struct pc_buffers_call *call)
{
	struct ma ma = { .call = call, .p = call->h->hosts, .r = call->h->host,
			 .slice = pc_buffers_slice(call, PC_HOSTS_SLICE) };
	const bool receives = call->kind != PC_HOSTS_REDUCE_SCATTER &&
			      call->out_begin < call->out_end;

	ma_find_rounds(&ma);
	ma.sets[0] = call->h->scratch;
	ma.sets[1] = ma.sets[0] + ma.p * ma.slice * call->wide;
	for (uint32_t round = 0; round < ma.rounds; round++) {
		for (uint32_t j = 0; j < ma.p; j++) {
			if (j && !pc_buffers_wait(call, (ma.r + 1) % ma.p, round * ma.p + j))
				return;
			ma_step(&ma, round, j);
			pc_buffers_post(call, round * ma.p + j + 1);
		}
		if (call->kind == PC_HOSTS_REDUCE_SCATTER)
			ma_tell(&ma, round);
		if (!receives)
			continue;
		if (!pc_buffers_wait_all(call, (round + 1) * ma.p))
			return;
		ma_receive(&ma, round);
	}
}

const struct pc_buffers_algorithm pc_buffers_ma = {
	.name = "ma",
	.desc = "movement-avoiding: each host copies in one slice of p, and adds to the others'",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE,
	.needs = PC_NEEDS_EXACT,
	.run = ma_run,
};
