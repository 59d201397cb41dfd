// SPDX-License-Identifier: MIT
/* What <string.h> has beyond memory: strings that end with 0. */
#include <stdint.h>
#include <string.h>

size_t strlen(const char *s)
{
	const char *p = s;

	while (*p)
		p++;
	return p - s;
}

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b || !*a)
			return *(const uint8_t *)a - *(const uint8_t *)b;
	return 0;
}

char *strcpy(char *dst, const char *src)
{
	memcpy(dst, src, strlen(src) + 1);
	return dst;
}

char *strncpy(char *dst, const char *src, size_t n)
{
	size_t bytes = strnlen(src, n);

	memcpy(dst, src, bytes);
	memset(dst + bytes, 0, n - bytes);
	return dst;
}

char *strcat(char *dst, const char *src)
{
	strcpy(dst + strlen(dst), src);
	return dst;
}

char *strncat(char *dst, const char *src, size_t n)
{
	char *end = dst + strlen(dst);
	size_t bytes = strnlen(src, n);

	memcpy(end, src, bytes);
	end[bytes] = 0;
	return dst;
}

char *strchr(const char *s, int c)
{
	for (;; s++) {
		if (*s == (char)c)
			return (char *)(uintptr_t)s;
		if (!*s)
			return NULL;
	}
}

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	do {
		if (*s == (char)c)
			found = s;
	} while (*s++);
	return (char *)(uintptr_t)found;
}

char *strstr(const char *s, const char *what)
{
	size_t bytes = strlen(what);

	for (;; s++) {
		if (!strncmp(s, what, bytes))
			return (char *)(uintptr_t)s;
		if (!*s)
			return NULL;
	}
}

size_t strspn(const char *s, const char *accept)
{
	size_t n = 0;

	while (s[n] && strchr(accept, s[n]))
		n++;
	return n;
}

size_t strcspn(const char *s, const char *reject)
{
	size_t n = 0;

	while (s[n] && !strchr(reject, s[n]))
		n++;
	return n;
}

char *strpbrk(const char *s, const char *accept)
{
	s += strcspn(s, accept);
	return *s ? (char *)(uintptr_t)s : NULL;
}

char *strtok_r(char *s, const char *delim, char **next)
{
	if (!s)
		s = *next;
	s += strspn(s, delim);
	*next = s + strcspn(s, delim);
	if (*next == s)
		return NULL;
	if (**next)
		*(*next)++ = 0;
	return s;
}

char *strtok(char *s, const char *delim)
{
	static char *next;

	return strtok_r(s, delim, &next);
}
