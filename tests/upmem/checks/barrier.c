// SPDX-License-Identifier: MIT
/* A barrier is missing between what tasklets write and what others read. */
#include "race.h"

BARRIER_INIT(all, NR_TASKLETS)

uint32_t slots[NR_TASKLETS];

int main(void)
{
	uint32_t t = me();

	slots[t] = t;	/* BUG_1 */
	MEND(barrier_wait(&all);)
	use(slots[(t + 1) % NR_TASKLETS]);	/* BUG_2 */
	barrier_wait(&all);
	/* each in its own slot: no race */
	slots[t]++;
	return 0;
}
