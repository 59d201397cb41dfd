// SPDX-License-Identifier: MIT
/* Reading MRAM sequentially through a buffer in WRAM. */
#include <seqread.h>

#include <alloc.h>
#include <dpuruntime.h>

#include "pe.h"

uintptr_t pe_seqread_alloc(uint32_t page)
{
	uintptr_t from, start;

	ATOMIC_BIT_ACQUIRE(__heap_pointer);
	from = ((uintptr_t)mem_alloc_nolock(0) + 7) & ~(uintptr_t)7;
	start = (from + page - 1) & ~(uintptr_t)(page - 1);
	mem_alloc_nolock(start + 2 * page - from);
	ATOMIC_BIT_RELEASE(__heap_pointer);
	return start;
}

/*
 * Two pages, whether the data go so far or not: so it is on hardware. Those past
 * the end of MRAM are left out.
 */
static void fill(const seqreader_t *reader, uint32_t page)
{
	uint32_t mram = (uint32_t)reader->mram_addr;
	uint32_t offset = mram >= PE_MRAM_BASE ? mram - PE_MRAM_BASE : mram;
	uint32_t end = PE_SELF->mram_bytes, bytes = 2 * page;

	if (offset == end)
		return;
	if (offset < end && bytes > end - offset)
		bytes = end - offset;
	mram_read((const __mram_ptr void *)reader->mram_addr,
		  (void *)reader->wram_cache, bytes);
}

void *pe_seqread_seek(uintptr_t mram, seqreader_t *reader, uint32_t page)
{
	uintptr_t first = mram & ~(uintptr_t)(page - 1);

	if (first != reader->mram_addr) {
		reader->mram_addr = first;
		fill(reader, page);
	}
	return (uint8_t *)reader->wram_cache + (mram - first);
}

void *pe_seqread_turn(void *ptr, seqreader_t *reader, uint32_t page)
{
	reader->mram_addr += page;
	fill(reader, page);
	return (uint8_t *)ptr - page;
}
