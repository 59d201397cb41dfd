// SPDX-License-Identifier: MIT
/*
 * What the compiler's code calls in programs that are compiled by -fpimdimm-check=memory:
 * the functions named __msan_, as of clang's -fsanitize=kernel-memory; and what the rest
 * of the library says of memory, which is not compiled so where it is the machine itself.
 */
#include <string.h>

#include <mram.h>
#include <pimdimm.h>

#include "found.h"
#include "shadow.h"

#define RETURN_ADDRESS	__builtin_return_address(0)
#define FRAME		((void *const *)__builtin_frame_address(0))

struct shadow_context *__msan_get_context_state(void);
struct shadow_context *__msan_get_context_state(void)
{
	return shadow_context();
}

struct shadow __msan_metadata_ptr_for_load_n(const void *p, uint64_t bytes);
struct shadow __msan_metadata_ptr_for_load_n(const void *p, uint64_t bytes)
{
	return shadow_of((uintptr_t)p, bytes, false);
}

struct shadow __msan_metadata_ptr_for_store_n(void *p, uint64_t bytes);
struct shadow __msan_metadata_ptr_for_store_n(void *p, uint64_t bytes)
{
	return shadow_of((uintptr_t)p, bytes, true);
}

#define PLACES(bytes)								\
	struct shadow __msan_metadata_ptr_for_load_##bytes(const void *p);	\
	struct shadow __msan_metadata_ptr_for_load_##bytes(const void *p)	\
	{									\
		return shadow_of((uintptr_t)p, bytes, false);			\
	}									\
	struct shadow __msan_metadata_ptr_for_store_##bytes(void *p);		\
	struct shadow __msan_metadata_ptr_for_store_##bytes(void *p)		\
	{									\
		return shadow_of((uintptr_t)p, bytes, true);			\
	}

PLACES(1)
PLACES(2)
PLACES(4)
PLACES(8)

/* Undefined memory is told by where it began, not by how it was copied. */
uint32_t __msan_chain_origin(uint32_t origin);
uint32_t __msan_chain_origin(uint32_t origin)
{
	return origin;
}

void __msan_warning(uint32_t origin);
void __msan_warning(uint32_t origin)
{
	shadow_used(origin, RETURN_ADDRESS, FRAME);
}

/* What the compiler's driver puts in front of branches: its argument's shadow was given. */
void pe_memory_branch(bool by);
void pe_memory_branch(bool by)
{
	const struct shadow_context *c = shadow_context();

	(void)by;
	if (c->params[0] & 1)
		shadow_used(c->param_origins[0], RETURN_ADDRESS, FRAME);
}

void pe_memory_switch(uint64_t by);
void pe_memory_switch(uint64_t by)
{
	const struct shadow_context *c = shadow_context();

	(void)by;
	if (c->params[0])
		shadow_used(c->param_origins[0], RETURN_ADDRESS, FRAME);
}

/* @name: "----VARIABLE@FUNCTION", a constant of the program */
void __msan_poison_alloca(void *p, uint64_t bytes, const char *name);
void __msan_poison_alloca(void *p, uint64_t bytes, const char *name)
{
	shadow_set((uintptr_t)p, bytes, 0xff,
		   shadow_origin(PE_ORIGIN_STACK, (uintptr_t)name - PE_TEXT_BASE));
}

void __msan_unpoison_alloca(void *p, uint64_t bytes);
void __msan_unpoison_alloca(void *p, uint64_t bytes)
{
	shadow_set((uintptr_t)p, bytes, 0, 0);
}

/* what the assembler's text may write is defined then */
void __msan_instrument_asm_store(void *p, uint64_t bytes);
void __msan_instrument_asm_store(void *p, uint64_t bytes)
{
	shadow_set((uintptr_t)p, bytes, 0, 0);
}

/* These take care of the shadow themselves: mem.c. */
void *__msan_memcpy(void *dst, const void *src, uint64_t n);
void *__msan_memcpy(void *dst, const void *src, uint64_t n)
{
	return memcpy(dst, src, n);
}

void *__msan_memmove(void *dst, const void *src, uint64_t n);
void *__msan_memmove(void *dst, const void *src, uint64_t n)
{
	return memmove(dst, src, n);
}

void *__msan_memset(void *dst, int c, uint64_t n);
void *__msan_memset(void *dst, int c, uint64_t n)
{
	return memset(dst, c, n);
}

void pe_memory_copy(const volatile void *to, const volatile void *from, size_t bytes)
{
	shadow_copy((uintptr_t)to, (uintptr_t)from, bytes);
}

void pe_memory_define(const volatile void *p, size_t bytes)
{
	shadow_set((uintptr_t)p, bytes, 0, 0);
}

void pe_memory_allocated(const volatile void *p, size_t bytes, const void *caller)
{
	shadow_set((uintptr_t)p, bytes, 0xff,
		   shadow_origin(PE_ORIGIN_HEAP, (uintptr_t)caller - PE_TEXT_BASE));
}

void pe_memory_pool(void **pool, uint32_t block_bytes)
{
	*shadow_pool(pool) = block_bytes;
}

void pe_memory_from_pool(void **pool, const void *block, const void *caller)
{
	pe_memory_allocated(block, *shadow_pool(pool), caller);
}

void pe_memory_use(const volatile void *p, size_t bytes, const void *pc)
{
	struct shadow s = shadow_of((uintptr_t)p, bytes, false);

	for (size_t k = 0; k < bytes; k++) {
		if (s.bits[k]) {
			shadow_used(s.origins[((uintptr_t)p % 4 + k) / 4], pc, FRAME);
			return;
		}
	}
}

/* What came from another PE is defined. */
void pe_check_unload(const void *to, uint32_t bytes)
{
	shadow_set((uintptr_t)to, bytes, 0, 0);
}

/* Before the transfer, in which others have their turn. */
void pe_check_dma(uint32_t mram, const void *wram, uint32_t bytes, int write)
{
	uint64_t at = (uintptr_t)wram & ~7ull;

	bytes = pe_check_rules(mram, wram, bytes, write, RETURN_ADDRESS);
	mram = (mram % PE_MRAM_BASE & ~7u) + PE_MRAM_BASE;
	if (write)
		shadow_copy(mram, at, bytes);
	else
		shadow_copy(at, mram, bytes);
}
