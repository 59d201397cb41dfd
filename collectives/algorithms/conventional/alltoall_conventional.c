/* SPDX-License-Identifier: MIT */
/* Pull, rearrange globally in host memory, push. PID-Comm, section III. */
#include "runtime/watch/count.h"
#include "collectives/parts/staging.h"

/* where what a member receives is put together, behind what all have sent */
static uint8_t *received(const struct pc_call *call, uint32_t group,
			 uint32_t rank)
{
	return pc_staged_vector(call, group, rank) + pc_vectors_bytes(call);
}

/* rows of received chunks that are filled together, so that small chunks are
 * read by the line */
static uint32_t block_rows(const struct pc_call *call)
{
	uint64_t chunk = 8 * call->words;

	return chunk < 512 ? (uint32_t)(512 / chunk) : 1;
}

static void rearrange_rows(const struct pc_call *call, uint32_t group,
			   uint32_t row, uint32_t rows)
{
	uint64_t chunk = 8 * call->words;

	for (uint32_t from = 0; from < call->shape->members; from++) {
		const uint8_t *src = pc_staged_vector(call, group, from);

		for (uint32_t to = row; to < row + rows; to++)
			pd_copy(received(call, group, to) + from * chunk,
				src + to * chunk, chunk);
	}
}

static void rearrange_work(void *ctx, uint64_t first, uint64_t count)
{
	const struct pc_call *call = ctx;
	uint32_t members = call->shape->members;
	uint32_t rows = block_rows(call);
	uint32_t blocks = (members + rows - 1) / rows;

	for (uint64_t i = first; i < first + count; i++) {
		uint32_t row = (uint32_t)(i % blocks) * rows;

		rearrange_rows(call, (uint32_t)(i / blocks), row,
			       members - row < rows ? members - row : rows);
	}
}

int pc_alltoall_conventional(struct pc_call *call)
{
	uint32_t rows = block_rows(call);
	uint64_t blocks = (call->shape->members + rows - 1) / rows;
	int ret = pc_staging(call, 2 * pc_vectors_bytes(call));
	uint64_t start;

	if (ret)
		return ret;
	pc_pull(call, call->src, call->bytes / 8, pc_staged_vector);
	start = pc_phase_now();
	pd_workers_run(call->sys->workers, call->shape->groups * blocks, 4,
		       rearrange_work, call);
	pc_phase_end(call->phase_ns, PC_PHASE_HOST, start);
	pc_count(&call->host_read, pc_vectors_bytes(call));
	pc_count(&call->host_written, pc_vectors_bytes(call));
	pc_push(call, call->dst, call->bytes / 8, received);
	return 0;
}
