/* SPDX-License-Identifier: MIT */
/*
 * What every file of the tests needs: to give up on lack of memory, and to compare memory
 * without the thread sanitizer looking at all of it.
 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* for functions whose memory belongs to one thread: no race is to be found in it */
#define UNWATCHED __attribute__((no_sanitize("thread")))

static inline void *need(void *p)
{
	if (!p) {
		printf("Bail out! out of memory\n");
		exit(1);
	}
	return p;
}

/*
 * Whether two ranges are the same. Under the thread sanitizer, memcmp() would take most of a
 * run's time for telling it of each word: it is told of a byte of every 64 of the first range.
 */
#ifdef __SANITIZE_THREAD__
UNWATCHED static inline bool same_unwatched(const uint8_t *a, const uint8_t *b, size_t bytes)
{
	uint64_t differ = 0, x, y;
	size_t i = 0;

	for (; i + 8 <= bytes; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		differ |= x ^ y;
	}
	for (; i < bytes; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

static inline bool same(const void *a, const void *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		(void)*((volatile const uint8_t *)a + i);
	return same_unwatched(a, b, bytes);
}
#else
static inline bool same(const void *a, const void *b, size_t bytes)
{
	return !memcmp(a, b, bytes);
}
#endif

#endif
