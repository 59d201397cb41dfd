// SPDX-License-Identifier: MIT
/*
 * MRAM without DMA: tables looked up by pointers, results stored through them,
 * hash chains of structures, memset and memcpy on MRAM.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <string.h>

#include "common.h"

__mram_noinit float lut[ENTRIES];
__mram_noinit float inputs[INPUTS];
__mram_noinit float outputs[INPUTS];
__mram uint64_t scale = 2;
__mram_noinit uint32_t heads[BUCKETS];
__mram_noinit struct node nodes[NODES];
__host uint32_t found;

BARRIER_INIT(my_barrier, NR_TASKLETS);
MUTEX_INIT(list_mutex);

static float interpolate(float x)
{
	float position = x * (ENTRIES - 1);
	uint32_t index = (uint32_t)position;
	float low = lut[index], high = lut[index + 1 < ENTRIES ? index + 1 : index];

	return low + (high - low) * (position - (float)index);
}

static void insert(uint32_t n)
{
	__mram_ptr struct node *node = &nodes[n];
	struct node copy;
	uint32_t bucket = (n * 37) % BUCKETS;

	copy.key = n * 37;
	copy.value = n ^ 0x5555;
	copy.touched = 0;
	copy.tag[0] = copy.tag[1] = copy.tag[2] = (uint8_t)n;
	mutex_lock(list_mutex);
	copy.next = heads[bucket];
	*node = copy;
	heads[bucket] = n;
	mutex_unlock(list_mutex);
}

static uint32_t lookup(uint32_t key)
{
	for (uint32_t n = heads[key % BUCKETS]; n; n = nodes[n].next)
		if (nodes[n].key == key) {
			nodes[n].touched++;
			return nodes[n].value;
		}
	return 0;
}

int main(void)
{
	uint32_t mine = 0;

	if (me() == 0) {
		memset((__mram_ptr void *)heads, 0, sizeof(heads));
		found = 0;
	}
	barrier_wait(&my_barrier);
	for (uint32_t i = me(); i < INPUTS; i += NR_TASKLETS)
		outputs[i] = interpolate(inputs[i]) * (float)scale;
	for (uint32_t n = 1 + me(); n < NODES; n += NR_TASKLETS)
		insert(n);
	barrier_wait(&my_barrier);
	for (uint32_t n = 1 + me(); n < NODES; n += NR_TASKLETS)
		mine += lookup(n * 37) == (n ^ 0x5555) && nodes[n].tag[2] == (uint8_t)n && nodes[n].touched == 1;
	mutex_lock(list_mutex);
	found += mine;
	mutex_unlock(list_mutex);
	return 0;
}
