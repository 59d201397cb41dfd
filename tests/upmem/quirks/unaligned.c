// SPDX-License-Identifier: MIT
/*
 * Reads and writes at any address leave their neighbours alone, whoever writes
 * those at the same time.
 * quirk: tasklets=16
 */
#include <barrier.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <stddef.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
__mram uint8_t bytes[4096];
__mram int counters[5];
__mram uint8_t small[16];

static void increment(int *x, void *by)
{
	*x += *(int *)by;
}

static void increment_byte(uint8_t *x, void *unused)
{
	(void)unused;
	(*x)++;
}

static void check_read(void)
{
	static uint64_t buffers[NR_TASKLETS][6];

	for (uint32_t from = 0; from < 9; from++)
		for (uint32_t n = 1; n <= 24; n++) {
			uint8_t *p = mram_read_unaligned(&bytes[from],
							 buffers[me()], n);

			for (uint32_t i = 0; i < n; i++)
				CHECK(p[i] == (uint8_t)((from + i) / 37 + 1));
		}
}

int main(void)
{
	static uint64_t sources[NR_TASKLETS][6];
	uint8_t *source = (uint8_t *)sources[me()];
	uint32_t at = me() * 37;
	int by = 3;

	/* pieces of 37 bytes, side by side */
	for (int i = 0; i < 48; i++)
		source[i] = (uint8_t)(me() + 1);
	for (int round = 0; round < 20; round++)
		mram_write_unaligned(source + at % 8, &bytes[at], 37);
	for (int i = 0; i < 100; i++) {
		mram_update_int_atomic(&counters[i % 5], increment, &by);
		mram_update_byte_atomic(&small[i % 16], increment_byte, NULL);
	}
	barrier_wait(&barrier);
	check_read();
	for (uint32_t i = 0; i < NR_TASKLETS * 37; i++)
		CHECK(bytes[i] == i / 37 + 1);
	CHECK(bytes[NR_TASKLETS * 37] == 0);
	CHECK(counters[4] == NR_TASKLETS * 20 * 3);
	CHECK(small[0] == NR_TASKLETS * 7 && small[15] == NR_TASKLETS * 6);
	barrier_wait(&barrier);
	mram_write_int_atomic(&counters[me() & 1], 42);
	mram_write_byte_atomic(&small[me()], me());
	barrier_wait(&barrier);
	CHECK(counters[0] == 42 && counters[1] == 42 && small[9] == 9);
	quirk_end();
	return 0;
}
