// SPDX-License-Identifier: MIT
/* Virtual mutexes and locks of readers and writers. */
#include <rwlock.h>
#include <vmutex.h>

#include "pe.h"

void vmutex_lock(struct vmutex *vmutex, uint16_t id)
{
	volatile uint8_t *byte = &vmutex->bits[id / 8];
	uint8_t bit = 1u << id % 8;

	pe_charge(10);
	pe_enter();
	while (*byte & bit)
		pe_wait(PE_WAIT_MUTEX, byte);
	*byte |= bit;
	PE_ACQUIRE(byte, bit);
	pe_leave();
}

void vmutex_unlock(struct vmutex *vmutex, uint16_t id)
{
	volatile uint8_t *byte = &vmutex->bits[id / 8];

	pe_charge(10);
	pe_enter();
	PE_RELEASE(byte, 1u << id % 8);
	*byte &= ~(1u << id % 8);
	/* who waits for the byte may want any of its bits */
	PE_SVC->wake(byte, PE_MAX_TASKLETS);
	pe_leave();
}

void rwlock_read_lock(struct rwlock *lock)
{
	volatile struct rwlock *l = lock;

	pe_charge(9);
	pe_enter();
	while (l->writer || l->waiting)
		pe_wait(PE_WAIT_MUTEX, l);
	l->readers++;
	PE_ACQUIRE(l, 1);
	pe_leave();
}

void rwlock_read_unlock(struct rwlock *lock)
{
	volatile struct rwlock *l = lock;

	pe_charge(5);
	pe_enter();
	PE_RELEASE(l, 2);
	l->readers--;
	if (!l->readers)
		PE_SVC->wake(l, PE_MAX_TASKLETS);
	pe_leave();
}

void rwlock_write_lock(struct rwlock *lock)
{
	volatile struct rwlock *l = lock;

	pe_charge(13);
	pe_enter();
	l->waiting++;
	while (l->writer || l->readers)
		pe_wait(PE_WAIT_MUTEX, l);
	l->waiting--;
	l->writer = 1;
	PE_ACQUIRE(l, 1);
	PE_ACQUIRE(l, 2);
	pe_leave();
}

void rwlock_write_unlock(struct rwlock *lock)
{
	volatile struct rwlock *l = lock;

	pe_charge(3);
	pe_enter();
	PE_RELEASE(l, 1);
	l->writer = 0;
	PE_SVC->wake(l, PE_MAX_TASKLETS);
	pe_leave();
}
