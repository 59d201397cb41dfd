// SPDX-License-Identifier: MIT
/* Broadcast and allgather through two slots in turn: one is filled while the other is read. */
#include "collectives/hosts/buffers.h"

/* a round takes as long as copying some 8 KiB, besides what it copies */
#define LEAST_SLICE	(UINT64_C(32) << 10)

static uint64_t pipelined_bytes(const struct pc_buffers_call *call, uint64_t slice, uint64_t k)
{
	uint64_t left = call->bytes - k * slice;

	return left < slice ? left : slice;
}

static uint64_t pipelined_slice(const struct pc_buffers_call *call)
{
	/* the first round's copy in has nothing beside it: four rounds and more, of large vectors */
	uint64_t slice = (call->bytes + 3) / 4;

	slice = slice < LEAST_SLICE ? LEAST_SLICE : (slice + 63) / 64 * 64;
	return slice < PC_HOSTS_SLICE ? slice : PC_HOSTS_SLICE;
}

/* Steps: the root has filled so many slots, another host has emptied so many. */
static void pipelined_broadcast(struct pc_buffers_call *call)
{
	const uint64_t slice = pipelined_slice(call);
	const uint32_t rounds = (uint32_t)((call->bytes + slice - 1) / slice);

	for (uint32_t k = 0; k < rounds; k++) {
		uint8_t *slot = call->h->scratch + (k & 1) * slice;
		uint64_t n = pipelined_bytes(call, slice, k);

		if (call->h->host == call->root) {
			if (k >= 2 && !pc_buffers_wait_all(call, k - 1))
				return;
			pc_buffers_copy(call, slot, call->src + k * slice, n, false);
		} else {
			if (!pc_buffers_wait(call, call->root, k + 1))
				return;
			pc_buffers_copy(call, call->dst + k * slice, slot, n, true);
		}
		pc_buffers_post(call, k + 1);
	}
}

/* Round k: into this host's slot of slice k, out of all hosts' of slice k - 1. */
static void pipelined_allgather(struct pc_buffers_call *call)
{
	const uint32_t p = call->h->hosts, me = call->h->host;
	const uint64_t slice = pipelined_slice(call);
	const uint32_t rounds = (uint32_t)((call->bytes + slice - 1) / slice);

	for (uint32_t k = 0; k <= rounds; k++) {
		uint8_t *slots = call->h->scratch + (k & 1) * p * slice;
		uint8_t *before = call->h->scratch + (~k & 1) * p * slice;

		if (k < rounds)
			pc_buffers_copy(call, slots + me * slice, call->src + k * slice,
					pipelined_bytes(call, slice, k), false);
		for (uint32_t i = 0; k && i < p; i++) {
			uint32_t from = (me + i) % p;
			uint8_t *to = call->dst + from * call->bytes + (k - 1) * slice;
			uint64_t n = pipelined_bytes(call, slice, k - 1);

			/* its own is nearer where it came from */
			if (from == me)
				pc_buffers_keep(call, to, call->src + (k - 1) * slice, n);
			else
				pc_buffers_copy(call, to, before + from * slice, n, true);
		}
		pc_buffers_post(call, k + 1);
		if (!pc_buffers_wait_all(call, k + 1))
			return;
	}
}

static void pipelined_run(struct pc_buffers_call *call)
{
	if (call->kind == PC_HOSTS_BROADCAST)
		pipelined_broadcast(call);
	else
		pipelined_allgather(call);
}

const struct pc_buffers_algorithm pc_buffers_pipelined = {
	.name = "pipelined",
	.desc = "two slots in turn: one is filled while the other one is read",
	.kinds = 1 << PC_HOSTS_BROADCAST | 1 << PC_HOSTS_ALLGATHER,
	.run = pipelined_run,
};
