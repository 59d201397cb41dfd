/* SPDX-License-Identifier: MIT */
/* WRAM at run time, from what data and stacks leave. */
#ifndef ALLOC_H
#define ALLOC_H

#include <stddef.h>

#include <attributes.h>
#include <buddy_alloc.h>
#include <fsb_allocator.h>

/**
 * mem_alloc() - take WRAM until the next mem_reset()
 * @size: bytes
 *
 * Any tasklet may call it. More than there is faults the PE.
 *
 * Return: so many bytes, 8-byte aligned; where the next would start for @size 0.
 */
__pe_keeps_caller
void *mem_alloc(size_t size);

/**
 * mem_reset() - give back all that mem_alloc() ever gave
 *
 * A launch does not: what the one before it took is still taken.
 *
 * Return: the first byte.
 */
void *mem_reset(void);

#endif /* ALLOC_H */
