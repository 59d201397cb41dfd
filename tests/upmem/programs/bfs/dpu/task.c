// SPDX-License-Identifier: MIT
/* Breadth-first search: the nodes of this DPU that are in the frontier put their
 * neighbours into the next one, a bit each, in words under a mutex. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>

#include "common.h"

BARRIER_INIT(my_barrier, NR_TASKLETS);
MUTEX_INIT(nextFrontierMutex);

static uint64_t load8B(uint32_t ptr_m, uint32_t idx, uint64_t *cache_w)
{
	mram_read((__mram_ptr void const *)(ptr_m + idx * 8), cache_w, 8);
	return cache_w[0];
}

static uint32_t load4B(uint32_t ptr_m, uint32_t idx, uint64_t *cache_w)
{
	uint32_t address = ptr_m + idx * 4;
	uint32_t offset = (address & 7u) / 4;

	mram_read((__mram_ptr void const *)(address & ~7u), cache_w, 8);
	return ((uint32_t *)cache_w)[offset];
}

static void store8B(uint64_t value, uint32_t ptr_m, uint32_t idx, uint64_t *cache_w)
{
	cache_w[0] = value;
	mram_write(cache_w, (__mram_ptr void *)(ptr_m + idx * 8), 8);
}

static void visit(const struct DPUParams *p, uint32_t heap, uint32_t node, uint64_t *cache)
{
	uint32_t begin = load4B(heap + p->nodePtrs_m, node, cache);
	uint32_t end = load4B(heap + p->nodePtrs_m, node + 1, cache);

	for (uint32_t i = begin; i < end; i++) {
		uint32_t neighbor = load4B(heap + p->neighbors_m, i, cache);

		mutex_id_t mutex = MUTEX_GET(nextFrontierMutex);
		mutex_lock(mutex);
		uint64_t word = load8B(heap + p->next_m, neighbor / 64, cache);
		store8B(word | 1ull << neighbor % 64, heap + p->next_m, neighbor / 64, cache);
		mutex_unlock(mutex);
	}
}

int main(void)
{
	uint32_t heap = (uint32_t)DPU_MRAM_HEAP_POINTER;

	if (me() == 0)
		mem_reset();
	barrier_wait(&my_barrier);
	struct DPUParams *p = mem_alloc(ROUND_UP_TO_MULTIPLE_OF_8(sizeof(struct DPUParams)));
	uint64_t *cache = mem_alloc(8);

	mram_read((__mram_ptr void const *)heap, p, ROUND_UP_TO_MULTIPLE_OF_8(sizeof(struct DPUParams)));
	/* a level is 8 bytes, so that tasklets write words of their own */
	for (uint32_t n = me(); n < p->dpuNumNodes; n += NR_TASKLETS) {
		uint32_t node = p->dpuStartNode + n;

		if (load8B(heap + p->nodeLevel_m, n, cache) != UINT64_MAX ||
		    !(load8B(heap + p->frontier_m, node / 64, cache) >> node % 64 & 1))
			continue;
		store8B(p->level, heap + p->nodeLevel_m, n, cache);
		visit(p, heap, n, cache);
	}
	return 0;
}
