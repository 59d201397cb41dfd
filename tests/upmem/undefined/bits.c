// SPDX-License-Identifier: MIT
/* One bit of a word is defined, and all that depends on it alone. */
#include "undefined.h"

int main(void)
{
	uint32_t *word = mem_alloc(sizeof(*word)), mask = 3;

	*word = (*word & ~1u) | zero;
	MEND(mask = 1;)
	if (*word & 1)
		sum++;
	if (*word & (mask + zero))	/* BUG */
		sum++;
	return 0;
}
