// SPDX-License-Identifier: MIT
/* A block that was given back, and is given out again. */
#include "undefined.h"

int main(void)
{
	fsb_allocator_t pool;
	uint32_t *a;

	if (me())
		return 0;
	pool = fsb_alloc(32, 2);
	a = fsb_get(pool);
	memset(a, 0, 32);
	sum += a[7];
	fsb_free(pool, a);
	a = fsb_get(pool);
	MEND(memset(a, 0, 32);)
	if (a[zero + 7])	/* BUG */
		sum++;
	return 0;
}
