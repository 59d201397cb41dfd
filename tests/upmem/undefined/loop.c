// SPDX-License-Identifier: MIT
/* The bound of a loop. */
#include "undefined.h"

static uint32_t bound(uint32_t given)
{
	uint32_t n;

	MEND(n = 3;)
	if (given)
		n = given;
	return n;
}

int main(void)
{
	uint32_t n = bound(zero) & 7;

	for (uint32_t i = 0; i < n; i++)	/* BUG */
		sum += i;
	return 0;
}
