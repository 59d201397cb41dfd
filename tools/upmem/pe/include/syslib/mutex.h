/* SPDX-License-Identifier: MIT */
/* Mutual exclusion. */
#ifndef MUTEX_H
#define MUTEX_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_bit.h>
#include <attributes.h>
#include <macro_utils.h>

/* the address of an atomic bit; programs copy it and keep arrays of it */
typedef uint8_t *mutex_id_t;

#define MUTEX_GET(name)	name

/* a mutex at file scope; a boot frees it */
#define MUTEX_INIT(name)						\
	ATOMIC_BIT_INIT(__CONCAT(mutex_, name));			\
	const mutex_id_t MUTEX_GET(name) =				\
		&ATOMIC_BIT_GET(__CONCAT(mutex_, name));

/**
 * mutex_lock() - take a mutex, waiting as long as another tasklet has it
 * @mutex: the mutex
 */
static inline void mutex_lock(mutex_id_t mutex)
{
	pe_bit_acquire(mutex);
}

/**
 * mutex_trylock() - take a mutex if it is free
 * @mutex: the mutex
 *
 * Return: whether the caller has it now.
 */
static inline bool mutex_trylock(mutex_id_t mutex)
{
	return pe_bit_try(mutex);
}

/**
 * mutex_unlock() - give a mutex back, any tasklet's
 * @mutex: the mutex
 */
static inline void mutex_unlock(mutex_id_t mutex)
{
	pe_bit_release(mutex);
}

#endif /* MUTEX_H */
