// SPDX-License-Identifier: MIT
/* Transfers between MRAM and scattered blocks of host memory. */
#include <string.h>

#include "check.h"

#define NR	70	/* two ranks */
#define BYTES	256
#define HEAP	DPU_MRAM_HEAP_POINTER_NAME

static uint8_t memory[NR][BYTES];

struct cut {
	uint32_t skew;	/* lengths differ from DPU to DPU */
};

/* pieces of 1, 2, 3... bytes, an empty one among them, the last what is left */
static bool piece(struct sg_block_info *out, uint32_t dpu, uint32_t block,
		  void *args)
{
	const struct cut *cut = args;
	uint32_t total = BYTES - cut->skew * (dpu % 5);
	uint32_t begin = block * (block + 1) / 2;

	if (begin >= total)
		return false;
	out->addr = &memory[dpu][begin];
	out->length = begin + block + 1 < total ? block + 1 : total - begin;
	return true;
}

static bool none(struct sg_block_info *out, uint32_t dpu, uint32_t block,
		 void *args)
{
	(void)out;
	(void)dpu;
	(void)block;
	(void)args;
	return false;
}

static void fill(uint8_t seed)
{
	for (int d = 0; d < NR; d++)
		for (int b = 0; b < BYTES; b++)
			memory[d][b] = (uint8_t)(d * 31 + b * 7 + seed);
}

static void whole(struct dpu_set_t set, unsigned int flags)
{
	struct cut cut = { 0 };
	get_block_t blocks = { piece, &cut, sizeof(cut) };
	uint8_t back[BYTES];
	struct dpu_set_t dpu;
	uint32_t i;

	fill((uint8_t)flags);
	OK(dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, HEAP, 64, BYTES, &blocks,
			    (dpu_sg_xfer_flags_t)flags));
	OK(dpu_sync(set));
	DPU_FOREACH(set, dpu, i) {
		OK(dpu_copy_from(dpu, HEAP, 64, back, BYTES));
		CHECK(!memcmp(back, memory[i], BYTES));
	}
	memset(memory, 0, sizeof(memory));
	OK(dpu_push_sg_xfer(set, DPU_XFER_FROM_DPU, HEAP, 64, BYTES, &blocks,
			    (dpu_sg_xfer_flags_t)flags));
	OK(dpu_sync(set));
	DPU_FOREACH(set, dpu, i) {
		OK(dpu_copy_from(dpu, HEAP, 64, back, BYTES));
		CHECK(!memcmp(back, memory[i], BYTES));
	}
}

/* blocks of any length, and nothing beyond them is written */
static void lengths(struct dpu_set_t set)
{
	struct cut cut = { .skew = 3 };
	get_block_t blocks = { piece, &cut, sizeof(cut) };
	uint8_t back[BYTES], marks[BYTES];
	struct dpu_set_t dpu;
	uint32_t i;

	memset(marks, 0xee, sizeof(marks));
	OK(dpu_broadcast_to(set, HEAP, 0, marks, BYTES, DPU_XFER_DEFAULT));
	fill(9);
	FAILS(DPU_ERR_SG_LENGTH_MISMATCH,
	      dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, BYTES, &blocks,
			       DPU_SG_XFER_DEFAULT));
	OK(dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, BYTES, &blocks,
			    DPU_SG_XFER_DISABLE_LENGTH_CHECK));
	DPU_FOREACH(set, dpu, i) {
		uint32_t total = BYTES - 3 * (i % 5);

		OK(dpu_copy_from(dpu, HEAP, 0, back, BYTES));
		CHECK(!memcmp(back, memory[i], total));
		CHECK(!memcmp(back + total, marks, BYTES - total));
	}
}

static void refusals(void)
{
	struct cut cut = { 0 };
	get_block_t blocks = { piece, &cut, sizeof(cut) };
	get_block_t nothing = { none, NULL, 0 };
	struct dpu_set_t set, dpu;

	OK(dpu_alloc(NR, NULL, &set));
	OK(dpu_load(set, "errors.dpu", NULL));
	FAILS(DPU_ERR_SG_NOT_ACTIVATED,
	      dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, BYTES, &blocks,
			       DPU_SG_XFER_DEFAULT));
	OK(dpu_free(set));
	OK(dpu_alloc(NR, "sgXferEnable=true,sgXferMaxBlocksPerDpu=4", &set));
	OK(dpu_load(set, "errors.dpu", NULL));
	FAILS(DPU_ERR_SG_TOO_MANY_BLOCKS,
	      dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, BYTES, &blocks,
			       DPU_SG_XFER_DEFAULT));
	FAILS(DPU_ERR_SG_NOT_MRAM_SYMBOL,
	      dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, "word", 0, 8, &blocks,
			       DPU_SG_XFER_DEFAULT));
	OK(dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, 0, &nothing,
			    DPU_SG_XFER_DEFAULT));
	DPU_FOREACH(set, dpu) {
		FAILS(DPU_ERR_INTERNAL,
		      dpu_push_sg_xfer(dpu, DPU_XFER_TO_DPU, HEAP, 0, BYTES,
				       &blocks, DPU_SG_XFER_DEFAULT));
		break;
	}
	OK(dpu_free(set));
}

int main(void)
{
	struct dpu_set_t set;

	OK(dpu_alloc(NR, "nrJobsPerRank=256,sgXferEnable=true", &set));
	OK(dpu_load(set, "errors.dpu", NULL));
	whole(set, DPU_SG_XFER_DEFAULT);
	whole(set, DPU_SG_XFER_ASYNC);
	lengths(set);
	OK(dpu_free(set));
	refusals();
	return check_result();
}
