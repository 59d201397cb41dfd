// SPDX-License-Identifier: MIT
/* A switch. */
#include "undefined.h"

int main(void)
{
	uint32_t x;

	MEND(x = 2;)
	if (zero)
		x = 1;
	switch (x) {	/* BUG */
	case 1:
		sum += 5;
		break;
	case 2:
		sum += zero;
		break;
	case 7:
		sum -= 3;
	}
	return 0;
}
