// SPDX-License-Identifier: MIT
/* What compilers call on their own, where the processor has no instruction for it. */
#include <string.h>

#include "runtime/pe/worker/worker.h"

#ifdef __aarch64__

void *memset(void *dst, int c, size_t n)
{
	const uint64_t word = (uint8_t)c * 0x0101010101010101ull;
	void *d = dst;

	for (; n >= 8; n -= 8)
		__asm__ volatile("str %1, [%0], #8" : "+r"(d) : "r"(word) : "memory");
	for (; n; n--)
		__asm__ volatile("strb %w1, [%0], #1" : "+r"(d) : "r"(word) : "memory");
	return dst;
}

void *memcpy(void *dst, const void *src, size_t n)
{
	pe_copy(dst, src, n);
	return dst;
}

#endif
