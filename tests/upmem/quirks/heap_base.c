// SPDX-License-Identifier: MIT
/*
 * Without printing, the heap in MRAM begins at 0; a printf that nothing calls
 * costs nothing.
 * quirk: tasklets=1
 * show: __sys_used_mram_end MRAM+0 67108864
 */
#include <mram.h>
#include <stdio.h>

#include "quirk.h"

void unused(void);

void unused(void)
{
	printf("never\n");
}

int main(void)
{
	CHECK((uint32_t)DPU_MRAM_HEAP_POINTER == 0x08000000);
	quirk_end();
	return 0;
}
