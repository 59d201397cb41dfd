/* SPDX-License-Identifier: MIT */
/* Points that several tasklets reach before any goes on. */
#ifndef BARRIER_H
#define BARRIER_H

#include <stdint.h>

#include <atomic_bit.h>
#include <attributes.h>
#include <macro_utils.h>

/*
 * Four bytes, which programs fill by hand as well: nobody waiting is 0xff on
 * hardware. Here wait_queue is the number of the round, of which any will do.
 */
typedef struct barrier_t {
	uint8_t wait_queue;
	uint8_t count;		/* of tasklets to come */
	uint8_t initial_count;
	uint8_t lock;		/* an atomic bit's address; not used here */
} barrier_t;

_Static_assert(sizeof(barrier_t) == 4, "programs fill it by hand");

/* a barrier of `counter` tasklets at file scope, at most 127 */
#define BARRIER_INIT(name, counter)						\
	_Static_assert((counter) > 0 && (counter) < 128,			\
		       "barrier of no tasklet or too many");			\
	ATOMIC_BIT_INIT(__CONCAT(barrier_, name));				\
	barrier_t name = { .wait_queue = 0xff, .count = (counter),		\
			   .initial_count = (counter), .lock = 0 };

/**
 * barrier_wait() - wait until as many tasklets as the barrier counts are here
 * @barrier: the barrier; it may be used again at once
 */
void barrier_wait(struct barrier_t *barrier);

#endif /* BARRIER_H */
