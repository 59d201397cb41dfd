/* SPDX-License-Identifier: MIT */
/*
 * Requests for memory, counted: those of the whole program, of every thread and of every library
 * in it. Under a sanitizer they are those of the thread that counts to the sanitizer's allocator,
 * not those to the kernel.
 */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

/* From now on they are counted. */
void allocations_start(void);

/* Ends that; how many there were. */
unsigned long allocations_stop(void);

#endif
