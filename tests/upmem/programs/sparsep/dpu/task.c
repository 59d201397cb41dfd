// SPDX-License-Identifier: MIT
/* A 2D tile of a COO matrix times its part of the vector; rows that tasklets
 * share are added to under one of many locks, or all under one. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <seqread.h>

#include "common.h"

#ifdef FGLOCK
MUTEX_INIT(mutex_0);
MUTEX_INIT(mutex_1);
MUTEX_INIT(mutex_2);
MUTEX_INIT(mutex_3);
static mutex_id_t mutexes[4];
#define LOCKS 4
#else
MUTEX_INIT(my_mutex);
static mutex_id_t mutexes[1];
#define LOCKS 1
#endif

BARRIER_INIT(my_barrier, NR_TASKLETS);

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;

static void name_locks(void)
{
#ifdef FGLOCK
	mutexes[0] = MUTEX_GET(mutex_0);
	mutexes[1] = MUTEX_GET(mutex_1);
	mutexes[2] = MUTEX_GET(mutex_2);
	mutexes[3] = MUTEX_GET(mutex_3);
#else
	mutexes[0] = my_mutex;
#endif
}

int main(void)
{
	const dpu_arguments_t *p = &DPU_INPUT_ARGUMENTS;

	if (me() == 0) {
		mem_reset();
		name_locks();
	}
	barrier_wait(&my_barrier);

	uint32_t y = (uint32_t)DPU_MRAM_HEAP_POINTER;
	uint32_t x = y + p->max_rows * 8;
	uint32_t elems = x + p->max_cols * 8;
	uint32_t each = (p->nnz + NR_TASKLETS - 1) / NR_TASKLETS;
	uint32_t begin = me() * each, end = begin + each < p->nnz ? begin + each : p->nnz;
	int64_t *cache_x = mem_alloc(8), *cache_y = mem_alloc(8);

	cache_y[0] = 0;
	for (uint32_t r = me(); r < p->rows; r += NR_TASKLETS)
		mram_write(cache_y, (__mram_ptr void *)(y + r * 8), 8);
	barrier_wait(&my_barrier);
	if (begin >= end)
		return 0;

	seqreader_t reader;
	seqreader_buffer_t buffer = seqread_alloc();
	struct elem_t *elem = seqread_init(buffer, (__mram_ptr void *)(elems + begin * (uint32_t)sizeof(struct elem_t)), &reader);

	for (uint32_t i = begin; i < end; i++) {
		mutex_id_t lock = mutexes[elem->rowind % LOCKS];

		mram_read((__mram_ptr void const *)(x + elem->colind * 8), cache_x, 8);
		mutex_lock(lock);
		mram_read((__mram_ptr void const *)(y + elem->rowind * 8), cache_y, 8);
		cache_y[0] += (int64_t)((val_dt)elem->val * (val_dt)cache_x[0]);
		mram_write(cache_y, (__mram_ptr void *)(y + elem->rowind * 8), 8);
		mutex_unlock(lock);
		elem = seqread_get(elem, sizeof(struct elem_t), &reader);
	}
	return 0;
}
