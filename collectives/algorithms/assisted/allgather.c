// SPDX-License-Identifier: MIT
/*
 * Allgather with the help of PEs: the host stores every block to all lanes by turns,
 * through host memory, in registers between two domain transfers, or as it lies in
 * the PIM domain; then PEs reorder.
 */
#include "collectives/algorithms/assisted/assisted.h"
#include "collectives/call/algorithm.h"

#define TILE_WORDS	128

/* n blocks of an entangled group into a tile, in the domain to turn them in */
static void allgather_load_turned(struct pc_call *call, uint8_t *tile,
				  uint32_t eg, uint64_t word, uint64_t n)
{
	bool transpose = pc_own(call)->steps == PC_STEPS_PR_IM;
	struct pc_lanes single;

	pc_lanes_init(&single, 0);
	pc_count(&call->counts.blocks_read, n);
	if (transpose)
		pc_count(&call->counts.transfers, n);
	while (n) {
		uint8_t *from[8];
		uint64_t run = pc_streams(call, eg, word, 0, 1, 1, n, from);

		call->req->moves->collect(&single, tile, 0, from,
					  pc_step(call, 1), run, transpose,
					  NULL, NULL);
		tile += 64 * run;
		word += run;
		n -= run;
	}
}

static void allgather_spread_from(struct pc_call *call, uint32_t set,
				  uint32_t s, uint64_t word, uint64_t n)
{
	_Alignas(64) uint8_t tile[64 * TILE_WORDS];
	uint32_t eg = pc_eg(call, set, s);

	allgather_load_turned(call, tile, eg, call->req->src + word, n);
	for (uint32_t t = 0; t < call->req->shape->egs; t++)
		pc_spread_turned(call, tile, pc_eg(call, set, t), s, word, n);
}

/* to entangled group number t of a set, from all others, whose chunks are staged */
static void allgather_spread_to(struct pc_call *call, uint32_t set, uint32_t t,
				uint64_t word, uint64_t n)
{
	const struct pc_assisted *own = pc_own(call);
	uint32_t egs = call->req->shape->egs;

	for (uint32_t s = 0; s < egs; s++)
		pc_spread_turned(call,
				 pc_staged(&own->in, pc_eg(call, set, s), word),
				 pc_eg(call, set, t), s, word, n);
	pc_count(&call->counts.host_read,
		 64 * egs * call->req->shape->lanes.nl * n);
}

/*
 * The chunk that a source of an in-place call lies in is overwritten with what
 * the first group's lanes send, so that group comes last.
 */
static void allgather_in_registers(struct pc_call *call)
{
	uint32_t last = call->req->src == call->req->dst ? 1 : 0;
	uint64_t chunk = pc_own(call)->chunk, start = pd_now_ns();

	pc_for_each_part(call, chunk, TILE_WORDS, last,
			 call->req->shape->egs - last, allgather_spread_from);
	pc_for_each_part(call, chunk, TILE_WORDS, 0, last,
			 allgather_spread_from);
	pc_phase_end(call->phase_ns, PC_PHASE_REGISTERS, start);
}

static void allgather_through_host(struct pc_call *call)
{
	uint64_t start;

	pc_pull_blocks(call);
	start = pd_now_ns();
	pc_for_each_part(call, pc_own(call)->chunk, TILE_WORDS, 0,
			 call->req->shape->egs, allgather_spread_to);
	pc_phase_end(call->phase_ns, PC_PHASE_PUSH, start);
}

static int allgather_then_reorder(struct pc_call *call)
{
	if (pc_own(call)->steps == PC_STEPS_PR)
		allgather_through_host(call);
	else
		allgather_in_registers(call);
	return pc_assist(call, call->req->dst, call->req->dst,
			 call->req->shape->egs);
}

/* Every block goes to all lanes by turns, then PEs reorder. */
static int allgather_assisted(struct pc_call *call, enum pc_steps steps)
{
	struct pc_assisted own =
		pc_assisted(call, steps, call->req->words, call->req->src);
	int ret = 0;

	call->work.own = &own;
	if (steps == PC_STEPS_PR)
		ret = pc_stage_blocks(call, &own, own.chunk, 0, 0);
	if (!ret)
		ret = allgather_then_reorder(call);
	call->work.own = NULL;
	return ret;
}

static int allgather_pr_run(struct pc_call *call)
{
	return allgather_assisted(call, PC_STEPS_PR);
}

const struct pc_algorithm pc_allgather_pr = {
	.collective = PC_ALLGATHER,
	.name = "pr",
	.desc = "pull into host memory, push turned to all, PEs reorder",
	.serves = PC_ALL_SIZES,
	.run = allgather_pr_run,
	.assisted = true,
};

static int allgather_pr_im_run(struct pc_call *call)
{
	return allgather_assisted(call, PC_STEPS_PR_IM);
}

const struct pc_algorithm pc_allgather_pr_im = {
	.collective = PC_ALLGATHER,
	.name = "pr+im",
	.desc = "turn in registers between domain transfers, PEs reorder",
	.serves = PC_ALL_SIZES,
	.run = allgather_pr_im_run,
	.assisted = true,
};

static int allgather_pr_im_cm_run(struct pc_call *call)
{
	return allgather_assisted(call, PC_STEPS_PR_IM_CM);
}

const struct pc_algorithm pc_allgather_pr_im_cm = {
	.collective = PC_ALLGATHER,
	.name = "pr+im+cm",
	.desc = "turn in registers in the PIM domain, PEs reorder",
	.serves = PC_ALL_SIZES,
	.run = allgather_pr_im_cm_run,
	.assisted = true,
};
