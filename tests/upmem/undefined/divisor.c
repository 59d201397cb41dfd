// SPDX-License-Identifier: MIT
/* What is divided by. */
#include "undefined.h"

int main(void)
{
	uint32_t *by = mem_alloc(8);

	MEND(by[1] = 3;)
	sum += 100 / (by[zero + 1] | 1);	/* BUG */
	return 0;
}
