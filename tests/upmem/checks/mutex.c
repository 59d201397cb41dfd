// SPDX-License-Identifier: MIT
/* A mutex is taken by one side only. */
#include "race.h"

MUTEX_INIT(lock)

uint32_t sum;

int main(void)
{
	if (me()) {
		mutex_lock(lock);
		sum = sum * 2;	/* BUG_1 */
		mutex_unlock(lock);
	} else {
		MEND(mutex_lock(lock);)
		sum = 5;	/* BUG_2 */
		MEND(mutex_unlock(lock);)
	}
	return 0;
}
