// SPDX-License-Identifier: MIT
/* The naive typemap: each element's place is worked out anew, as MPI defines it. */
#include <string.h>

#include "tools/perf/suites/datatypes/truth.h"

void ddt_truth_pack(const struct ddt_kernel *k, int side, unsigned int lanes, const void *array,
		    void *stream)
{
	char *at = stream;

	for (unsigned int n = 0; n < k->nr; n++) {
		const struct ddt_nest *nest = &k->nests[n];
		size_t bytes = (size_t)nest->element * lanes;

		for (uint64_t e = 0; e < ddt_elements(nest); e++, at += bytes)
			memcpy(at, (const char *)array + ddt_place(nest, side, e) * lanes, bytes);
	}
}

void ddt_truth_unpack(const struct ddt_kernel *k, int side, unsigned int lanes, void *array,
		      const void *stream)
{
	const char *at = stream;

	for (unsigned int n = 0; n < k->nr; n++) {
		const struct ddt_nest *nest = &k->nests[n];
		size_t bytes = (size_t)nest->element * lanes;

		for (uint64_t e = 0; e < ddt_elements(nest); e++, at += bytes)
			memcpy((char *)array + ddt_place(nest, side, e) * lanes, at, bytes);
	}
}

void ddt_truth_fill(void *to, uint64_t bytes, uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ULL | 1;
	uint32_t *words = to;

	for (uint64_t i = 0; i < bytes / sizeof(*words); i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		/* a finite float in each half of a double */
		words[i] = (uint32_t)(state >> 33) & 0x3fffffff;
	}
}

uint64_t ddt_truth_wrong(const void *is, const void *expected, uint64_t bytes)
{
	const uint32_t *a = is, *b = expected;
	uint64_t wrong = 0;

	if (!memcmp(a, b, bytes))
		return 0;
	for (uint64_t i = 0; i < bytes / sizeof(*a); i++)
		wrong += a[i] != b[i];
	return wrong;
}

static uint64_t period_of(const struct ddt_kernel *k)
{
	return k->period ? k->period : k->span;
}

/* of what is used of a period, and lies in the array */
static uint64_t used_of(const struct ddt_kernel *k, uint64_t at)
{
	uint64_t used = k->period ? k->used : k->span;

	return k->span - at < used ? k->span - at : used;
}

void ddt_truth_fill_array(const struct ddt_kernel *k, void *array, uint64_t seed)
{
	for (uint64_t at = 0; at < k->span; at += period_of(k))
		ddt_truth_fill((char *)array + at, used_of(k, at), seed + at);
}

void ddt_truth_clear_array(const struct ddt_kernel *k, void *array)
{
	for (uint64_t at = 0; at < k->span; at += period_of(k))
		memset((char *)array + at, DDT_GAP, used_of(k, at));
}

uint64_t ddt_truth_wrong_array(const struct ddt_kernel *k, const void *is, const void *expected)
{
	uint64_t wrong = 0;

	for (uint64_t at = 0; at < k->span; at += period_of(k))
		wrong += ddt_truth_wrong((const char *)is + at, (const char *)expected + at,
					 used_of(k, at));
	return wrong;
}
