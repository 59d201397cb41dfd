// SPDX-License-Identifier: MIT
/*
 * Tells of collectives by way of the host what is data modulation, what domain transfer
 * and what access to memory. The first is measured call by call, the second by the number
 * of its blocks and the time of one; the last is the rest.
 */
#include <math.h>
#include <string.h>

#include "tools/apps/common/context.h"
#include "tools/inside.h"
#include "tools/perf/suites/apps/apps_split.h"

/* blocks that a first-level cache holds, and how often the best of their times is sought */
#define CACHED_BLOCKS 256
#define TIMES 64

static double time_block(void)
{
	static _Alignas(64) uint8_t blocks[CACHED_BLOCKS * PIMDIMM_BLOCK_BYTES];
	uint64_t best = UINT64_MAX;

	for (unsigned int i = 0; i < TIMES; i++) {
		uint64_t start = pd_now_ns(), ns;

		pimdimm_domain_transfer(blocks, blocks, CACHED_BLOCKS);
		ns = pd_now_ns() - start;
		best = ns < best ? ns : best;
	}
	return (double)best / CACHED_BLOCKS;
}

/* After each collective. */
static void add_call(struct app_context *ctx, void *arg)
{
	struct apps_split *split = arg;

	if (ctx->report.phase != APP_RUN)
		return;
	if (ctx->by_sdk) {
		split->modulation += (double)ctx->sdk.host_ns;
		split->blocks += ctx->sdk.mram_bytes / PIMDIMM_BLOCK_BYTES;
		return;
	}
	split->modulation += (double)ctx->cube->phase_ns[PC_PHASE_HOST];
	split->blocks += ctx->cube->stats.domain_transfers;
}

void apps_split_begin(struct apps_split *split, struct app_context *ctx)
{
	double block_ns = split->block_ns;

	if (block_ns == 0)
		block_ns = time_block() / pd_workers_threads(ctx->sys->workers);
	*split = (struct apps_split){ .block_ns = block_ns };
	ctx->exchanged = add_call;
	ctx->exchanged_arg = split;
}

double apps_split_domain(const struct apps_split *split, double moves)
{
	return fmin((double)split->blocks * split->block_ns, moves);
}
