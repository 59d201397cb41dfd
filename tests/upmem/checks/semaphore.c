// SPDX-License-Identifier: MIT
/* A semaphore is given before what it tells of is written. */
#include "race.h"

SEMAPHORE_INIT(ready, 0)

uint32_t value[2];

int main(void)
{
	if (me() == 0) {
		MEND(value[1] = 7;)
		sem_give(&ready);
#ifndef MENDED
		value[1] = 7;	/* BUG_1 */
#endif
	} else if (me() == 1) {
		sem_take(&ready);
		use(value[1]);	/* BUG_2 */
	}
	return 0;
}
