// SPDX-License-Identifier: MIT
/* Folds and conversions of every tier, against the tests' own arithmetic. */
#include <math.h>

#include "tests/conformance/call.h"
#include "tests/conformance/numeric.h"
#include "tests/unit/tiers.h"

#define BYTES	1024

/* F16 and BF16 are folded as F32, between conversions of their own. */
static bool folded_as_itself(enum pidcomm_type type)
{
	return type != PIDCOMM_F16 && type != PIDCOMM_BF16;
}

static void check_fold(int isa, enum pidcomm_type type, unsigned op, size_t bytes,
		       enum data data)
{
	static uint8_t acc[BYTES + 64] __attribute__((aligned(64)));
	static uint8_t in[BYTES + 64] __attribute__((aligned(64)));
	static uint8_t want[BYTES + 64], kept[BYTES + 64];
	const uint8_t *both[] = { kept, in };
	struct rng rng = { bytes * 16 + op };
	size_t size = num_size(type);

	data_fill(&rng, data, type, acc, BYTES + 64);
	data_fill(&rng, data, type, in, BYTES + 64);
	memcpy(kept, acc, sizeof(kept));
	memcpy(want, acc, sizeof(want));
	for (size_t i = 0; i < bytes / size; i++)
		num_fold(type, num_op(op), both, 2, i, want + i * size);
	pc_isa_folds((enum pd_isa)isa)->fold[type][op](acc, in, bytes);
	if (!num_settle(type, want, acc, bytes) ||
	    memcmp(want + bytes, acc + bytes, sizeof(want) - bytes))
		fail_msg("%s: %s of %zu bytes of %s",
			 pd_isa_name((enum pd_isa)isa), num_op_name(num_op(op)),
			 bytes, num_type_name(type));
}

static void check_type(int isa, enum pidcomm_type type)
{
	for (unsigned op = 0; op < NUM_OPS; op++) {
		bool none = num_is_float(type) && num_is_bitwise(num_op(op));

		assert_int_equal(!pc_isa_folds((enum pd_isa)isa)->fold[type][op], none);
		if (none || !folded_as_itself(type))
			continue;
		for (size_t bytes = 0; bytes <= 320; bytes += 8)
			check_fold(isa, type, op, bytes,
				   (enum data)(bytes / 8 % NR_DATA));
		for (int data = 0; data < NR_DATA; data++)
			check_fold(isa, type, op, BYTES, (enum data)data);
	}
}

static void check_folds(int isa)
{
	for (unsigned type = 0; type < NUM_TYPES; type++)
		check_type(isa, (enum pidcomm_type)type);
}

static void check_widen_type(enum pidcomm_type type,
			     void (*widen)(float *, const uint16_t *, size_t))
{
	/* lengths of every remainder, so that tails are met */
	for (size_t n = 1; n < 40; n++) {
		for (uint32_t first = 0; first < 0x10000; first += (uint32_t)n) {
			uint16_t codes[40];
			float got[41];

			for (size_t i = 0; i < n; i++)
				codes[i] = (uint16_t)(first + i);
			got[n] = 123;
			widen(got, codes, n);
			assert_true(got[n] == 123);
			for (size_t i = 0; i < n; i++) {
				float want = num_widen(type, codes[i]);

				if (isnan(want))
					assert_true(isnan(got[i]));
				else
					assert_memory_equal(&got[i], &want, 4);
			}
		}
		n += n < 18 ? 0 : 6;
	}
}

static void check_widen(int isa)
{
	check_widen_type(PIDCOMM_F16, pc_isa_folds((enum pd_isa)isa)->widen_f16);
	check_widen_type(PIDCOMM_BF16, pc_isa_folds((enum pd_isa)isa)->widen_bf16);
}

static void narrow_some(int isa, enum pidcomm_type type, const float *values,
			size_t n)
{
	uint16_t got[65];

	got[n] = 0x4321;
	if (type == PIDCOMM_F16)
		pc_isa_folds((enum pd_isa)isa)->narrow_f16(got, values, n);
	else
		pc_isa_folds((enum pd_isa)isa)->narrow_bf16(got, values, n);
	assert_int_equal(got[n], 0x4321);
	for (size_t i = 0; i < n; i++) {
		uint16_t want = num_narrow(type, values[i]);

		if (got[i] != want && !(isnan(values[i]) &&
					num_is_nan(type, &got[i])))
			fail_msg("%s: %a to %s: %04x instead of %04x",
				 pd_isa_name((enum pd_isa)isa), (double)values[i],
				 num_type_name(type), got[i], want);
	}
}

/* Each value of the type, its neighbours in fp32, and the middles between. */
static void check_narrow_type(int isa, enum pidcomm_type type)
{
	for (uint32_t code = 0; code < 0x10000; code++) {
		float value = num_widen(type, (uint16_t)code);
		float next = num_widen(type, (uint16_t)(code + 1));
		float middle = (float)(((double)value + (double)next) / 2);
		const float values[] = {
			value, nextafterf(value, 0), nextafterf(value, INFINITY),
			middle, nextafterf(middle, 0),
			nextafterf(middle, INFINITY),
			nextafterf(middle, -INFINITY), -middle, value, middle,
		};

		narrow_some(isa, type, values, 8);
		narrow_some(isa, type, values + 1, 9);
		narrow_some(isa, type, values + code % 8, 1);
	}
}

static void check_narrow(int isa)
{
	struct rng rng = { 77 };

	check_narrow_type(isa, PIDCOMM_F16);
	check_narrow_type(isa, PIDCOMM_BF16);
	for (int i = 0; i < 20000; i++) {
		float values[64];
		size_t n = 1 + i % 64;

		rng_fill(&rng, values, sizeof(values));
		narrow_some(isa, PIDCOMM_F16, values, n);
		narrow_some(isa, PIDCOMM_BF16, values, n);
	}
}

static void test_folds(void **state)
{
	(void)state;
	each_tier(check_folds);
}

static void test_widen(void **state)
{
	(void)state;
	each_tier(check_widen);
}

static void test_narrow(void **state)
{
	(void)state;
	each_tier(check_narrow);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_folds),
	cmocka_unit_test(test_widen),
	cmocka_unit_test(test_narrow),
};

UNIT_MAIN(tests)
