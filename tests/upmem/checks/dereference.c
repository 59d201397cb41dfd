// SPDX-License-Identifier: MIT
/* MRAM is dereferenced: neighbours write the same word. */
#include "race.h"

__mram_noinit uint32_t out[NR_TASKLETS];

int main(void)
{
	uint32_t shift = 1;

	MEND(shift = 0;)
	out[me() >> shift] = me();	/* BUG_1 */
	return 0;
}
