// SPDX-License-Identifier: MIT
/* Two virtual mutexes for one counter. */
#include "race.h"

VMUTEX_INIT(locks, 64, 4)

uint32_t counter;

int main(void)
{
	uint32_t id = me() % 2;

	MEND(id = 0;)
	vmutex_lock(&locks, id);
	counter++;	/* BUG_1 */
	vmutex_unlock(&locks, id);
	return 0;
}
