// SPDX-License-Identifier: MIT
/* The last element of an array, which a loop leaves out. */
#include "undefined.h"

int main(void)
{
	uint32_t a[16], last = 15;

	MEND(last = 16;)
	for (uint32_t i = 0; i < last; i++)
		a[i] = zero;
	if (a[zero + 14])
		sum++;
	if (a[zero + 15])	/* BUG */
		sum++;
	return 0;
}
