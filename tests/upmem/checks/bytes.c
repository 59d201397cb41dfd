// SPDX-License-Identifier: MIT
/* A copy by the library reaches one byte into the neighbour's. */
#include "race.h"

uint8_t rows[NR_TASKLETS + 1][16];

int main(void)
{
	uint32_t n = 17;

	MEND(n = 16;)
	__asm__ volatile("" : "+r"(n));
	memset(rows[me()], 1, n);	/* BUG_1 */
	return 0;
}
