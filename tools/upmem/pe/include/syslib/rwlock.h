/* SPDX-License-Identifier: MIT */
/* Many readers or one writer. Writers that wait keep new readers out. */
#ifndef RWLOCK_H
#define RWLOCK_H

#include <stdint.h>

struct rwlock {
	uint8_t readers;
	uint8_t writer;
	uint8_t waiting;	/* writers */
	uint8_t reserved;
};

typedef struct rwlock rwlock_t;

/* a lock at file scope */
#define RWLOCK_INIT(name)	struct rwlock name = { 0, 0, 0, 0 };

void rwlock_read_lock(struct rwlock *lock);
void rwlock_read_unlock(struct rwlock *lock);
void rwlock_write_lock(struct rwlock *lock);
void rwlock_write_unlock(struct rwlock *lock);

#endif /* RWLOCK_H */
