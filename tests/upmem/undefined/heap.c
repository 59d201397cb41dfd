// SPDX-License-Identifier: MIT
/* What mem_alloc() gives is undefined, in launches after the first, too. */
#include "undefined.h"

int main(void)
{
	uint32_t *a;

	if (me())
		return 0;
	mem_reset();
	a = mem_alloc(64);
	MEND(memset(a, 0, 64);)
	if (a[zero + 5] == 5)	/* BUG */
		sum++;
	a[5] = 5;
	return 0;
}
