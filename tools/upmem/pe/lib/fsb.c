// SPDX-License-Identifier: MIT
/* Blocks of one size: a list of the free ones, through their first words. */
#include <alloc.h>

#include "pe.h"

fsb_allocator_t fsb_alloc(unsigned int block_size, unsigned int nr)
{
	uint32_t bytes = block_size < 8 ? 8 : (block_size + 7) & ~7u;
	/* so that the product cannot wrap: more than there is faults anyway */
	size_t all = sizeof(void *) + (size_t)bytes * nr;
	fsb_allocator_t pool = pe_alloc_for(__builtin_return_address(0), all);
	char *block = (char *)&pool[1];

	PE_MEMORY_ONLY(pe_memory_pool(pool, bytes));
	*pool = nr ? block : NULL;
	for (unsigned int i = 0; i < nr; i++, block += bytes)
		*(void **)block = i + 1 < nr ? block + bytes : NULL;
	return pool;
}

void *fsb_get(fsb_allocator_t allocator)
{
	void *block;

	pe_enter();
	block = *allocator;
	if (block) {
		*allocator = *(void **)block;
		PE_ACQUIRE(block, 0);
		PE_MEMORY_ONLY(pe_memory_from_pool(allocator, block,
						   __builtin_return_address(0)));
	}
	pe_leave();
	return block;
}

void fsb_free(fsb_allocator_t allocator, void *ptr)
{
	pe_enter();
	/* whoever gets it comes after who had it */
	PE_RELEASE(ptr, 0);
	*(void **)ptr = *allocator;
	*allocator = ptr;
	pe_leave();
}
