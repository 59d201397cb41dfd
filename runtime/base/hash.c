// SPDX-License-Identifier: MIT
/* XXH64: four sums side by side over 32 bytes at a time, then what is left, then mixed. */
#include <string.h>

#include "runtime/base/hash.h"

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t rotl(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static uint64_t word_at(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static uint64_t round_of(uint64_t sum, uint64_t word)
{
	return rotl(sum + word * P2, 31) * P1;
}

static uint64_t merged(uint64_t h, uint64_t sum)
{
	return (h ^ round_of(0, sum)) * P1 + P4;
}

/* The whole lines of 32 bytes, after which p stands. */
static uint64_t lines(const uint8_t **p, const uint8_t *end, uint64_t seed)
{
	uint64_t v[4] = { seed + P1 + P2, seed + P2, seed, seed - P1 }, h;

	for (; end - *p >= 32; *p += 32) {
		for (int i = 0; i < 4; i++)
			v[i] = round_of(v[i], word_at(*p + 8 * i));
	}
	h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
	for (int i = 0; i < 4; i++)
		h = merged(h, v[i]);
	return h;
}

uint64_t pd_hash(const void *data, size_t bytes, uint64_t seed)
{
	const uint8_t *p = data, *end = p + bytes;
	uint64_t h = bytes >= 32 ? lines(&p, end, seed) : seed + P5;
	uint32_t half;

	h += bytes;
	for (; end - p >= 8; p += 8)
		h = rotl(h ^ round_of(0, word_at(p)), 27) * P1 + P4;
	if (end - p >= 4) {
		memcpy(&half, p, sizeof(half));
		h = rotl(h ^ half * P1, 23) * P2 + P3;
		p += 4;
	}
	for (; p < end; p++)
		h = rotl(h ^ *p * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}
