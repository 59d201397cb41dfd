// SPDX-License-Identifier: MIT
/* A block of the buddy allocator, which grows. */
#include "undefined.h"

int main(void)
{
	uint32_t *a;

	if (me())
		return 0;
	buddy_init(4096);
	a = buddy_alloc(64);
	memset(a, 0, 64);
	a = buddy_realloc(a, 128);
	MEND(memset(a, 0, 128);)
	if (a[zero + 3])
		sum++;
	if (a[zero + 20])	/* BUG */
		sum++;
	return 0;
}
