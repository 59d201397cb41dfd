// SPDX-License-Identifier: MIT
/* Vectors that are handed over with the arrival: nobody waits a second time. */
#include "collectives/hosts/agree.h"
#include "collectives/hosts/buffers.h"

static void flat_fold(struct pc_buffers_call *call)
{
	const uint64_t begin = call->out_begin, bytes = call->out_end - begin;
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	if (!bytes)
		return;
	for (uint32_t i = 0; i < call->h->hosts; i++) {
		const uint8_t *in = pc_hosts_cell(call->h, i, call->bytes) + begin;

		if (i)
			pc_fold_next(&call->fold, acc, in, bytes);
		else
			pc_fold_first(&call->fold, acc, in, bytes);
	}
	pc_fold_last(&call->fold, call->dst, acc, bytes);
	call->h->stats.loaded += bytes * call->h->hosts;
	call->h->stats.stored += bytes;
}

static void flat_run(struct pc_buffers_call *call)
{
	struct pimdimm_hosts *h = call->h;

	if (call->kind == PC_HOSTS_BROADCAST) {
		if (h->host != call->root)
			pc_buffers_copy(call, call->dst, pc_hosts_cell(h, call->root, call->bytes),
					call->bytes, true);
	} else if (call->kind == PC_HOSTS_ALLGATHER) {
		for (uint32_t i = 0; i < h->hosts; i++)
			pc_buffers_copy(call, call->dst + i * call->bytes,
					pc_hosts_cell(h, i, call->bytes), call->bytes, true);
	} else {
		flat_fold(call);
	}
}

const struct pc_buffers_algorithm pc_buffers_flat = {
	.name = "flat",
	.desc = "small vectors come with the arrival, and each host folds what it receives",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE |
		 1 << PC_HOSTS_BROADCAST | 1 << PC_HOSTS_ALLGATHER,
	.needs = PC_NEEDS_CELL,
	.run = flat_run,
};
