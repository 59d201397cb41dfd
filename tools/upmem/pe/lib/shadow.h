/* SPDX-License-Identifier: MIT */
/*
 * Which bits of a PE's memory are defined, in programs that are compiled by
 * -fpimdimm-check=memory: a shadow bit each, 1 where it is not, and of each four bytes
 * where that comes from. The compiler's code asks for the place of what it accesses.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pe.h"

/* by what the compiler's code hands on whether arguments and results are defined */
struct shadow_context {
	uint64_t params[100], result[100], more[100], more_origins[100], overflow_bytes;
	uint32_t param_origins[200], result_origin;
};

/* where an access has its shadow and its origins; the compiler's code gets both */
struct shadow {
	uint8_t *bits;
	uint32_t *origins;
};

/* Found for so many bytes that are all of one kind of memory. */
struct shadow shadow_of(uint64_t address, uint64_t bytes, bool write);
struct shadow_context *shadow_context(void);

/* where undefined memory is from, and which */
static inline uint32_t shadow_origin(enum pe_origin kind, uint64_t what)
{
	return (uint32_t)kind << PE_ORIGIN_SHIFT |
	       ((uint32_t)what & ((1u << PE_ORIGIN_SHIFT) - 1));
}

void shadow_set(uint64_t address, uint64_t bytes, uint8_t bits, uint32_t origin);
void shadow_copy(uint64_t to, uint64_t from, uint64_t bytes);

/* the bytes of each block of the pool that lies there in WRAM */
uint32_t *shadow_pool(const void *pool);

/* A use, at the return address that is the frame's, or where the library was called from. */
void shadow_used(uint32_t origin, const void *pc, void *const *frame);

#endif /* SHADOW_H */
