// SPDX-License-Identifier: MIT
/* A string without its end: the library's use is its caller's. */
#include "undefined.h"

int main(void)
{
	char text[8];

	text[0] = 'a' + zero;
	MEND(text[1] = 0;)
	sum += strlen(text);	/* BUG */
	return 0;
}
