// SPDX-License-Identifier: MIT
/* Rows in by scattered transfers, launches queued, results looked at in callbacks. */
#include <dpu.h>
#include <dpu_management.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static uint32_t keys[NR_DPUS][ROWS];
static request_t requests[NR_DPUS];
static atomic_uint wrong, looked_at;

struct chunks {
	uint32_t (*keys)[ROWS];
};

/* a DPU's keys in chunks of 100 rows */
static bool get_block(struct sg_block_info *out, uint32_t dpu_index, uint32_t block_index, void *args)
{
	const struct chunks *chunks = args;

	if (block_index >= ROWS / 100)
		return false;
	out->addr = (uint8_t *)&chunks->keys[dpu_index][100 * block_index];
	out->length = 100 * sizeof(uint32_t);
	return true;
}

static uint32_t hash(uint32_t key, uint32_t seed)
{
	return (key * 2654435761u ^ seed) >> 29;
}

static int check_dpu(struct dpu_set_t dpu, uint32_t index)
{
	static _Thread_local uint32_t parts[PARTITIONS][CAPACITY];
	uint32_t counts[PARTITIONS], bits, sum = 0, expected = 0;
	uint32_t bad = 0, total = 0, expected_bits = 0;

	DPU_ASSERT(dpu_copy_from(dpu, "counts", 0, counts, sizeof(counts)));
	DPU_ASSERT(dpu_copy_from(dpu, "bits", 0, &bits, sizeof(bits)));
	DPU_ASSERT(dpu_copy_from(dpu, "partitions", 0, parts, sizeof(parts)));
	for (uint32_t p = 0; p < PARTITIONS; p++) {
		total += counts[p];
		expected_bits += __builtin_popcount(counts[p]) + __builtin_clz(counts[p] | 1);
		for (uint32_t k = 0; k < counts[p]; k++) {
			bad += hash(parts[p][k], requests[index].seed) != p;
			sum += parts[p][k];
		}
	}
	for (uint32_t k = 0; k < requests[index].rows; k++)
		expected += keys[index][k];
	return bad || total != requests[index].rows || sum != expected || bits != expected_bits;
}

struct look {
	uint32_t first[64];	/* DPU of each rank */
};

static dpu_error_t look(struct dpu_set_t rank, uint32_t rank_id, void *args)
{
	const struct look *where = args;
	struct dpu_set_t dpu;
	uint32_t i;

	DPU_FOREACH(rank, dpu, i) {
		wrong += check_dpu(dpu, where->first[rank_id] + i);
		looked_at++;
	}
	return DPU_OK;
}

int main(void)
{
	struct dpu_set_t set, rank, dpu;
	struct chunks chunks = { keys };
	struct look where = { 0 };
	get_block_t blocks = { get_block, &chunks, sizeof(chunks) };
	uint32_t nr, i, r;
	uint64_t cycles;

	DPU_ASSERT(dpu_alloc(NR_DPUS, "nrJobsPerRank=256,sgXferEnable=true,sgXferMaxBlocksPerDpu=16", &set));
	DPU_ASSERT(dpu_load(set, "./bin/partition", NULL));
	DPU_RANK_FOREACH(set, rank, r) {
		DPU_ASSERT(dpu_get_nr_dpus(rank, &nr));
		where.first[r + 1] = where.first[r] + nr;
	}
	for (i = 0; i < NR_DPUS; i++) {
		requests[i] = (request_t){ ROWS - i % 10, i * 77 };
		for (uint32_t k = 0; k < ROWS; k++)
			keys[i][k] = k * 7 + i * 1000003;
	}
	for (int round = 0; round < 3; round++) {
		DPU_ASSERT(dpu_push_sg_xfer(set, DPU_XFER_TO_DPU, "keys", 0, sizeof(keys[0]), &blocks, DPU_SG_XFER_ASYNC));
		DPU_FOREACH(set, dpu, i) {
			requests[i].seed = round * 99 + i;
			DPU_ASSERT(dpu_prepare_xfer(dpu, &requests[i]));
		}
		DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "REQUEST", 0, sizeof(request_t), DPU_XFER_ASYNC));
		DPU_ASSERT(dpu_launch(set, DPU_ASYNCHRONOUS));
		DPU_ASSERT(dpu_callback(set, look, &where, DPU_CALLBACK_ASYNC));
		DPU_ASSERT(dpu_sync(set));
	}
	DPU_FOREACH(set, dpu) {
		struct dpu_t *d = dpu_from_set(dpu);

		DPU_ASSERT(dpu_copy_from(dpu, "cycles", 0, &cycles, sizeof(cycles)));
		if (!cycles || dpu_get_id(d) != (dpu_get_rank_id(dpu_get_rank(d)) << 16 | dpu_get_slice_id(d) << 8 | dpu_get_member_id(d)))
			wrong++;
	}
	printf("%u wrong, %u looked at\n", wrong, looked_at);
	DPU_ASSERT(dpu_free(set));
	return wrong || looked_at != 3 * NR_DPUS;
}
