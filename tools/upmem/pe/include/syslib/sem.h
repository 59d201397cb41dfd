/* SPDX-License-Identifier: MIT */
/* Semaphores. */
#ifndef SEM_H
#define SEM_H

#include <stdint.h>

#include <atomic_bit.h>
#include <macro_utils.h>

/* of hardware's size and names */
typedef struct sem_t {
	uint8_t wait_queue;
	uint8_t count;
	uint8_t initial_count;
	uint8_t lock;
} sem_t;

/* a semaphore at file scope, of -127 to 127 units */
#define SEMAPHORE_INIT(name, counter)					\
	_Static_assert((counter) < 128 && (counter) >= -127,		\
		       "a semaphore's counter is a byte");		\
	ATOMIC_BIT_INIT(__CONCAT(semaphore_, name));			\
	sem_t name = { .wait_queue = 0xff, .count = (uint8_t)(counter),	\
		       .initial_count = (uint8_t)(counter), .lock = 0 };

/**
 * sem_take() - take a unit, waiting in turn while there is none
 * @sem: the semaphore
 */
void sem_take(sem_t *sem);

/**
 * sem_give() - give a unit
 * @sem: the semaphore
 */
void sem_give(sem_t *sem);

#endif /* SEM_H */
