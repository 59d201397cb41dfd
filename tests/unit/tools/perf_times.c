// SPDX-License-Identifier: MIT
/* The interval of a median: as narrow as the binomial distribution allows, no narrower. */
#include "tests/unit/unit.h"

#include "tools/perf/measure.h"

#define MOST	50	/* repetitions, of which every outcome can be counted exactly */

/* of 2^n outcomes, those with `below` or fewer of n times below the median */
static uint64_t outcomes(unsigned int n, unsigned int below)
{
	uint64_t choose = 1, sum = 0;

	for (unsigned int k = 0; k <= below; k++) {
		sum += choose;
		choose = choose * (n - k) / (k + 1);
	}
	return sum;
}

/* misses both sides with 2.5 % at most */
static bool allowed(unsigned int n, unsigned int below)
{
	return outcomes(n, below) * 80 <= UINT64_C(1) << n;
}

static void test_interval(void **state)
{
	double ns[MOST];

	(void)state;
	for (unsigned int i = 0; i < MOST; i++)
		ns[i] = i + 1;
	for (unsigned int n = 1; n <= MOST; n++) {
		struct perf_interval it = perf_median_interval(ns, n);
		unsigned int below;

		if (!allowed(n, 0)) {
			assert_true(n < 7 && it.low == 0 && it.high == 0);
			continue;
		}
		below = (unsigned int)it.low - 1;
		assert_int_equal(it.low + it.high, n + 1);
		assert_true(it.low < it.high && allowed(n, below) && !allowed(n, below + 1));
	}
}

/* where powers of two are beyond a double's range */
static void test_many(void **state)
{
	enum { MANY = 100000 };
	double *ns = need(calloc(MANY, sizeof(*ns)));
	struct perf_interval it;

	(void)state;
	for (unsigned int i = 0; i < MANY; i++)
		ns[i] = i + 1;
	it = perf_median_interval(ns, MANY);
	/* 2.24 standard deviations of sqrt(n) / 2 to each side */
	assert_true(it.low > 49640 && it.low < 49652);
	assert_int_equal(it.low + it.high, MANY + 1);
	free(ns);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_interval),
	cmocka_unit_test(test_many),
};

UNIT_MAIN(tests)
