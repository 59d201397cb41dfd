/* SPDX-License-Identifier: MIT */
/* Many mutexes, a bit of WRAM each. */
#ifndef VMUTEX_H
#define VMUTEX_H

#include <assert.h>
#include <stdint.h>

#include <macro_utils.h>

struct vmutex {
	uint8_t *bits;
};

/*
 * `nr` virtual mutexes at file scope. Hardware guards their bits by `nr_hw` of its
 * own mutexes; here that is not needed.
 */
#define VMUTEX_INIT(name, nr, nr_hw)					\
	_Static_assert((nr) > 0 && (nr) % 8 == 0,			\
		       "virtual mutexes are a multiple of 8");		\
	_Static_assert((nr_hw) > 0 && ((nr_hw) & ((nr_hw) - 1)) == 0,	\
		       "their mutexes are a power of two");		\
	static uint8_t __CONCAT(__vmutex_bits_, name)[(nr) / 8];	\
	struct vmutex name = { __CONCAT(__vmutex_bits_, name) };

/**
 * vmutex_lock() - take one of them, waiting as long as another tasklet has it
 * @vmutex: all of them
 * @id: its number
 */
void vmutex_lock(struct vmutex *vmutex, uint16_t id);

/**
 * vmutex_unlock() - give it back
 * @vmutex: all of them
 * @id: its number
 */
void vmutex_unlock(struct vmutex *vmutex, uint16_t id);

#endif /* VMUTEX_H */
