// SPDX-License-Identifier: MIT
/*
 * Buffers that all hosts map: each host takes its share of the positions, loads every
 * source once, folds in the first cache, and stores to every destination.
 */
#include "collectives/hosts/buffers.h"

static void direct_store(struct pc_buffers_call *call, const uint8_t *acc, uint64_t begin,
			 uint64_t n)
{
	const struct pimdimm_hosts *h = call->h;

	for (uint32_t i = 0; i < h->hosts; i++) {
		uint32_t to = (h->host + i) % h->hosts;

		if (call->kind == PC_HOSTS_REDUCE && to != call->root)
			continue;
		if (call->kind == PC_HOSTS_REDUCE_SCATTER && to != h->host)
			continue;
		pc_buffers_copy(call, call->dsts[to] + begin, acc, n, true);
		/* the accumulator does not leave the first cache */
		call->h->stats.loaded -= n;
		if (to != h->host)
			call->h->stats.peer_bytes += n;
	}
}

static void direct_fold(struct pc_buffers_call *call, uint64_t begin, uint64_t end)
{
	const uint64_t own = call->kind == PC_HOSTS_REDUCE_SCATTER ? begin : 0;
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	for (uint64_t at = begin; at < end; at += PC_FOLD_BYTES) {
		uint64_t n = end - at < PC_FOLD_BYTES ? end - at : PC_FOLD_BYTES;

		for (uint32_t i = 0; i < call->h->hosts; i++) {
			if (i)
				pc_fold_next(&call->fold, acc, call->srcs[i] + at, n);
			else
				pc_fold_first(&call->fold, acc, call->srcs[i] + at, n);
		}
		pc_fold_last(&call->fold, acc, acc, n);
		call->h->stats.loaded += n * call->h->hosts;
		call->h->stats.peer_bytes += n * (call->h->hosts - 1);
		direct_store(call, acc, at - own, n);
	}
}

/* The root's bytes of this host's share, once loaded, to all others. */
static void direct_spread(struct pc_buffers_call *call, uint32_t from, uint64_t at, uint64_t begin,
			  uint64_t end)
{
	const struct pimdimm_hosts *h = call->h;

	for (uint64_t x = begin; x < end; x += PC_FOLD_BYTES) {
		uint64_t n = end - x < PC_FOLD_BYTES ? end - x : PC_FOLD_BYTES;

		call->h->stats.loaded += n;
		for (uint32_t i = 0; i < h->hosts; i++) {
			uint32_t to = (h->host + i) % h->hosts;
			uint8_t *place = call->dsts[to] + at + x;

			if (to == from && (call->kind == PC_HOSTS_BROADCAST ||
					   place == call->srcs[from] + x))
				continue;
			pc_buffers_copy(call, place, call->srcs[from] + x, n, true);
			call->h->stats.loaded -= n;
			if (to != h->host)
				call->h->stats.peer_bytes += n;
		}
	}
}

static void direct_run(struct pc_buffers_call *call)
{
	const uint32_t me = call->h->host;
	const uint64_t begin = call->begins[me], end = call->begins[me + 1];

	call->one_pass = call->kind != PC_HOSTS_BROADCAST && call->kind != PC_HOSTS_ALLGATHER;
	if (call->kind == PC_HOSTS_BROADCAST)
		direct_spread(call, call->root, 0, begin, end);
	else if (call->kind == PC_HOSTS_ALLGATHER)
		direct_spread(call, me, me * call->bytes, 0, call->bytes);
	else
		direct_fold(call, begin, end);
	pc_buffers_spread_over(call);
	/* nobody reads this host's sources, or writes its destination, any more */
	pc_hosts_doing(call->h, PC_HOSTS_LEAVING);
	pc_buffers_post(call, 1);
	pc_buffers_wait_all(call, 1);
}

const struct pc_buffers_algorithm pc_buffers_direct = {
	.name = "direct",
	.desc = "buffers that all hosts map: one pass, each byte loaded once and stored once",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE |
		 1 << PC_HOSTS_BROADCAST | 1 << PC_HOSTS_ALLGATHER,
	.needs = PC_NEEDS_MAPPED,
	.run = direct_run,
};
