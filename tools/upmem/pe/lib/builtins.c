// SPDX-License-Identifier: MIT
/* What hardware's compiler has built in, for programs that call it by name. */
#include <defs.h>
#include <mram.h>
#include <seqread.h>

#include "pe.h"

unsigned int __builtin_dpu_tid(void)
{
	return me();
}

void __builtin_dpu_ldma(void *to, const __mram_ptr void *from, unsigned int bytes)
{
	mram_read(from, to, bytes);
}

void __builtin_dpu_sdma(const void *from, __mram_ptr void *to, unsigned int bytes)
{
	mram_write(from, to, bytes);
}

int __builtin_dpu_seqread_get(int ptr, unsigned int inc, void *reader,
			      const unsigned int page)
{
	uint32_t at = (uint32_t)ptr + inc;

	if ((uint32_t)ptr % page + inc >= page)
		at = (uint32_t)(uintptr_t)pe_seqread_turn((void *)(uintptr_t)at,
							  reader, page);
	return (int)at;
}
