/* SPDX-License-Identifier: MIT */
/*
 * What the programs here share. Each checks itself and says in its first lines
 * how it is run:
 *   quirk: tasklets=N pes=N launches=N     (defaults: 16, 8, 1)
 *   flags: of the compiler
 *   fault: KIND pattern of the text        (default: it ends well)
 *   show: SYMBOL pattern of what the runner prints of it
 * A program that ends well must have counted every tasklet at every launch.
 */
#ifndef QUIRK_H
#define QUIRK_H

#include <assert.h>
#include <attributes.h>
#include <defs.h>
#include <stdint.h>

#ifndef LAUNCHES
#define LAUNCHES 1
#endif

/* launches that tasklets have come through: seen by the test */
__host uint32_t ended;

#define CHECK(cond)	assert(cond)

/* a tasklet's last word; preemption must not lose one */
static inline void quirk_end(void)
{
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}

#endif /* QUIRK_H */
