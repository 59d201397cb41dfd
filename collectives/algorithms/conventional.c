// SPDX-License-Identifier: MIT
/*
 * The conventional algorithms of all collectives: pull everything through the
 * domain transfer into host memory, rearrange or reduce it there, push the result.
 * PID-Comm, section III.
 */
#include "collectives/algorithms/mailed.h"
#include "collectives/algorithms/staged.h"
#include "collectives/algorithms/table.h"
#include "collectives/parts/staging.h"
#include "runtime/watch/count.h"

static bool is_mailed(const struct pc_call *call)
{
	return call->req->crew && call->req->crew->mail;
}

/* where what a member receives is put together, behind what all have sent */
static uint8_t *received_vector(const struct pc_call *call, uint32_t group,
				uint32_t rank)
{
	return pc_staged_vector(call, group, rank) + pc_vectors_bytes(call);
}

/* rows of received chunks that are filled together, so that small chunks are
 * read by the line */
static uint32_t block_rows(const struct pc_call *call)
{
	uint64_t chunk = 8 * call->req->words;

	return chunk < 512 ? (uint32_t)(512 / chunk) : 1;
}

static void rearrange_rows(const struct pc_call *call, uint32_t group,
			   uint32_t row, uint32_t rows)
{
	uint64_t chunk = 8 * call->req->words;

	for (uint32_t from = 0; from < call->req->shape->members; from++) {
		const uint8_t *src = pc_staged_vector(call, group, from);

		for (uint32_t to = row; to < row + rows; to++)
			pd_copy(received_vector(call, group, to) + from * chunk,
				src + to * chunk, chunk);
	}
}

static void rearrange_work(void *ctx, uint64_t first, uint64_t count)
{
	struct pc_call call_copy = pc_call_copy(ctx), *call = &call_copy;
	uint32_t members = call->req->shape->members;
	uint32_t rows = block_rows(call);
	uint32_t blocks = (members + rows - 1) / rows;

	for (uint64_t i = first; i < first + count; i++) {
		uint32_t row = (uint32_t)(i % blocks) * rows;

		uint32_t filled = members - row < rows ? members - row : rows;

		rearrange_rows(call, (uint32_t)(i / blocks), row, filled);
		pc_count(&call->counts.host_read, filled * call->req->bytes);
		pc_count(&call->counts.host_written, filled * call->req->bytes);
	}
	pc_call_add(ctx, call);
}

static int alltoall_conventional_run(struct pc_call *call)
{
	uint32_t rows = block_rows(call);
	uint64_t blocks = (call->req->shape->members + rows - 1) / rows;
	uint64_t start;
	int ret;

	if (is_mailed(call))
		return pc_mailed_run(call);
	ret = pc_staging(call, 2 * pc_vectors_bytes(call));
	if (ret)
		return ret;
	pc_pull(call, call->req->src, call->req->bytes / 8, pc_staged_vector);
	start = pc_phase_begin(call, PC_PHASE_HOST);
	pc_in_host_memory(call, PC_SHARE_ANY, call->req->shape->groups * blocks, 4,
			  rearrange_work, call);
	pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
	pc_push(call, call->req->dst, call->req->bytes / 8, received_vector);
	return 0;
}

const struct pc_algorithm pc_alltoall_conventional = {
	.collective = PC_ALLTOALL,
	.name = "conventional",
	.desc = "pull, rearrange in host memory, push",
	.serves = PC_ALL_SIZES,
	.run = alltoall_conventional_run,
};

/* a member's chunk of its group's result */
static uint8_t *result_chunk(const struct pc_call *call, uint32_t group,
			     uint32_t rank)
{
	return pc_staged_result(call, group, rank) +
	       8 * call->req->words * rank;
}

/* Reduce in host memory, and push from where each member's share lies. */
static int reduce_and_push(struct pc_call *call, pc_where share)
{
	int ret;

	if (is_mailed(call))
		return pc_mailed_run(call);
	ret = pc_staging(call, pc_vectors_bytes(call) + pc_results_bytes(call));
	if (ret)
		return ret;
	pc_reduce_staged(call, pc_staged_result);
	pc_push(call, call->req->dst, call->req->words, share);
	return 0;
}

static int reduce_scatter_conventional_run(struct pc_call *call)
{
	return reduce_and_push(call, result_chunk);
}

const struct pc_algorithm pc_reduce_scatter_conventional = {
	.collective = PC_REDUCE_SCATTER,
	.name = "conventional",
	.desc = "pull, reduce in host memory, push",
	.serves = PC_ALL_TYPES,
	.run = reduce_scatter_conventional_run,
};

static int allreduce_conventional_run(struct pc_call *call)
{
	return reduce_and_push(call, pc_staged_result);
}

const struct pc_algorithm pc_allreduce_conventional = {
	.collective = PC_ALLREDUCE,
	.name = "conventional",
	.desc = "pull, reduce in host memory, push to all",
	.serves = PC_ALL_TYPES,
	.run = allreduce_conventional_run,
};

/* the group's vector: all that is staged */
static uint8_t *gathered_vector(const struct pc_call *call, uint32_t group,
				uint32_t rank)
{
	(void)rank;
	return (uint8_t *)call->req->hc->staging + group * call->req->bytes;
}

static uint8_t *gathered_chunk(const struct pc_call *call, uint32_t group,
			       uint32_t rank)
{
	return gathered_vector(call, group, rank) + 8 * call->req->words * rank;
}

static int allgather_conventional_run(struct pc_call *call)
{
	int ret;

	if (is_mailed(call))
		return pc_mailed_run(call);
	ret = pc_staging(call, pc_results_bytes(call));
	if (ret)
		return ret;
	pc_pull(call, call->req->src, call->req->words, gathered_chunk);
	pc_push(call, call->req->dst, call->req->bytes / 8, gathered_vector);
	return 0;
}

const struct pc_algorithm pc_allgather_conventional = {
	.collective = PC_ALLGATHER,
	.name = "conventional",
	.desc = "pull side by side into host memory, push to all",
	.serves = PC_ALL_SIZES,
	.run = allgather_conventional_run,
};

static int scatter_conventional_run(struct pc_call *call)
{
	return pc_is_apart(call) ? pc_staged_scatter.run(call) : pc_scatter_direct.run(call);
}

const struct pc_algorithm pc_scatter_conventional = {
	.collective = PC_SCATTER,
	.name = "conventional",
	.desc = "the same: there is no host staging to leave out",
	.serves = PC_ALL_SIZES,
	.run = scatter_conventional_run,
};

static int gather_conventional_run(struct pc_call *call)
{
	return pc_is_apart(call) ? pc_staged_gather.run(call) : pc_gather_direct.run(call);
}

const struct pc_algorithm pc_gather_conventional = {
	.collective = PC_GATHER,
	.name = "conventional",
	.desc = "the same: there is no host staging to leave out",
	.serves = PC_ALL_SIZES,
	.run = gather_conventional_run,
};

static int reduce_conventional_run(struct pc_call *call)
{
	int ret;

	if (is_mailed(call))
		return pc_mailed_run(call);
	if (pc_is_apart(call))
		return pc_staged_reduce.run(call);
	ret = pc_staging(call, pc_vectors_bytes(call));
	if (!ret)
		pc_reduce_staged(call, pc_group_buffer);
	return ret;
}

const struct pc_algorithm pc_reduce_conventional = {
	.collective = PC_REDUCE,
	.name = "conventional",
	.desc = "pull, reduce in host memory",
	.serves = PC_ALL_TYPES,
	.run = reduce_conventional_run,
};

static int broadcast_conventional_run(struct pc_call *call)
{
	if (is_mailed(call))
		return pc_mailed_run(call);
	if (pc_is_apart(call))
		return pc_staged_broadcast.run(call);
	pc_push(call, call->req->dst, call->req->words, pc_group_buffer);
	return 0;
}

const struct pc_algorithm pc_broadcast_conventional = {
	.collective = PC_BROADCAST,
	.name = "conventional",
	.desc = "push to every member, transposing every block",
	.serves = PC_ALL_SIZES,
	.run = broadcast_conventional_run,
};
