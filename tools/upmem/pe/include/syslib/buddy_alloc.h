/* SPDX-License-Identifier: MIT */
/* Blocks of any size, taken and given back at any time. */
#ifndef BUDDY_ALLOC_H
#define BUDDY_ALLOC_H

#include <stddef.h>

#include <attributes.h>

/**
 * buddy_init() - give the allocator its heap, by mem_alloc()
 * @size_of_heap: bytes, a power of two from 2048 to 32768
 *
 * Must end before any tasklet calls the other functions.
 */
__pe_keeps_caller
void buddy_init(size_t size_of_heap);

/**
 * buddy_reset() - all blocks are free again
 */
void buddy_reset(void);

/**
 * buddy_alloc() - take a block
 * @size: bytes; blocks are powers of two from 16 bytes on
 *
 * Return: the block, 8-byte aligned, or NULL with errno ENOMEM when there is
 * none so large, EINVAL for 0 or more than the heap.
 */
void *buddy_alloc(size_t size);

/**
 * buddy_free() - give a block back
 * @pointer: any 8-byte aligned address in it, or NULL; errno EINVAL for others
 */
void buddy_free(void *pointer);

/**
 * buddy_realloc() - change a block's size
 * @ptr: the block, or NULL to take one
 * @size: bytes, or 0 to give it back, which returns @ptr
 *
 * Return: the block, moved where it must be; NULL and errno as buddy_alloc(),
 * the old one staying as it is.
 */
void *buddy_realloc(void *ptr, size_t size);

#endif /* BUDDY_ALLOC_H */
