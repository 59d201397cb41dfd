/* SPDX-License-Identifier: MIT */
/*
 * Strings and bytes. Those that programs call with MRAM pointers take them:
 * on hardware the compiler lowers such calls to DMA.
 */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

#include <attributes.h>

void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *s, int c, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strcpy(char *dst, const char *src);
char *strncpy(char *dst, const char *src, size_t n);
char *strcat(char *dst, const char *src);
char *strncat(char *dst, const char *src, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *what);
size_t strspn(const char *s, const char *accept);
size_t strcspn(const char *s, const char *reject);
char *strpbrk(const char *s, const char *accept);
char *strtok(char *s, const char *delim);
char *strtok_r(char *s, const char *delim, char **next);
char *strerror(int errnum);

/* the time of transferring so many bytes from MRAM, or to it */
#ifdef __cplusplus
extern "C"
#endif
void pe_mram_access(unsigned long address, unsigned long bytes, int write);

/* C++ has overloads by itself, but none of C's linkage */
#ifdef __cplusplus
extern "C++" {
#define __pe_overload static inline __attribute__((unused))
#else
#define __pe_overload static inline __attribute__((overloadable, unused))
#endif

__pe_overload __mram_ptr void *memcpy(__mram_ptr void *dst, const void *src, size_t n)
{
	pe_mram_access((unsigned long)dst, n, 1);
	memcpy((void *)dst, src, n);
	return dst;
}

__pe_overload void *memcpy(void *dst, const __mram_ptr void *src, size_t n)
{
	pe_mram_access((unsigned long)src, n, 0);
	return memcpy(dst, (const void *)src, n);
}

__pe_overload __mram_ptr void *memcpy(__mram_ptr void *dst,
				      const __mram_ptr void *src, size_t n)
{
	pe_mram_access((unsigned long)src, n, 0);
	pe_mram_access((unsigned long)dst, n, 1);
	memcpy((void *)dst, (const void *)src, n);
	return dst;
}

__pe_overload __mram_ptr void *memmove(__mram_ptr void *dst,
				       const __mram_ptr void *src, size_t n)
{
	pe_mram_access((unsigned long)src, n, 0);
	pe_mram_access((unsigned long)dst, n, 1);
	memmove((void *)dst, (const void *)src, n);
	return dst;
}

__pe_overload __mram_ptr void *memset(__mram_ptr void *dst, int c, size_t n)
{
	pe_mram_access((unsigned long)dst, n, 1);
	memset((void *)dst, c, n);
	return dst;
}

__pe_overload int memcmp(const __mram_ptr void *a, const void *b, size_t n)
{
	pe_mram_access((unsigned long)a, n, 0);
	return memcmp((const void *)a, b, n);
}

__pe_overload int memcmp(const void *a, const __mram_ptr void *b, size_t n)
{
	pe_mram_access((unsigned long)b, n, 0);
	return memcmp(a, (const void *)b, n);
}

__pe_overload int memcmp(const __mram_ptr void *a, const __mram_ptr void *b,
			 size_t n)
{
	pe_mram_access((unsigned long)a, n, 0);
	pe_mram_access((unsigned long)b, n, 0);
	return memcmp((const void *)a, (const void *)b, n);
}

__pe_overload size_t strlen(const __mram_ptr char *s)
{
	size_t n = strlen((const char *)s);

	pe_mram_access((unsigned long)s, n + 1, 0);
	return n;
}

#ifdef __cplusplus
}
#endif

#endif /* STRING_H */
