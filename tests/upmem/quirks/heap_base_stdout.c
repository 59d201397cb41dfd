// SPDX-License-Identifier: MIT
/*
 * STDOUT_BUFFER_INIT says how much MRAM printing takes.
 * quirk: tasklets=1
 * show: __sys_used_mram_end MRAM+0x1000 67104768
 */
#include <mram.h>
#include <stdio.h>

#include "quirk.h"

STDOUT_BUFFER_INIT(4096)

int main(void)
{
	putchar('a');
	quirk_end();
	return 0;
}
