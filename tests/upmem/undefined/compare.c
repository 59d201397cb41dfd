// SPDX-License-Identifier: MIT
/* Bytes that memcmp() compares; those behind the first that differ are none. */
#include "undefined.h"

int main(void)
{
	uint8_t a[32], b[32];

	a[0] = 1 + zero;
	b[0] = 2;
	MEND(b[0] = 1; a[1] = 3; b[1] = 4;)
	if (memcmp(a, b, 1 + zero) > 0)
		sum++;
	b[0] = 1;
	if (memcmp(a, b, 32))	/* BUG */
		sum++;
	return 0;
}
