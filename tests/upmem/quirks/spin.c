// SPDX-License-Identifier: MIT
/*
 * Tasklets that spin on a variable are preempted.
 * quirk: tasklets=24 pes=2
 */
#include "quirk.h"

volatile uint32_t turn;

int main(void)
{
	/* backwards, so that each spins until the one after it has run */
	while (turn != NR_TASKLETS - 1 - me())
		;
	turn++;
	quirk_end();
	return 0;
}
