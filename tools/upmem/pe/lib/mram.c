// SPDX-License-Identifier: MIT
/* The time that MRAM takes where a program dereferences it: that of transfers. */
#include <mram.h>

#include "pe.h"

#define MAX_DMA		2048u

/*
 * Called in front of each access by code that counts, with what it accesses. Words that
 * a write does not fill are read before.
 */
void pe_mram_access(unsigned long address, unsigned long bytes, int write)
{
#ifdef PE_CHECKED
	pe_check_range((const void *)address, bytes, write, __builtin_return_address(0));
#endif
#ifndef PE_UNCOUNTED
	uint64_t first = address & ~7ull, end = (address + bytes + 7) & ~7ull;

	if (!bytes || PE_SVC->size <= offsetof(struct pe_services, mram_pass))
		return;
	if (write && address & 7)
		PE_SVC->mram_pass(8, 0);
	/* the word that it ends in, unless it is the same, read already */
	if (write && (address + bytes) & 7 && (!(address & 7) || end - first > 8))
		PE_SVC->mram_pass(8, 0);
	for (; first < end; first += MAX_DMA)
		PE_SVC->mram_pass((uint32_t)(end - first < MAX_DMA ? end - first : MAX_DMA),
				  !!write);
#else
	(void)address;
	(void)bytes;
	(void)write;
#endif
}
