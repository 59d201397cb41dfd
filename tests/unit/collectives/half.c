// SPDX-License-Identifier: MIT
/* The tests' own fp16 and bf16, which the conformance test stands on. */
#include <math.h>

#include "tests/conformance/numeric.h"
#include "tests/unit/unit.h"

static float from_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* bf16 is the upper half of fp32. */
static void test_bf16_widens(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 0x10000; code++) {
		float want = from_bits(code << 16);
		float got = num_widen(PIDCOMM_BF16, (uint16_t)code);

		if (isnan(want))
			assert_true(isnan(got));
		else
			assert_memory_equal(&want, &got, sizeof(got));
	}
}

static void test_f16_widens(void **state)
{
	static const struct {
		uint16_t code;
		double value;
	} known[] = {
		{ 0x0000, 0 }, { 0x0001, 0x1p-24 }, { 0x03ff, 0x3ffp-24 },
		{ 0x0400, 0x1p-14 }, { 0x3c00, 1 }, { 0x3c01, 1 + 0x1p-10 },
		{ 0x3555, 0x1.554p-2 }, { 0x7bff, 65504 }, { 0xc000, -2 },
		{ 0x7c00, INFINITY }, { 0xfc00, -INFINITY },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		assert_true(num_widen(PIDCOMM_F16, known[i].code) ==
			    (float)known[i].value);
	assert_true(signbit(num_widen(PIDCOMM_F16, 0x8000)));
	assert_true(isnan(num_widen(PIDCOMM_F16, 0x7c01)));
	assert_true(isnan(num_widen(PIDCOMM_F16, 0xffff)));
}

static void check_round_trip(enum pidcomm_type type)
{
	for (uint32_t code = 0; code < 0x10000; code++) {
		float value = num_widen(type, (uint16_t)code);

		if (isnan(value))
			assert_true(isnan(num_widen(type, num_narrow(type, value))));
		else
			assert_int_equal(num_narrow(type, value), code);
	}
}

/* Between two neighbours: to the nearer, half way to the even one. */
static void check_boundaries(enum pidcomm_type type, uint16_t infinity,
			     double overflow)
{
	for (uint16_t code = 0; code < infinity; code++) {
		double low = num_widen(type, code);
		double high = code + 1 == infinity ? overflow :
			num_widen(type, (uint16_t)(code + 1));
		float middle = (float)((low + high) / 2);
		uint16_t even = (uint16_t)(code + code % 2);

		assert_true(middle == (low + high) / 2);
		assert_int_equal(num_narrow(type, middle), even);
		assert_int_equal(num_narrow(type, -middle), even | 0x8000);
		assert_int_equal(num_narrow(type, nextafterf(middle, 0)), code);
		assert_int_equal(num_narrow(type, nextafterf(middle, INFINITY)),
				 code + 1);
	}
	assert_int_equal(num_narrow(type, INFINITY), infinity);
	assert_int_equal(num_narrow(type, -INFINITY), infinity | 0x8000);
	assert_int_equal(num_narrow(type, 0x1.fffffep127f), infinity);
	assert_int_equal(num_narrow(type, from_bits(1)), 0);
}

static void test_round_trip(void **state)
{
	(void)state;
	check_round_trip(PIDCOMM_F16);
	check_round_trip(PIDCOMM_BF16);
}

static void test_boundaries(void **state)
{
	(void)state;
	check_boundaries(PIDCOMM_F16, 0x7c00, 65536);
	check_boundaries(PIDCOMM_BF16, 0x7f80, 0x1p128);
}

/* The formula by which everybody rounds to bf16. */
static void test_bf16_formula(void **state)
{
	struct rng rng = { 1 };

	(void)state;
	for (int i = 0; i < 1000000; i++) {
		uint32_t bits = (uint32_t)rng_next(&rng);
		float value = from_bits(bits);
		uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);

		if (!isnan(value))
			assert_int_equal(num_narrow(PIDCOMM_BF16, value),
					 rounded >> 16);
	}
}

/* Folds of the tests' model that can be said by hand. */
static void test_folds(void **state)
{
	const uint8_t a[] = { 200, 0, 7 }, b[] = { 100, 3, 0 };
	const uint8_t *in[] = { a, b };
	const uint16_t large[] = { 0x7bff, 0x7bff, 0xfbff };	/* +-65504 */
	const uint8_t *halves[] = {
		(const uint8_t *)&large[0], (const uint8_t *)&large[1],
		(const uint8_t *)&large[2],
	};
	uint16_t half;
	uint8_t out;

	(void)state;
	num_fold(PIDCOMM_U8, PIDCOMM_SUM, in, 2, 0, &out);
	assert_int_equal(out, 44);
	num_fold(PIDCOMM_U8, PIDCOMM_MIN, in, 2, 0, &out);
	assert_int_equal(out, 100);
	num_fold(PIDCOMM_I8, PIDCOMM_MIN, in, 2, 0, &out);
	assert_int_equal(out, 200);
	num_fold(PIDCOMM_U8, PIDCOMM_LAND, in, 2, 1, &out);
	assert_int_equal(out, 0);
	num_fold(PIDCOMM_U8, PIDCOMM_LXOR, in, 2, 2, &out);
	assert_int_equal(out, 1);
	/* fp32 in between: no overflow to infinity on the way */
	num_fold(PIDCOMM_F16, PIDCOMM_SUM, halves, 3, 0, &half);
	assert_int_equal(half, 0x7bff);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bf16_widens),
	cmocka_unit_test(test_f16_widens),
	cmocka_unit_test(test_round_trip),
	cmocka_unit_test(test_boundaries),
	cmocka_unit_test(test_bf16_formula),
	cmocka_unit_test(test_folds),
};

UNIT_MAIN(tests)
