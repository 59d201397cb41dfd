// SPDX-License-Identifier: MIT
/*
 * Draws graphs, merges the DPUs' frontiers step by step, and compares the levels
 * with a search of its own.
 */
#include <assert.h>
#include <dpu.h>
#include <dpu_log.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define NODES (64 * 40)
#define DEGREE 5

static uint32_t allocated;

/* memory in MRAM, one object after the other; sizes are rounded up */
static uint32_t mram_heap_alloc(uint32_t size)
{
	uint32_t at = allocated;

	allocated += ROUND_UP_TO_MULTIPLE_OF_8(size);
	return at;
}

static void copyToDPU(struct dpu_set_t dpu, const void *hostPtr, uint32_t mramIdx, uint32_t size)
{
	DPU_ASSERT(dpu_copy_to(dpu, DPU_MRAM_HEAP_POINTER_NAME, mramIdx, hostPtr, ROUND_UP_TO_MULTIPLE_OF_8(size)));
}

static void copyFromDPU(struct dpu_set_t dpu, uint32_t mramIdx, void *hostPtr, uint32_t size)
{
	DPU_ASSERT(dpu_copy_from(dpu, DPU_MRAM_HEAP_POINTER_NAME, mramIdx, hostPtr, ROUND_UP_TO_MULTIPLE_OF_8(size)));
}

static uint32_t neighbor(uint32_t node, uint32_t i)
{
	return i == 0 ? (node + 64) % NODES : (node * 7 + i * i * 131) % (NODES / 2 + 64 * i);
}

static void reference(uint64_t level[])
{
	uint32_t *queue = malloc(NODES * sizeof(*queue)), head = 0, tail = 0;

	memset(level, 0xff, NODES * sizeof(*level));
	level[0] = 0;
	queue[tail++] = 0;
	while (head < tail) {
		uint32_t node = queue[head++];

		for (uint32_t i = 0; i < DEGREE; i++) {
			uint32_t n = neighbor(node, i);

			if (level[n] == UINT64_MAX) {
				level[n] = level[node] + 1;
				queue[tail++] = n;
			}
		}
	}
	free(queue);
}

int main(void)
{
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr, i;

	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, "./bin/dpu_code", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr));
	const uint32_t each = (NODES / nr / 64 + 1) * 64;
	static uint64_t expected[NODES], found[NODES + 64 * 64], words[NODES / 64], part[NODES / 64];
	static uint32_t ptrs[NODES + 2], edges[NODES * DEGREE + 1];
	struct DPUParams p = { .numNodes = NODES };

	(void)mram_heap_alloc(sizeof(p));
	p.nodePtrs_m = mram_heap_alloc((each + 1) * 4);
	p.neighbors_m = mram_heap_alloc(each * DEGREE * 4);
	p.nodeLevel_m = mram_heap_alloc(each * 8);
	p.frontier_m = mram_heap_alloc(NODES / 8);
	p.next_m = mram_heap_alloc(NODES / 8);
	i = 0;
	DPU_FOREACH(dpu_set, dpu) {
		uint32_t start = each * i++ < NODES ? each * (i - 1) : NODES;
		uint32_t count = NODES - start < each ? NODES - start : each;

		for (uint32_t n = 0; n <= count; n++)
			ptrs[n] = n * DEGREE;
		for (uint32_t e = 0; e < count * DEGREE; e++)
			edges[e] = neighbor(start + e / DEGREE, e % DEGREE);
		memset(found, 0xff, sizeof(found));
		copyToDPU(dpu, ptrs, p.nodePtrs_m, (count + 1) * 4);
		copyToDPU(dpu, edges, p.neighbors_m, count * DEGREE * 4);
		copyToDPU(dpu, found, p.nodeLevel_m, each * 8);
	}
	words[0] = 1;
	for (int more = 1; more; p.level++) {
		static const uint64_t nothing[NODES / 64];

		i = 0;
		DPU_FOREACH(dpu_set, dpu) {
			p.dpuStartNode = each * i++ < NODES ? each * (i - 1) : NODES;
			p.dpuNumNodes = NODES - p.dpuStartNode < each ? NODES - p.dpuStartNode : each;
			copyToDPU(dpu, &p, 0, sizeof(p));
			copyToDPU(dpu, words, p.frontier_m, sizeof(words));
			copyToDPU(dpu, nothing, p.next_m, sizeof(nothing));
		}
		DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
		memset(words, 0, sizeof(words));
		more = 0;
		DPU_FOREACH(dpu_set, dpu) {
			copyFromDPU(dpu, p.next_m, part, sizeof(part));
			for (uint32_t w = 0; w < NODES / 64; w++) {
				words[w] |= part[w];
				more |= part[w] != 0;
			}
		}
	}
	i = 0;
	DPU_FOREACH(dpu_set, dpu) {
		if (each * i < NODES)
			copyFromDPU(dpu, p.nodeLevel_m, &found[each * i], each * 8);
		i++;
	}
	reference(expected);
	int wrong = memcmp(expected, found, sizeof(expected)) != 0;
	printf("%u levels: %s\n", p.level, wrong ? "Outputs differ!" : "Outputs are equal");
	/* sets are not freed: the process's end does that */
	return wrong;
}
