// SPDX-License-Identifier: MIT
/* Records of any length, packed in MRAM without regard to 8 bytes: written, read,
 * sorted into lists of fixed blocks, counted under virtual mutexes. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <mutex.h>
#include <stdint.h>
#include <string.h>
#include <vmutex.h>

#define RECORDS 400
#define MAX_BYTES 32

struct item {
	struct item *next;
	uint32_t number;
};

__mram_noinit uint8_t packed[RECORDS * MAX_BYTES];
__mram_noinit uint32_t counters[64];
__host uint64_t checksum;
__host uint32_t items;

BARRIER_INIT(my_barrier, NR_TASKLETS);
MUTEX_INIT(list_mutex);
VMUTEX_INIT(counter_locks, 64, 8);

static fsb_allocator_t allocator;
static struct item *list;

static uint32_t length_of(uint32_t n)
{
	return 8 + n * 5 % 17;
}

static uint32_t offset_of(uint32_t n)
{
	return n * MAX_BYTES + n % 8;
}

/* the text of a record, at an address that is as far from 8 bytes as MRAM's */
static uint8_t *text_of(uint32_t n, uint8_t *buffer)
{
	uint8_t *text = buffer + offset_of(n) % 8;

	for (uint32_t i = 0; i < length_of(n); i++)
		text[i] = (uint8_t)(n * 3 + i);
	return text;
}

static void keep(uint32_t n)
{
	struct item *item = fsb_get(allocator);

	if (!item)
		return;
	item->number = n;
	mutex_lock(list_mutex);
	item->next = list;
	list = item;
	mutex_unlock(list_mutex);
}

static void count(uint32_t n)
{
	vmutex_lock(&counter_locks, (uint16_t)(n % 64));
	counters[n % 64]++;
	vmutex_unlock(&counter_locks, (uint16_t)(n % 64));
}

int main(void)
{
	__dma_aligned uint8_t buffer[MAX_BYTES + 16];
	uint64_t sum = 0;

	if (me() == 0) {
		mem_reset();
		allocator = fsb_alloc(sizeof(struct item), RECORDS / 2);
		list = NULL;
		checksum = items = 0;
		for (uint32_t i = 0; i < 64; i++)
			counters[i] = 0;
	}
	barrier_wait(&my_barrier);
	for (uint32_t n = me(); n < RECORDS; n += NR_TASKLETS)
		mram_write_unaligned(text_of(n, buffer), &packed[offset_of(n)], length_of(n));
	barrier_wait(&my_barrier);
	for (uint32_t n = me(); n < RECORDS; n += NR_TASKLETS) {
		uint8_t *text = mram_read_unaligned(&packed[offset_of(n)], buffer, length_of(n));

		for (uint32_t i = 0; i < length_of(n); i++)
			sum += text[i] * (n + 1);
		if (n % 2)
			keep(n);
		count(n);
	}
	mutex_lock(list_mutex);
	checksum += sum;
	mutex_unlock(list_mutex);
	barrier_wait(&my_barrier);
	if (me() == 0)
		for (struct item *item = list; item; items++) {
			struct item *next = item->next;

			fsb_free(allocator, item);
			item = next;
		}
	return 0;
}
