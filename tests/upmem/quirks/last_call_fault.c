// SPDX-License-Identifier: MIT
/*
 * A transfer that is the last thing a function does is told at its line.
 * quirk: tasklets=1
 * fault: 9 the MRAM ends before, at .*last_call_fault.c:14 (fetch)
 */
#include <mram.h>

#include "quirk.h"

__attribute__((noinline))
static void fetch(uint32_t from, void *to)
{
	mram_read((const __mram_ptr void *)from, to, 8);
}

int main(void)
{
	static __dma_aligned uint8_t word[8];

	fetch(65 << 20, word);
	CHECK(word[0]);
	return 0;
}
