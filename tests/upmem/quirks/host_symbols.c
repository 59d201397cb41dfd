// SPDX-License-Identifier: MIT
/*
 * What the host sees: names of objects in WRAM and MRAM, static ones too, with
 * their sizes. Objects in WRAM are there whether the program uses them or not.
 * quirk: tasklets=1
 * show: arguments WRAM+.* 12$
 * show: hidden WRAM+.* 4 = 9$
 * show: array MRAM+0 48$
 * show: zeros MRAM+0x30 4
 */
#include <mram.h>

#include "quirk.h"

struct arguments {
	uint32_t a, b, c;
};

struct arguments __host arguments;
static __host uint32_t hidden = 9;
__mram_noinit uint64_t array[6];
uint32_t __mram zeros;

int main(void)
{
	uintptr_t used = (uintptr_t)&array;

	/* a compiler that knows the alignment would not use the array */
	__asm__("" : "+r"(used));
	CHECK((uintptr_t)&arguments % 8 == 0 && used % 8 == 0);
	CHECK((uintptr_t)&zeros % 8 == 0 && zeros == 0);
	quirk_end();
	return 0;
}
