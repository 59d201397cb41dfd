// SPDX-License-Identifier: MIT
/* A number that is printed. */
#include "undefined.h"

int main(void)
{
	uint32_t x;

	if (me())
		return 0;
	MEND(x = 5;)
	if (zero)
		x = 3;
	printf("%u\n", x);	/* BUG */
	return 0;
}
