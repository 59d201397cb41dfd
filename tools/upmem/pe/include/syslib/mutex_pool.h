/* SPDX-License-Identifier: MIT */
/* Few mutexes for many things. */
#ifndef MUTEX_POOL_H
#define MUTEX_POOL_H

#include <assert.h>
#include <stdint.h>

#include <atomic_bit.h>
#include <macro_utils.h>
#include <mutex.h>

struct mutex_pool {
	uint8_t *hw_mutexes;
	uint8_t hw_mutexes_mask;
};

/* a pool of `nr` mutexes, a power of two, at file scope */
#define MUTEX_POOL_INIT(name, nr)					\
	_Static_assert((nr) > 0 && ((nr) & ((nr) - 1)) == 0,		\
		       "a pool's mutexes are a power of two");		\
	ATOMIC_BIT_INIT(__CONCAT(pool_, name))[nr];			\
	struct mutex_pool name = {					\
		ATOMIC_BIT_GET(__CONCAT(pool_, name)), (nr) - 1		\
	};

/**
 * mutex_pool_lock() - take the mutex that stands for a number
 * @pool: the pool
 * @id: the number; several share a mutex
 */
static inline void mutex_pool_lock(struct mutex_pool *pool, uint16_t id)
{
	mutex_lock(&pool->hw_mutexes[id & pool->hw_mutexes_mask]);
}

/**
 * mutex_pool_unlock() - give it back
 * @pool: the pool
 * @id: the number
 */
static inline void mutex_pool_unlock(struct mutex_pool *pool, uint16_t id)
{
	mutex_unlock(&pool->hw_mutexes[id & pool->hw_mutexes_mask]);
}

#endif /* MUTEX_POOL_H */
