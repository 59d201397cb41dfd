// SPDX-License-Identifier: MIT
/*
 * Comparisons and conversions of floating point count what the same takes in C, by
 * integers, compiled with counting: within a fifth, of values as programs have them.
 * From version 15 on, clang branches where those before it, like the one that hardware's
 * library is built with, compute both sides and select: then the C takes down to half.
 * quirk: tasklets=1
 */
#include <perfcounter.h>
#include <string.h>

#include "quirk.h"

#define N 100
#define MANTISSA 23
#define MANTISSA_WIDE 52

#define SOFT __attribute__((noinline)) static

SOFT int less(int32_t a, int32_t b)
{
	uint32_t x = a & INT32_MAX, y = b & INT32_MAX;

	if (x > 0xffu << MANTISSA || y > 0xffu << MANTISSA)
		return 1;
	if (!(x | y))
		return 0;
	if ((a & b) >= 0)
		return a < b ? -1 : a != b;
	return a > b ? -1 : a != b;
}

SOFT int less_wide(int64_t a, int64_t b)
{
	uint64_t x = a & INT64_MAX, y = b & INT64_MAX;

	if (x > 0x7ffull << MANTISSA_WIDE || y > 0x7ffull << MANTISSA_WIDE)
		return 1;
	if (!(x | y))
		return 0;
	if ((a & b) >= 0)
		return a < b ? -1 : a != b;
	return a > b ? -1 : a != b;
}

SOFT uint32_t from_unsigned(uint32_t a)
{
	uint32_t exponent, result;
	int shift;

	if (!a)
		return 0;
	exponent = 31 - __builtin_clz(a);
	if (exponent <= MANTISSA) {
		result = a << (MANTISSA - exponent) ^ 1u << MANTISSA;
	} else {
		uint32_t rest;

		shift = exponent - MANTISSA;
		result = a >> shift ^ 1u << MANTISSA;
		rest = a << (32 - shift);
		result += rest > 1u << 31;
		result += rest == 1u << 31 ? result & 1 : 0;
	}
	return result + ((exponent + 127) << MANTISSA);
}

SOFT uint32_t from_signed(int32_t a)
{
	uint32_t sign = a & 1u << 31, magnitude = a < 0 ? -(uint32_t)a : (uint32_t)a;
	uint32_t exponent, result;

	if (!a)
		return 0;
	exponent = 31 - __builtin_clz(magnitude);
	if (exponent <= MANTISSA) {
		result = magnitude << (MANTISSA - exponent) ^ 1u << MANTISSA;
	} else {
		uint32_t shift = exponent - MANTISSA, rest = magnitude << (32 - shift);

		result = magnitude >> shift ^ 1u << MANTISSA;
		result += rest > 1u << 31;
		result += rest == 1u << 31 ? result & 1 : 0;
	}
	return (result + ((exponent + 127) << MANTISSA)) | sign;
}

SOFT uint64_t from_signed_wide(int32_t a)
{
	uint64_t sign = a < 0 ? 1ull << 63 : 0;
	uint32_t magnitude = a < 0 ? -(uint32_t)a : (uint32_t)a, exponent;
	uint64_t result;

	if (!a)
		return 0;
	exponent = 31 - __builtin_clz(magnitude);
	result = (uint64_t)magnitude << (MANTISSA_WIDE - exponent) ^ 1ull << MANTISSA_WIDE;
	result += (uint64_t)(exponent + 1023) << MANTISSA_WIDE;
	return result | sign;
}

SOFT uint64_t from_unsigned_wide(uint32_t a)
{
	uint64_t result;
	uint32_t exponent;

	if (!a)
		return 0;
	exponent = 31 - __builtin_clz(a);
	result = (uint64_t)a << (MANTISSA_WIDE - exponent) ^ 1ull << MANTISSA_WIDE;
	return result + ((uint64_t)(exponent + 1023) << MANTISSA_WIDE);
}

SOFT int32_t to_signed(uint32_t a)
{
	uint32_t absolute = a & INT32_MAX, mantissa = (absolute & 0x7fffff) | 0x800000;
	int32_t sign = a >> 31 ? -1 : 1, exponent = (int32_t)(absolute >> MANTISSA) - 127;
	uint32_t value;

	if (exponent < 0)
		return 0;
	if (exponent >= 32)
		return sign == 1 ? INT32_MAX : INT32_MIN;
	value = exponent < MANTISSA ? mantissa >> (MANTISSA - exponent) :
				      mantissa << (exponent - MANTISSA);
	return sign < 0 ? -value : value;
}

SOFT int32_t to_signed_wide(uint64_t a)
{
	uint64_t absolute = a & INT64_MAX;
	uint64_t mantissa = (absolute & ((1ull << MANTISSA_WIDE) - 1)) | 1ull << MANTISSA_WIDE;
	int32_t sign = a >> 63 ? -1 : 1, exponent = (int32_t)(absolute >> MANTISSA_WIDE) - 1023;
	uint32_t value;

	if (exponent < 0)
		return 0;
	if (exponent >= 32)
		return sign == 1 ? INT32_MAX : INT32_MIN;
	value = (uint32_t)(mantissa >> (MANTISSA_WIDE - exponent));
	return sign < 0 ? -value : value;
}

/* --- from and to 64 bits --- */

/* `magnitude` with `bits` of them in those of a mantissa, rounded to nearest even */
#define FIT(magnitude, bits, mantissa)					\
	do {								\
		if ((bits) <= (mantissa) + 1) {				\
			(magnitude) <<= (mantissa) + 1 - (bits);	\
			break;						\
		}							\
		if ((bits) == (mantissa) + 2)				\
			(magnitude) <<= 1;				\
		else if ((bits) > (mantissa) + 3)			\
			(magnitude) = (magnitude) >> ((bits) - (mantissa) - 3) | \
				      (((magnitude) & ~0ull >>		\
					(64 + (mantissa) + 3 - (bits))) != 0); \
		(magnitude) |= ((magnitude) & 4) != 0;			\
		(magnitude) = ((magnitude) + 1) >> 2;			\
		if ((magnitude) & 1ull << ((mantissa) + 1)) {		\
			(magnitude) >>= 1;				\
			(bits)++;					\
		}							\
	} while (0)

SOFT uint32_t from_long_unsigned(uint64_t a)
{
	uint32_t bits;

	if (!a)
		return 0;
	bits = 64 - (uint32_t)__builtin_clzll(a);
	FIT(a, bits, MANTISSA);
	return (bits + 126) << MANTISSA | ((uint32_t)a & 0x7fffff);
}

SOFT uint32_t from_long(int64_t a)
{
	uint64_t magnitude = a < 0 ? -(uint64_t)a : (uint64_t)a;
	uint32_t sign = (uint32_t)(a >> 32) & 1u << 31, bits;

	if (!a)
		return 0;
	bits = 64 - (uint32_t)__builtin_clzll(magnitude);
	FIT(magnitude, bits, MANTISSA);
	return sign | (bits + 126) << MANTISSA | ((uint32_t)magnitude & 0x7fffff);
}

SOFT uint64_t from_long_unsigned_wide(uint64_t a)
{
	uint32_t bits;

	if (!a)
		return 0;
	bits = 64 - (uint32_t)__builtin_clzll(a);
	FIT(a, bits, MANTISSA_WIDE);
	return (uint64_t)((bits + 1022) << 20 | ((uint32_t)(a >> 32) & 0xfffff)) << 32 |
	       (uint32_t)a;
}

SOFT uint64_t from_long_wide(int64_t a)
{
	uint64_t magnitude = a < 0 ? -(uint64_t)a : (uint64_t)a;
	uint32_t sign = (uint32_t)(a >> 32) & 1u << 31, bits;

	if (!a)
		return 0;
	bits = 64 - (uint32_t)__builtin_clzll(magnitude);
	FIT(magnitude, bits, MANTISSA_WIDE);
	return (uint64_t)(sign | (bits + 1022) << 20 |
			  ((uint32_t)(magnitude >> 32) & 0xfffff)) << 32 | (uint32_t)magnitude;
}

SOFT uint64_t to_long_unsigned(uint32_t a)
{
	uint32_t absolute = a & INT32_MAX, mantissa = (absolute & 0x7fffff) | 0x800000;
	int32_t exponent = (int32_t)(absolute >> MANTISSA) - 127;

	if (a >> 31 || exponent < 0)
		return 0;
	if (exponent >= 64)
		return UINT64_MAX;
	return exponent < MANTISSA ? mantissa >> (MANTISSA - exponent) :
				     (uint64_t)mantissa << (exponent - MANTISSA);
}

SOFT int64_t to_long(uint32_t a)
{
	uint32_t absolute = a & INT32_MAX, mantissa = (absolute & 0x7fffff) | 0x800000;
	int32_t sign = a >> 31 ? -1 : 1, exponent = (int32_t)(absolute >> MANTISSA) - 127;
	uint64_t value;

	if (exponent < 0)
		return 0;
	if (exponent >= 64)
		return sign == 1 ? INT64_MAX : INT64_MIN;
	value = exponent < MANTISSA ? mantissa >> (MANTISSA - exponent) :
				      (uint64_t)mantissa << (exponent - MANTISSA);
	return sign < 0 ? -value : value;
}

SOFT uint64_t to_long_unsigned_wide(uint64_t a)
{
	uint64_t absolute = a & INT64_MAX;
	uint64_t mantissa = (absolute & ((1ull << MANTISSA_WIDE) - 1)) | 1ull << MANTISSA_WIDE;
	int32_t exponent = (int32_t)(absolute >> MANTISSA_WIDE) - 1023;

	if (a >> 63 || exponent < 0)
		return 0;
	if (exponent >= 64)
		return UINT64_MAX;
	return exponent < MANTISSA_WIDE ? mantissa >> (MANTISSA_WIDE - exponent) :
					  mantissa << (exponent - MANTISSA_WIDE);
}

SOFT int64_t to_long_wide(uint64_t a)
{
	uint64_t absolute = a & INT64_MAX, value;
	uint64_t mantissa = (absolute & ((1ull << MANTISSA_WIDE) - 1)) | 1ull << MANTISSA_WIDE;
	int32_t sign = a >> 63 ? -1 : 1, exponent = (int32_t)(absolute >> MANTISSA_WIDE) - 1023;

	if (exponent < 0)
		return 0;
	if (exponent >= 64)
		return sign == 1 ? INT64_MAX : INT64_MIN;
	value = exponent < MANTISSA_WIDE ? mantissa >> (MANTISSA_WIDE - exponent) :
					   mantissa << (exponent - MANTISSA_WIDE);
	return sign < 0 ? -value : value;
}

SOFT uint64_t widen(uint32_t a)
{
	uint32_t absolute = a & INT32_MAX;
	uint64_t sign = (uint64_t)(a & 1u << 31) << 32, result;

	if (absolute - 0x00800000 < 0x7f800000 - 0x00800000)
		result = ((uint64_t)absolute << 29) + (896ull << MANTISSA_WIDE);
	else if (absolute >= 0x7f800000)
		result = 0x7ffull << MANTISSA_WIDE | (uint64_t)(absolute & 0x7fffff) << 29;
	else
		result = 0;
	return result | sign;
}

SOFT uint32_t shorten(uint64_t a)
{
	uint64_t absolute = a & INT64_MAX;
	uint32_t sign = (uint32_t)(a >> 32) & 1u << 31, result, rest;

	if (absolute - (897ull << MANTISSA_WIDE) < absolute - (1151ull << MANTISSA_WIDE)) {
		result = (uint32_t)(absolute >> 29) - (896u << MANTISSA);
		rest = (uint32_t)absolute & 0x1fffffff;
		if (rest > 1u << 28)
			result++;
		else if (rest == 1u << 28)
			result += result & 1;
	} else {
		result = 0x7f800000;
	}
	return result | sign;
}

static volatile float f = 1000.5f;
static volatile double d = 1000.5;
static volatile int32_t bits = 0x447a2000, n = 1000, result;
static volatile int64_t wide_bits = 0x408f440000000000;
static volatile uint32_t un = 1000;
static volatile int64_t wide_result, long_signed = 1000;
static volatile uint64_t long_unsigned = 1000;
static volatile float f_result;
static volatile double d_result;

static perfcounter_t begun;

/* as often, since the counter goes by steps */
#define TAKES(what)							\
	({								\
		begun = perfcounter_get();				\
		for (int i = 0; i < N; i++)				\
			what;						\
		(uint32_t)(perfcounter_get() - begun) / N;		\
	})

#if __clang_major__ < 15
#define MOST(says, takes) (4 * (says) <= 5 * (takes))
#else
#define MOST(says, takes) ((says) <= 2 * (takes))
#endif

__host uint32_t says, takes;
#define SAME(operation, in_c)						\
	do {								\
		says = TAKES(operation);				\
		takes = TAKES(in_c);					\
		CHECK(5 * says >= 4 * takes && MOST(says, takes));	\
	} while (0)

/* Whether the C makes of a number what the compiler's does. */
SOFT int right(int64_t number)
{
	float single = (float)number, unsigned_single = (float)(uint64_t)number;
	double twice = (double)number, unsigned_twice = (double)(uint64_t)number;
	uint32_t narrow[2];
	uint64_t wide[2];

	memcpy(&narrow[0], &single, 4);
	memcpy(&narrow[1], &unsigned_single, 4);
	memcpy(&wide[0], &twice, 8);
	memcpy(&wide[1], &unsigned_twice, 8);
	return from_long(number) == narrow[0] && from_long_wide(number) == wide[0] &&
	       from_long_unsigned((uint64_t)number) == narrow[1] &&
	       from_long_unsigned_wide((uint64_t)number) == wide[1];
}

int main(void)
{
	perfcounter_config(COUNT_INSTRUCTIONS, true);
	SAME(result = f < f, result = less(bits, bits) < 0);
	SAME(result = d < d, result = less_wide(wide_bits, wide_bits) < 0);
	SAME(f_result = (float)un, result = from_unsigned(un));
	SAME(f_result = (float)n, result = from_signed(n));
	SAME(d_result = (double)un, wide_result = from_unsigned_wide(un));
	SAME(d_result = (double)n, wide_result = from_signed_wide(n));
	SAME(result = (int32_t)f, result = to_signed(bits));
	SAME(result = (int32_t)d, result = to_signed_wide(wide_bits));
	SAME(d_result = (double)f, wide_result = widen(bits));
	SAME(f_result = (float)d, result = shorten(wide_bits));
	SAME(f_result = (float)long_unsigned, result = from_long_unsigned(long_unsigned));
	SAME(f_result = (float)long_signed, result = from_long(long_signed));
	SAME(d_result = (double)long_unsigned,
	     wide_result = from_long_unsigned_wide(long_unsigned));
	SAME(d_result = (double)long_signed, wide_result = from_long_wide(long_signed));
	SAME(wide_result = (uint64_t)f, wide_result = to_long_unsigned(bits));
	SAME(wide_result = (int64_t)f, wide_result = to_long(bits));
	SAME(wide_result = (uint64_t)d, wide_result = to_long_unsigned_wide(wide_bits));
	SAME(wide_result = (int64_t)d, wide_result = to_long_wide(wide_bits));
	/* and the C is right */
	CHECK(right(1000) && right(1) && right((1 << 24) + 1) && right((1 << 25) + 3));
	CHECK(right(INT64_MAX) && right(-INT64_MAX) && right((1ll << 53) + 1));
	CHECK(to_long(bits) == 1000 && to_long_unsigned(bits) == 1000);
	CHECK(to_long_wide(wide_bits) == 1000 && to_long_unsigned_wide(wide_bits) == 1000);
	CHECK(to_signed(bits) == 1000 && to_signed_wide(wide_bits) == 1000);
	CHECK(from_signed(1000) == 0x447a0000 && from_unsigned(1000) == 0x447a0000);
	CHECK(widen(bits) == (uint64_t)wide_bits && shorten(wide_bits) == (uint32_t)bits);
	CHECK(from_signed_wide(-1000) == 0xc08f400000000000 && less(bits, bits + 1) < 0);
	quirk_end();
	return 0;
}
