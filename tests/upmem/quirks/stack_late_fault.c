// SPDX-License-Identifier: MIT
/*
 * A stack that grew too far, but not into its guard, is a fault at the end.
 * quirk: tasklets=1
 * flags: -DSTACK_SIZE_DEFAULT=256
 * fault: 11 stack overflow: 2[0-9]* bytes in use, 256 are declared for tasklet 0
 */
#include "quirk.h"

static void fill(volatile char *at, int bytes)
{
	while (bytes--)
		*at++ = 1;
}

static void (*volatile filled)(volatile char *, int) = fill;

int main(void)
{
	char much[2048];

	filled(much, sizeof(much));
	quirk_end();
	return 0;
}
