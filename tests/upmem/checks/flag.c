// SPDX-License-Identifier: MIT
/* A flag is looked at before the mutex is taken, and what it tells of is read. */
#include "race.h"

MUTEX_INIT(lock)

uint32_t made;

int main(void)
{
	MEND(mutex_lock(lock); use(made); mutex_unlock(lock);)
#ifndef MENDED
	use(made);	/* BUG_1 */
#endif
	mutex_lock(lock);
	made = 1;	/* BUG_2 */
	mutex_unlock(lock);
	return 0;
}
