// SPDX-License-Identifier: MIT
/*
 * The movement-avoiding reduction in the order of the hosts: host 0 copies a slice in, the
 * others add theirs one after the other, while host 0 is at later slices already.
 */
#include "collectives/hosts/buffers.h"

/* slices of a vector, more than enough for all hosts to have one at a time */
#define WAVE_SLICES	8

static uint64_t wave_slice(const struct pc_buffers_call *call)
{
	uint64_t most = call->bytes / (WAVE_SLICES * (uint64_t)call->h->hosts);
	uint64_t slice = pc_buffers_slice(call, PC_HOSTS_SLICE);

	most = most / 64 * 64;
	if (most < 4096)
		most = 4096;
	return slice < most ? slice : most;
}

/*
 * Host r at turn k folds slice k and, p turns behind, takes what it receives of slice
 * k - p, which the last host has folded by then or soon will. Its step is k + 1 then. A
 * slice's place is free when all hosts are 2p + 2 turns on from it.
 */
static void wave_run(struct pc_buffers_call *call)
{
	const uint32_t p = call->h->hosts, r = call->h->host, places = 2 * p + 2;
	const uint64_t slice = wave_slice(call);
	const uint32_t slices = (uint32_t)((call->bytes + slice - 1) / slice);

	for (uint32_t k = 0; k < slices + p; k++) {
		uint8_t *shared = call->h->scratch + k % places * slice * call->wide;
		uint64_t begin = k * slice;
		uint64_t n = call->bytes - begin < slice ? call->bytes - begin : slice;

		if (k < slices && !r) {
			/* it was read for the last time at turn k - places + p */
			if (k >= places && !pc_buffers_wait_all(call, k - places + p + 1))
				return;
			pc_buffers_first(call, shared, call->src + begin, n);
		} else if (k < slices) {
			if (!pc_buffers_wait(call, r - 1, k + 1))
				return;
			pc_buffers_next(call, shared, call->src + begin, n);
		}
		if (k >= p) {
			uint64_t at = (k - p) * slice;

			if (!pc_buffers_wait(call, p - 1, k - p + 1))
				return;
			pc_buffers_receive(call, call->h->scratch + (k - p) % places * slice *
					   call->wide, at,
					   call->bytes - at < slice ? call->bytes - at : slice);
		}
		pc_buffers_post(call, k + 1);
		if (k >= p && call->kind == PC_HOSTS_REDUCE_SCATTER)
			pc_buffers_folded(call, (k - p) * slice, (k - p + 1) * slice);
	}
}

const struct pc_buffers_algorithm pc_buffers_wave = {
	.name = "wave",
	.desc = "movement-avoiding in the order of the hosts, a wave of slices",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE,
	.run = wave_run,
};
