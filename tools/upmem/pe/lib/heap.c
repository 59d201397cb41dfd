// SPDX-License-Identifier: MIT
/* mem_alloc(): a pointer that moves up. */
#include <alloc.h>
#include <dpuruntime.h>

#include "pe.h"

/* The linker script defines these. */
extern char __sys_heap_start[], __sys_heap_end[];

/* 0: at the start. As other data, it keeps its value from launch to launch */
volatile unsigned int __sys_heap_pointer;
ATOMIC_BIT_INIT(__heap_pointer);

void *mem_reset(void)
{
	__sys_heap_pointer = (unsigned int)(uintptr_t)__sys_heap_start;
	return __sys_heap_start;
}

static void *take(size_t size, const void *caller)
{
	uintptr_t p = __sys_heap_pointer;

	pe_charge(14);
	if (!p)
		p = (uintptr_t)mem_reset();
	if (!size)
		return (void *)p;
	p = (p + 7) & ~(uintptr_t)7;
	if (size > (uintptr_t)__sys_heap_end - p)
		pe_fault_at(caller, PE_FAULT_HEAP, size,
			    "more was asked for than is left");
	__sys_heap_pointer = (unsigned int)(p + size);
	PE_MEMORY_ONLY(pe_memory_allocated((void *)p, size, caller));
	return (void *)p;
}

void *mem_alloc_nolock(size_t size)
{
	return take(size, __builtin_return_address(0));
}

void *pe_alloc_for(const void *caller, size_t size)
{
	void *p;

	ATOMIC_BIT_ACQUIRE(__heap_pointer);
	p = take(size, caller);
	ATOMIC_BIT_RELEASE(__heap_pointer);
	return p;
}

void *mem_alloc(size_t size)
{
	return pe_alloc_for(__builtin_return_address(0), size);
}
