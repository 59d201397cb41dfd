// SPDX-License-Identifier: MIT
/*
 * One printf links 1 MiB of MRAM at 0; objects lie behind it, the uninitialised
 * ones first.
 * quirk: tasklets=1
 * show: __sys_used_mram_end MRAM+0x100018 66060264
 * show: first MRAM+0x100000 8
 * show: second MRAM+0x100008 16
 */
#include <mram.h>
#include <stdio.h>

#include "quirk.h"

__mram uint32_t second[4] = { 1, 2, 3, 4 };
__mram_noinit uint64_t first;

int main(void)
{
	CHECK((uint32_t)DPU_MRAM_HEAP_POINTER == 0x08100018);
	CHECK(second[2] == 3);
	printf("%u\n", second[2]);
	first = 1;
	quirk_end();
	return 0;
}
