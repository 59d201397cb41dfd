/* SPDX-License-Identifier: MIT */
/* Blocks of one size, taken and given back at any time. */
#ifndef FSB_ALLOCATOR_H
#define FSB_ALLOCATOR_H

#include <attributes.h>

typedef void **fsb_allocator_t;

/**
 * fsb_alloc() - make a pool of blocks by mem_alloc()
 * @block_size: bytes of a block, rounded up to a multiple of 8
 * @nb_of_blocks: how many
 *
 * Return: the pool.
 */
__pe_keeps_caller
fsb_allocator_t fsb_alloc(unsigned int block_size, unsigned int nb_of_blocks);

/**
 * fsb_get() - take a block
 * @allocator: its pool
 *
 * Return: the block, or NULL when none is left.
 */
void *fsb_get(fsb_allocator_t allocator);

/**
 * fsb_free() - give a block back
 * @allocator: its pool
 * @ptr: the block
 */
void fsb_free(fsb_allocator_t allocator, void *ptr);

#endif /* FSB_ALLOCATOR_H */
