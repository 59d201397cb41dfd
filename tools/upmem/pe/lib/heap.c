// SPDX-License-Identifier: MIT
/* mem_alloc(): a pointer that moves up. */
#include <alloc.h>

#include "pe.h"

/* of the linker script */
extern char __sys_heap_start[], __sys_heap_end[];

/* as other data, it keeps its value from launch to launch */
static char *heap = __sys_heap_start;

void *mem_reset(void)
{
	heap = __sys_heap_start;
	return heap;
}

void *mem_alloc(size_t size)
{
	char *p;

	pe_enter();
	p = heap;
	if (size > (size_t)(__sys_heap_end - p))
		PE_SVC->fault(PE_FAULT_HEAP, size,
			      "mem_alloc of more than is left of the WRAM");
	heap = p + ((size + 7) & ~(size_t)7);
	pe_leave();
	return p;
}
