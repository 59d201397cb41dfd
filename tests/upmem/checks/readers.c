// SPDX-License-Identifier: MIT
/* A writer holds a lock of readers and writers as a reader. */
#include "race.h"

RWLOCK_INIT(lock)

uint32_t table;

int main(void)
{
	if (me()) {
		rwlock_read_lock(&lock);
		use(table);	/* BUG_1 */
		rwlock_read_unlock(&lock);
	} else {
#ifdef MENDED
		rwlock_write_lock(&lock);
#else
		rwlock_read_lock(&lock);
#endif
		table = 5;	/* BUG_2 */
#ifdef MENDED
		rwlock_write_unlock(&lock);
#else
		rwlock_read_unlock(&lock);
#endif
	}
	return 0;
}
