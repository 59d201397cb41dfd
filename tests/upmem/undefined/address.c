// SPDX-License-Identifier: MIT
/* An index. */
#include "undefined.h"

uint32_t table[8] = { 1, 2, 3 };

int main(void)
{
	uint8_t *indices = mem_alloc(8);

	MEND(indices[3] = 1;)
	sum += table[indices[zero + 3] & 7];	/* BUG */
	return 0;
}
