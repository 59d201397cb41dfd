// SPDX-License-Identifier: MIT
/*
 * An unaligned write needs addresses that agree modulo 8.
 * quirk: tasklets=1
 * fault: 8 differ modulo 8, at .*unaligned_fault.c:16 (main)
 */
#include <mram_unaligned.h>

#include "quirk.h"

__mram uint8_t bytes[64];
static uint64_t source[4];

int main(void)
{
	mram_write_unaligned(source, &bytes[3], 5);
	return 0;
}
