// SPDX-License-Identifier: MIT
/*
 * Pointers fit into 32 bits; a transfer takes an MRAM address with and without
 * its tag, as number or pointer.
 * quirk: tasklets=4
 */
#include <alloc.h>
#include <mram.h>

#include "quirk.h"

__mram_noinit uint64_t words[64];
__mram uint32_t table[2] = { 5, 6 };	/* of addresses, as a host writes it */
static uint32_t number;
static int constant_free(int x);

static int constant_free(int x)
{
	return x + 1;
}

int main(void)
{
	uint64_t *buffer = mem_alloc(64);
	uint32_t wram = (uint32_t)buffer, local = (uint32_t)&wram;
	uint32_t heap = (uint32_t)words + me() * 64;
	int (*function)(int) = constant_free;

	CHECK(sizeof(uintptr_t) == 4 && *(__mram_ptr uintptr_t *)table == 5);
	CHECK((uint64_t *)wram == buffer && (uint32_t *)local == &wram);
	CHECK(((int (*)(int))(uint32_t)function)(4) == 5);
	number = (uint32_t)&number;
	for (int i = 0; i < 8; i++)
		buffer[i] = 100 * me() + i;
	mram_write(buffer, (__mram_ptr void *)heap, 64);
	for (int i = 0; i < 8; i++)
		buffer[i] = 0;
	/* these bytes by their offset */
	mram_read((__mram_ptr void *)(heap - 0x08000000), buffer, 64);
	for (uint32_t i = 0; i < 8; i++)
		CHECK(buffer[i] == 100 * me() + i);
	CHECK(*(__mram_ptr uint64_t *)(heap + 8) == 100 * me() + 1);
	quirk_end();
	return 0;
}
