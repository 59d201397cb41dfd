// SPDX-License-Identifier: MIT
/* A variable that is set on one way only, which the program does not take. */
#include "undefined.h"

int main(void)
{
	int x;

	if (zero)
		x = 3;
	MEND(x = 4;)
	if (x > 2)	/* BUG */
		sum++;
	return 0;
}
