/* SPDX-License-Identifier: MIT */
/* The parts of the run-time library that programs reach into. */
#ifndef DPURUNTIME_H
#define DPURUNTIME_H

#include <stddef.h>

#include <atomic_bit.h>
#include <dpuconst.h>
#include <dpufault.h>
#include <macro_utils.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define unreachable()	__builtin_unreachable()

#define count_leading_zeros(x)	__builtin_clz(x)
#define count_population(x)	__builtin_popcount(x)

/* where mem_alloc() goes on, and its lock */
extern volatile unsigned int __sys_heap_pointer;
#define __HEAP_POINTER	__sys_heap_pointer
ATOMIC_BIT_EXTERN(__heap_pointer);

/* mem_alloc() for those that hold the lock */
void *mem_alloc_nolock(size_t size);

#endif /* DPURUNTIME_H */
