// SPDX-License-Identifier: MIT
/*
 * Transfers between MRAM and scattered blocks of host memory. Blocks of a DPU
 * lie one after the other in its MRAM, so they pass through one buffer, and what
 * several DPUs have in length goes in one transfer.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/report.h>

#include "tools/upmem/host/core/callback.h"
#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/core/program.h"
#include "tools/upmem/host/core/range.h"

struct sg_xfer {
	dpu_xfer_t xfer;
	struct range range;
	get_block_t blocks;	/* args: a copy of the caller's */
	bool check_length;
	_Atomic uint32_t users;	/* calls that are not made, and the caller */
};

/* a DPU's blocks and the buffer that they pass through */
struct sg_dpu {
	struct sg_block_info *blocks;
	uint32_t nr_blocks;
	uint64_t bytes;
	uint8_t *buf;
};

static dpu_error_t add_block(struct sg_dpu *dpu,
			     const struct sg_block_info *block)
{
	struct sg_block_info *larger;

	/* room doubles: at 0, 1, 2, 4, 8... blocks */
	if (!(dpu->nr_blocks & (dpu->nr_blocks - 1)) || !dpu->blocks) {
		size_t room = dpu->nr_blocks ? 2 * (size_t)dpu->nr_blocks : 1;

		larger = realloc(dpu->blocks, room * sizeof(*larger));
		if (!larger)
			return host_fail(DPU_ERR_SYSTEM, "no memory for blocks");
		dpu->blocks = larger;
	}
	dpu->blocks[dpu->nr_blocks++] = *block;
	dpu->bytes += block->length;
	return DPU_OK;
}

static dpu_error_t check_bytes(const struct sg_xfer *sg, uint64_t bytes,
			       uint32_t index)
{
	if (sg->check_length ? bytes == sg->range.bytes :
			       bytes <= sg->range.bytes)
		return DPU_OK;
	return host_fail(DPU_ERR_SG_LENGTH_MISMATCH,
			 "blocks of DPU %u of the set have %llu bytes: expected %s%u",
			 index, (unsigned long long)bytes,
			 sg->check_length ? "" : "at most ", sg->range.bytes);
}

static dpu_error_t get_blocks(const struct sg_xfer *sg, uint32_t index,
			      uint32_t max, struct sg_dpu *dpu)
{
	struct sg_block_info block = { 0 };
	dpu_error_t status = DPU_OK;

	for (uint32_t i = 0; sg->blocks.f(&block, index, i, sg->blocks.args);
	     i++) {
		if (i >= max)
			return host_fail(DPU_ERR_SG_TOO_MANY_BLOCKS,
					 "DPU %u of the set has more than %u blocks: profile sgXferMaxBlocksPerDpu",
					 index, max);
		if (block.length)
			status = add_block(dpu, &block);
		if (status != DPU_OK)
			return status;
	}
	return check_bytes(sg, dpu->bytes, index);
}

static void copy_blocks(struct sg_dpu *dpu, bool gather)
{
	uint8_t *at = dpu->buf;

	for (uint32_t i = 0; i < dpu->nr_blocks; i++) {
		if (gather)
			memcpy(at, dpu->blocks[i].addr, dpu->blocks[i].length);
		else
			memcpy(dpu->blocks[i].addr, at, dpu->blocks[i].length);
		at += dpu->blocks[i].length;
	}
}

/* whole words from `done` on that the DPUs of more bytes than that all have */
static uint64_t common_words(const struct sg_dpu dpus[], uint64_t done)
{
	uint64_t least = 0;

	for (unsigned int p = 0; p < RANK_DPUS; p++) {
		uint64_t words = dpus[p].bytes & ~7ULL;

		if (words > done && (!least || words < least))
			least = words;
	}
	return least ? least - done : 0;
}

static int move_words(const struct sg_xfer *sg, const struct dpu_rank_state *of,
		      const struct sg_dpu dpus[], uint64_t done, uint64_t bytes)
{
	void *bufs[RANK_DPUS];

	for (unsigned int p = 0; p < RANK_DPUS; p++)
		bufs[p] = (dpus[p].bytes & ~7ULL) > done ? dpus[p].buf + done :
							    NULL;
	if (sg->xfer == DPU_XFER_TO_DPU)
		return pimdimm_push(of->sys, of->first_pe, RANK_DPUS,
				    sg->range.offset + done,
				    (const void *const *)bufs, bytes);
	return pimdimm_pull(of->sys, of->first_pe, RANK_DPUS,
			    sg->range.offset + done, bufs, bytes);
}

/* what is no whole word */
static int move_rest(const struct sg_xfer *sg, struct pimdimm *sys, uint32_t pe,
		     const struct sg_dpu *dpu)
{
	uint64_t words = dpu->bytes & ~7ULL;

	if (dpu->bytes == words)
		return 0;
	if (sg->xfer == DPU_XFER_TO_DPU)
		return pimdimm_write(sys, pe, sg->range.offset + words,
				     dpu->buf + words, dpu->bytes - words);
	return pimdimm_read(sys, pe, sg->range.offset + words,
			    dpu->buf + words, dpu->bytes - words);
}

static dpu_error_t sg_move(const struct sg_xfer *sg, const struct dpu_rank_state *of,
			   struct sg_dpu dpus[])
{
	uint64_t done = 0, bytes;
	int ret = 0;

	while (!ret && (bytes = common_words(dpus, done))) {
		ret = move_words(sg, of, dpus, done, bytes);
		done += bytes;
	}
	for (unsigned int p = 0; p < RANK_DPUS && !ret; p++)
		ret = move_rest(sg, of->sys, of->first_pe + p, &dpus[p]);
	return ret ? host_fail_errno(ret, "transfer") : DPU_OK;
}

static dpu_error_t prepare_dpus(const struct sg_xfer *sg,
				struct dpu_rank_t *rank, struct sg_dpu dpus[])
{
	uint32_t index = rank->state->dpus_before;
	dpu_error_t status = DPU_OK;

	for (unsigned int i = 0; i < RANK_DPUS && status == DPU_OK; i++) {
		struct dpu_t *dpu = &rank->dpus[i];
		struct sg_dpu *sg_dpu = &dpus[dpu_place(dpu)];

		if (!dpu->enabled)
			continue;
		status = get_blocks(sg, index++, rank->state->profile.sg_blocks,
				    sg_dpu);
		if (status != DPU_OK || !sg_dpu->bytes)
			continue;
		sg_dpu->buf = malloc(sg_dpu->bytes);
		if (!sg_dpu->buf)
			status = host_fail(DPU_ERR_SYSTEM,
					   "no memory for %llu bytes of blocks",
					   (unsigned long long)sg_dpu->bytes);
	}
	return status;
}

static dpu_error_t sg_rank(const struct sg_xfer *sg, struct dpu_rank_t *rank)
{
	struct sg_dpu *dpus = calloc(RANK_DPUS, sizeof(*dpus));
	dpu_error_t status;

	if (!dpus)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a transfer");
	pimdimm_report_enter(sg->xfer == DPU_XFER_TO_DPU ? PIMDIMM_REPORT_TO_PES :
							   PIMDIMM_REPORT_FROM_PES);
	status = prepare_dpus(sg, rank, dpus);
	for (unsigned int p = 0; p < RANK_DPUS && status == DPU_OK; p++)
		if (sg->xfer == DPU_XFER_TO_DPU)
			copy_blocks(&dpus[p], true);
	if (status == DPU_OK)
		status = sg_move(sg, rank->state, dpus);
	for (unsigned int p = 0; p < RANK_DPUS; p++) {
		if (status == DPU_OK && sg->xfer == DPU_XFER_FROM_DPU)
			copy_blocks(&dpus[p], false);
		free(dpus[p].blocks);
		free(dpus[p].buf);
	}
	free(dpus);
	pimdimm_report_leave();
	return status;
}

static void sg_hold(void *arg)
{
	struct sg_xfer *sg = arg;

	atomic_fetch_add(&sg->users, 1);
}

static void sg_put(void *arg)
{
	struct sg_xfer *sg = arg;

	if (atomic_fetch_sub(&sg->users, 1) != 1)
		return;
	free(sg->blocks.args);
	free(sg);
}

static dpu_error_t sg_callback(struct dpu_set_t set,
			       __attribute__((unused)) uint32_t index,
			       void *arg)
{
	const struct sg_xfer *sg = arg;
	struct dpu_rank_t *rank = set.list.ranks[0];
	dpu_error_t status = range_check_mram(&sg->range, rank->state->sys);

	if (!rank->state->profile.sg_enable)
		status = host_fail(DPU_ERR_SG_NOT_ACTIVATED,
				   "the set's profile has no sgXferEnable=true");
	return status == DPU_OK ? sg_rank(sg, rank) : status;
}

static struct sg_xfer *sg_make(dpu_xfer_t xfer, const struct range *range,
			       const get_block_t *blocks)
{
	struct sg_xfer *sg = calloc(1, sizeof(*sg));
	void *args = malloc(blocks->args_size ? blocks->args_size : 1);

	if (!sg || !args) {
		free(sg);
		free(args);
		host_fail(DPU_ERR_SYSTEM, "no memory for a transfer");
		return NULL;
	}
	if (blocks->args_size)
		memcpy(args, blocks->args, blocks->args_size);
	sg->xfer = xfer;
	sg->range = *range;
	sg->blocks = *blocks;
	sg->blocks.args = args;
	atomic_init(&sg->users, 1);
	return sg;
}

static dpu_error_t check_sg(const struct members *on, dpu_xfer_t xfer,
			    const get_block_t *blocks,
			    const struct range *range)
{
	if (on->dpu)
		return host_fail(DPU_ERR_INTERNAL,
				 "a single DPU has no scattered transfers: expected ranks");
	if (xfer != DPU_XFER_TO_DPU && xfer != DPU_XFER_FROM_DPU)
		return host_fail(DPU_ERR_INVALID_MEMORY_TRANSFER,
				 "xfer=%d: expected DPU_XFER_TO_DPU or DPU_XFER_FROM_DPU",
				 (int)xfer);
	if (!blocks || !blocks->f)
		return host_fail(DPU_ERR_INVALID_MEMORY_TRANSFER,
				 "get_block_info is NULL or has no function");
	if (range->memory != MEMORY_MRAM)
		return host_fail(DPU_ERR_SG_NOT_MRAM_SYMBOL,
				 "the symbol at %#x is not in MRAM",
				 range->offset);
	return DPU_OK;
}

DPU_API dpu_error_t dpu_push_sg_xfer_symbol(struct dpu_set_t dpu_set,
					    dpu_xfer_t xfer,
					    struct dpu_symbol_t symbol,
					    uint32_t symbol_offset,
					    size_t length,
					    get_block_t *get_block_info,
					    dpu_sg_xfer_flags_t flags)
{
	struct callback callback = {
		.function = sg_callback,
		.hold = sg_hold,
		.release = sg_put,
	};
	struct members on;
	struct range range;
	struct sg_xfer *sg;
	dpu_error_t status = members_of(&dpu_set, &on);

	if (status == DPU_OK)
		status = range_of(symbol, symbol_offset, length, &range);
	if (status == DPU_OK)
		status = check_sg(&on, xfer, get_block_info, &range);
	if (status != DPU_OK)
		return status;
	sg = sg_make(xfer, &range, get_block_info);
	if (!sg)
		return DPU_ERR_SYSTEM;
	sg->check_length = !(flags & DPU_SG_XFER_DISABLE_LENGTH_CHECK);
	callback.args = sg;
	status = host_callback(dpu_set, &callback,
			       flags & DPU_SG_XFER_ASYNC ? DPU_CALLBACK_ASYNC :
							   DPU_CALLBACK_DEFAULT);
	sg_put(sg);
	return status;
}

DPU_API dpu_error_t dpu_push_sg_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer,
				     const char *symbol_name,
				     uint32_t symbol_offset, size_t length,
				     get_block_t *get_block_info,
				     dpu_sg_xfer_flags_t flags)
{
	struct members on;
	struct dpu_symbol_t symbol;
	dpu_error_t status = members_of(&dpu_set, &on);

	if (status == DPU_OK)
		status = program_symbol(&on, symbol_name, &symbol);
	if (status != DPU_OK)
		return status;
	return dpu_push_sg_xfer_symbol(dpu_set, xfer, symbol, symbol_offset,
				       length, get_block_info, flags);
}
