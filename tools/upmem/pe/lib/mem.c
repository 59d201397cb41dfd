// SPDX-License-Identifier: MIT
/* The five that compilers call on their own, and memchr. */
#include <string.h>
#include <stdint.h>

#include "pe.h"

/* what a DPU executes to copy and to set eight bytes, to compare and to look at one */
#define COPY	5
#define SET	3
#define COMPARE	7
#define LOOK	4

typedef uint64_t __attribute__((aligned(1), may_alias)) word_t;

/* where the fast string instructions win, if there are any */
#ifdef __pe_aarch64__
#define MANY	SIZE_MAX
#else
#define MANY	256u
#endif

/*
 * Byte after byte, as far as anybody can tell: decompressors repeat the last
 * bytes of their output by a memcpy() onto a source just before its destination.
 */
static void copy_few(uint8_t *d, const uint8_t *s, size_t n)
{
	if ((uintptr_t)d - (uintptr_t)s >= sizeof(word_t))
		for (; n >= 8; n -= 8, d += 8, s += 8)
			*(word_t *)d = *(const word_t *)s;
	for (; n; n--)
		*d++ = *s++;
}

static void copy_many(void *d, const void *s, size_t n)
{
#ifdef __pe_aarch64__
	copy_few(d, s, n);
#else
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
#endif
}

static void fill(uint8_t *d, int c, size_t n)
{
#ifdef __pe_aarch64__
	for (; n >= 8; n -= 8, d += 8)
		*(word_t *)d = (uint8_t)c * 0x0101010101010101ull;
	for (; n; n--)
		*d++ = (uint8_t)c;
#else
	__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(c) : "memory");
#endif
}

void *memcpy(void *dst, const void *src, size_t n)
{
	PE_COPIES(dst, src, n);
	pe_charge(COPY * ((n + 7) / 8));
	if (n < MANY)
		copy_few(dst, src, n);
	else
		copy_many(dst, src, n);
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= n)
		return memcpy(dst, src, n);
	PE_COPIES(dst, src, n);
	pe_charge(COPY * ((n + 7) / 8));
	while (n--)
		d[n] = s[n];
	return dst;
}

void *memset(void *dst, int c, size_t n)
{
	PE_SETS(dst, n);
	pe_charge(SET * ((n + 7) / 8));
	fill(dst, c, n);
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const uint8_t *x = a, *y = b;
	size_t i = 0;

	while (i < n && x[i] == y[i])
		i++;
	PE_USES(a, i < n ? i + 1 : n);
	PE_USES(b, i < n ? i + 1 : n);
	pe_charge(COMPARE * (i + 1));
	return i < n ? x[i] - y[i] : 0;
}

/* what a compiler makes of a memcmp() that is asked for equality only */
int bcmp(const void *a, const void *b, size_t n);
int bcmp(const void *a, const void *b, size_t n)
{
	return memcmp(a, b, n);
}

void *memchr(const void *s, int c, size_t n)
{
	const uint8_t *p = s;
	size_t i = 0;

	while (i < n && p[i] != (uint8_t)c)
		i++;
	PE_USES(s, i < n ? i + 1 : n);
	pe_charge(LOOK * (i + 1));
	return i < n ? (void *)(uintptr_t)(p + i) : NULL;
}

#ifdef PE_CHECKED
/* what compilers from 15 on call where a program is checked */
void *__tsan_memcpy(void *dst, const void *src, size_t n)
	__attribute__((alias("memcpy")));
void *__tsan_memmove(void *dst, const void *src, size_t n)
	__attribute__((alias("memmove")));
void *__tsan_memset(void *dst, int c, size_t n) __attribute__((alias("memset")));
#endif
