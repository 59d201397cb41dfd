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

/* where mem_alloc() goes on, and its lock */
extern volatile unsigned int __sys_heap_pointer;
#define __HEAP_POINTER	__sys_heap_pointer
ATOMIC_BIT_EXTERN(__heap_pointer);

/* mem_alloc() for those that hold the lock */
void *mem_alloc_nolock(size_t size);

#endif /* DPURUNTIME_H */
