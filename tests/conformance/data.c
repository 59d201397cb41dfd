// SPDX-License-Identifier: MIT
/* Elements worth reducing. */
#include <math.h>

#include "tests/conformance/call.h"
#include "tests/conformance/numeric.h"

static uint64_t bits_of_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t bits_of_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* The bits of @value in a float type. */
static uint64_t encode(enum pidcomm_type type, double value)
{
	if (type == PIDCOMM_F64)
		return bits_of_double(value);
	if (type == PIDCOMM_F32)
		return bits_of_float((float)value);
	return num_narrow(type, (float)value);
}

static uint64_t small_element(struct rng *rng, enum pidcomm_type type)
{
	int value = (int)rng_below(rng, 7) - (num_is_signed(type) ? 3 : 0);

	return num_is_float(type) ? encode(type, value) : (uint64_t)value;
}

/* Magnitudes that are near each other, so that every addition rounds: from a
 * sixteenth to sixteen, by the bits, as exponents follow mantissas in them. */
static uint64_t normal_element(struct rng *rng, enum pidcomm_type type)
{
	uint64_t bits = rng_next(rng), sign, binade, one;

	switch (type) {
	case PIDCOMM_F16: one = 0x3c00; binade = 1 << 10; break;
	case PIDCOMM_BF16: one = 0x3f80; binade = 1 << 7; break;
	case PIDCOMM_F32: one = 0x3f800000; binade = 1 << 23; break;
	case PIDCOMM_F64:
		one = UINT64_C(0x3ff) << 52;
		binade = UINT64_C(1) << 52;
		break;
	default:
		return bits >> (bits & 63);
	}
	sign = (bits & 1) << (8 * num_size(type) - 1);
	return sign | (one - 4 * binade + ((bits >> 1) & (8 * binade - 1)));
}

static uint64_t special_element(struct rng *rng, enum pidcomm_type type)
{
	unsigned bits = 8 * (unsigned)num_size(type);
	uint64_t sign = UINT64_C(1) << (bits - 1);
	uint64_t inf, value;

	if (!num_is_float(type)) {
		static const uint64_t integers[] = { 0, 0, 1, 2, 3 };

		value = integers[rng_below(rng, 5)];
		value += rng_chance(rng, 50) ? sign : 0;
		return rng_chance(rng, 30) ? value - 2 : value;
	}

	inf = encode(type, INFINITY);
	switch (rng_below(rng, 12)) {
	case 0: value = inf; break;
	case 1: value = inf + 1; break;			/* signalling NaN */
	case 2: value = sign - 1; break;		/* quiet NaN */
	case 3: value = inf - 1 - rng_below(rng, 3); break;	/* largest */
	case 4: value = 1 + rng_below(rng, 3); break;	/* smallest denormal */
	case 5: value = encode(type, 1) + rng_below(rng, 3); break;
	case 6: value = inf / 2 + rng_below(rng, 5) - 2; break;
	case 7: value = rng_below(rng, encode(type, 1)); break;
	case 8: value = rng_below(rng, inf) >> rng_below(rng, bits); break;
	default: value = 0; break;
	}
	return rng_chance(rng, 50) ? value | sign : value;
}

static uint64_t element(struct rng *rng, enum data data, enum pidcomm_type type)
{
	switch (data) {
	case DATA_SMALL:
		return small_element(rng, type);
	case DATA_NORMAL:
		return normal_element(rng, type);
	default:
		return rng_chance(rng, 50) ? special_element(rng, type) :
					     normal_element(rng, type);
	}
}

void data_fill(struct rng *rng, enum data data, enum pidcomm_type type,
	       void *buf, size_t bytes)
{
	unsigned bits = 8 * (unsigned)num_size(type);
	unsigned char *p = buf;

	if (data == DATA_BITS) {
		rng_fill(rng, buf, bytes);
		return;
	}
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t mask = ~UINT64_C(0) >> (64 - bits), word = 0;

		for (unsigned at = 0; at < 64; at += bits)
			word |= (element(rng, data, type) & mask) << at;
		memcpy(p + i, &word, 8);
	}
}
