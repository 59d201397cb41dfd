// SPDX-License-Identifier: MIT
/* What a tasklet hands to another. */
#include "undefined.h"

BARRIER_INIT(all, NR_TASKLETS)
static uint32_t *shared;

int main(void)
{
	if (!me()) {
		shared = mem_alloc(4 * NR_TASKLETS);
		MEND(shared[7] = 3;)
	}
	barrier_wait(&all);
	if (me() != 7)
		shared[me()] = me();
	barrier_wait(&all);
	if (!me() && shared[zero + 7] == 3)	/* BUG */
		sum++;
	return 0;
}
