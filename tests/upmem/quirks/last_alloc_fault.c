// SPDX-License-Identifier: MIT
/*
 * So is an allocation, and one that is made for an allocator of blocks.
 * quirk: tasklets=1
 * fault: 1 mem_alloc.*last_alloc_fault.c:14 (blocks)
 */
#include <alloc.h>

#include "quirk.h"

__attribute__((noinline))
static fsb_allocator_t blocks(unsigned int nr)
{
	return fsb_alloc(64, nr);
}

__attribute__((noinline))
static void *some(size_t bytes)
{
	return mem_alloc(bytes);
}

int main(void)
{
	CHECK(some(100));
	CHECK(blocks(2000));
	return 0;
}
