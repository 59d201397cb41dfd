/* SPDX-License-Identifier: MIT */
/*
 * Random numbers by their place: a function of seed, stream and index alone, so that
 * any thread makes any of them, and the same bytes come out on every machine.
 */
#ifndef PIMDIMM_APPS_RANDOM_H
#define PIMDIMM_APPS_RANDOM_H

#include <stdint.h>

#define APP_RANDOM_STEP	UINT64_C(0x9e3779b97f4a7c15)

/* the finisher of SplitMix64: a bijection in which each bit depends on all */
static inline uint64_t app_random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Number `index` of a stream: 64 random bits. A stream is a purpose, such as weights. */
static inline uint64_t app_random(uint64_t seed, uint64_t stream, uint64_t index)
{
	uint64_t start = app_random_mix(seed + APP_RANDOM_STEP) ^
			 app_random_mix(stream * APP_RANDOM_STEP + 1);

	return app_random_mix(start + (index + 1) * APP_RANDOM_STEP);
}

/* one of 0 to n - 1, from 64 random bits; n is not 0 */
static inline uint64_t app_random_below(uint64_t bits, uint64_t n)
{
	return (uint64_t)((unsigned __int128)bits * n >> 64);
}

/* from 0 to below 1, exact in a double */
static inline double app_random_unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

#endif /* PIMDIMM_APPS_RANDOM_H */
