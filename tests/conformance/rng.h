/* SPDX-License-Identifier: MIT */
/* Random numbers that depend on the seed alone: splitmix64. */
#ifndef TESTS_RNG_H
#define TESTS_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A generator of its own for case @index, so that it can be run alone. */
static inline struct rng rng_of(uint64_t seed, uint64_t index)
{
	struct rng rng = { .state = seed };

	rng.state = rng_next(&rng) + index * 0xd1342543de82ef95u;
	return rng;
}

static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
	/* the upper half of a product, as a division takes most of the time */
	return (uint64_t)((unsigned __int128)rng_next(rng) * n >> 64);
}

static inline bool rng_chance(struct rng *rng, unsigned percent)
{
	return rng_below(rng, 100) < percent;
}

static inline void rng_fill(struct rng *rng, void *buf, size_t bytes)
{
	unsigned char *p = buf;
	uint64_t word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word)) {
		word = rng_next(rng);
		memcpy(p, &word, sizeof(word));
	}
	if (bytes) {
		word = rng_next(rng);
		memcpy(p, &word, bytes);
	}
}

#endif
