/* SPDX-License-Identifier: MIT */
/*
 * What the programs here share. Each has one bug, unless it is compiled with MENDED,
 * and marks the two lines of it by BUG_1 and BUG_2, or by BUG_1 where they are one.
 */
#ifndef RACE_H
#define RACE_H

#include <attributes.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <mutex.h>
#include <rwlock.h>
#include <sem.h>
#include <stdint.h>
#include <string.h>
#include <vmutex.h>

#ifdef MENDED
#define MEND(code) code
#else
#define MEND(code)
#endif

/* one that the compiler neither moves nor leaves out */
static inline void use(uint32_t x)
{
	__asm__ volatile("" : : "r"(x));
}

#endif /* RACE_H */
