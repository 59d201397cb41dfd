// SPDX-License-Identifier: MIT
/* Elements and their reductions, see numeric.h. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "tests/conformance/numeric.h"

static const struct {
	const char *name;
	size_t size;
	bool is_signed, is_float;
} types[NUM_TYPES] = {
	[PIDCOMM_I8] = { "i8", 1, true, false },
	[PIDCOMM_I16] = { "i16", 2, true, false },
	[PIDCOMM_I32] = { "i32", 4, true, false },
	[PIDCOMM_I64] = { "i64", 8, true, false },
	[PIDCOMM_U8] = { "u8", 1, false, false },
	[PIDCOMM_U16] = { "u16", 2, false, false },
	[PIDCOMM_U32] = { "u32", 4, false, false },
	[PIDCOMM_U64] = { "u64", 8, false, false },
	[PIDCOMM_F16] = { "f16", 2, true, true },
	[PIDCOMM_BF16] = { "bf16", 2, true, true },
	[PIDCOMM_F32] = { "f32", 4, true, true },
	[PIDCOMM_F64] = { "f64", 8, true, true },
};

enum op { SUM = 1, PROD, MIN, MAX, LAND, BAND, LOR, BOR, LXOR, BXOR };

static const char *const op_names[] = {
	"", "sum", "prod", "min", "max", "land", "band", "lor", "bor", "lxor",
	"bxor",
};

static enum op op_number(pidcomm_op op)
{
	return (enum op)(uintptr_t)op;
}

size_t num_size(enum pidcomm_type type)
{
	return types[type].size;
}

bool num_is_float(enum pidcomm_type type)
{
	return types[type].is_float;
}

bool num_is_signed(enum pidcomm_type type)
{
	return types[type].is_signed;
}

bool num_is_bitwise(pidcomm_op op)
{
	return op == PIDCOMM_BAND || op == PIDCOMM_BOR || op == PIDCOMM_BXOR;
}

const char *num_type_name(enum pidcomm_type type)
{
	return types[type].name;
}

const char *num_op_name(pidcomm_op op)
{
	return op_names[op_number(op)];
}

pidcomm_op num_op(unsigned index)
{
	return (pidcomm_op)(uintptr_t)(index + 1);
}

/*
 * The two formats of 16 bits. Their codes without the sign are ordered as their
 * values are; the code of infinity is given here the value that it would have
 * if exponents went on, which is where rounding changes from the largest finite
 * value to infinity: half way between the two.
 */
struct format {
	int mantissa_bits, bias;
	uint16_t infinity;
	double value[0x8000];
};

static struct format f16 = {
	.mantissa_bits = 10, .bias = 15, .infinity = 0x7c00,
};
static struct format bf16 = {
	.mantissa_bits = 7, .bias = 127, .infinity = 0x7f80,
};
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void fill_table(struct format *f)
{
	for (int code = 0; code < 0x8000; code++) {
		int exponent = code >> f->mantissa_bits;
		int mantissa = code & ((1 << f->mantissa_bits) - 1);

		if (exponent == 0)
			exponent = 1;
		else
			mantissa += 1 << f->mantissa_bits;
		f->value[code] = ldexp(mantissa, exponent - f->bias -
						 f->mantissa_bits);
	}
}

static void fill_tables(void)
{
	fill_table(&f16);
	fill_table(&bf16);
}

static const struct format *format_of(enum pidcomm_type type)
{
	pthread_once(&tables_once, fill_tables);
	return type == PIDCOMM_F16 ? &f16 : &bf16;
}

float num_widen(enum pidcomm_type type, uint16_t code)
{
	const struct format *f = format_of(type);
	uint16_t magnitude = code & 0x7fff;
	double value = f->value[magnitude];

	if (magnitude > f->infinity)
		return NAN;
	if (magnitude == f->infinity)
		value = INFINITY;
	return (float)(code & 0x8000 ? -value : value);
}

uint16_t num_narrow(enum pidcomm_type type, float value)
{
	const struct format *f = format_of(type);
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	unsigned low = 0, high = f->infinity + 1u;
	double x = fabs((double)value), middle;

	if (isnan(value))
		return sign | (f->infinity + 1u);

	/* the largest code whose value is not above x */
	while (high - low > 1) {
		unsigned code = (low + high) / 2;

		if (f->value[code] <= x)
			low = code;
		else
			high = code;
	}
	if (low == f->infinity)
		return sign | f->infinity;
	middle = (f->value[low] + f->value[low + 1]) / 2;
	if (x > middle || (x == middle && low % 2 == 1))
		low++;
	return (uint16_t)(sign | low);
}

static uint64_t load_unsigned(size_t size, const void *p)
{
	uint64_t value = 0;

	memcpy(&value, p, size);	/* little-endian hosts only */
	return value;
}

static int64_t load_signed(size_t size, const void *p)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return (int64_t)(load_unsigned(size, p) << shift) >> shift;
}

/* The element of F16, BF16 or F32 at @p. */
static float load_float(enum pidcomm_type type, const void *p)
{
	uint16_t code;
	float value;

	if (type == PIDCOMM_F32) {
		memcpy(&value, p, sizeof(value));
		return value;
	}
	memcpy(&code, p, sizeof(code));
	return num_widen(type, code);
}

static double load_double(const void *p)
{
	double value;

	memcpy(&value, p, sizeof(value));
	return value;
}

bool num_is_nan(enum pidcomm_type type, const void *p)
{
	if (!num_is_float(type))
		return false;
	if (type == PIDCOMM_F64)
		return isnan(load_double(p));
	return isnan(load_float(type, p));
}

bool num_settle(enum pidcomm_type type, uint8_t *want, const uint8_t *got,
		     size_t bytes)
{
	size_t size = num_size(type);

	for (size_t i = 0; i < bytes; i += size) {
		if (!memcmp(want + i, got + i, size))
			continue;
		if (!num_is_nan(type, want + i) || !num_is_nan(type, got + i))
			return false;
		memcpy(want + i, got + i, size);
	}
	return true;
}

static uint64_t step_unsigned(enum op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case SUM: return a + b;
	case PROD: return a * b;
	case MIN: return b < a ? b : a;
	case MAX: return b > a ? b : a;
	case LAND: return a != 0 && b != 0;
	case BAND: return a & b;
	case LOR: return a != 0 || b != 0;
	case BOR: return a | b;
	case LXOR: return (a != 0) != (b != 0);
	case BXOR: return a ^ b;
	}
	return 0;
}

static int64_t step_signed(enum op op, int64_t a, int64_t b)
{
	switch (op) {
	case MIN: return b < a ? b : a;
	case MAX: return b > a ? b : a;
	default: return (int64_t)step_unsigned(op, (uint64_t)a, (uint64_t)b);
	}
}

static float step_float(enum op op, float a, float b)
{
	switch (op) {
	case SUM: return a + b;
	case PROD: return a * b;
	case MIN: return b < a ? b : a;
	case MAX: return b > a ? b : a;
	case LAND: return a != 0 && b != 0;
	case LOR: return a != 0 || b != 0;
	case LXOR: return (a != 0) != (b != 0);
	default: return 0;	/* bitwise ones do not serve floats */
	}
}

static double step_double(enum op op, double a, double b)
{
	switch (op) {
	case SUM: return a + b;
	case PROD: return a * b;
	case MIN: return b < a ? b : a;
	case MAX: return b > a ? b : a;
	case LAND: return a != 0 && b != 0;
	case LOR: return a != 0 || b != 0;
	case LXOR: return (a != 0) != (b != 0);
	default: return 0;
	}
}

/*
 * Each step goes back to the type's width, so that the next one compares the
 * wrapped value.
 */
static void fold_integer(enum pidcomm_type type, enum op op,
			 const uint8_t *const in[], size_t n, size_t at,
			 void *out)
{
	size_t size = num_size(type);

	memcpy(out, in[0] + at, size);
	for (size_t i = 1; i < n; i++) {
		uint64_t result;

		if (num_is_signed(type))
			result = (uint64_t)step_signed(op, load_signed(size, out),
					load_signed(size, in[i] + at));
		else
			result = step_unsigned(op, load_unsigned(size, out),
					load_unsigned(size, in[i] + at));
		memcpy(out, &result, size);
	}
}

static void fold_float(enum pidcomm_type type, enum op op,
		       const uint8_t *const in[], size_t n, size_t at, void *out)
{
	float fold = load_float(type, in[0] + at);
	uint16_t code;

	for (size_t i = 1; i < n; i++)
		fold = step_float(op, fold, load_float(type, in[i] + at));
	if (type == PIDCOMM_F32) {
		memcpy(out, &fold, sizeof(fold));
		return;
	}
	code = num_narrow(type, fold);
	memcpy(out, &code, sizeof(code));
}

static void fold_double(enum op op, const uint8_t *const in[], size_t n,
			size_t at, void *out)
{
	double fold = load_double(in[0] + at);

	for (size_t i = 1; i < n; i++)
		fold = step_double(op, fold, load_double(in[i] + at));
	memcpy(out, &fold, sizeof(fold));
}

void num_fold(enum pidcomm_type type, pidcomm_op op, const uint8_t *const in[],
	      size_t n, size_t index, void *out)
{
	size_t at = index * num_size(type);

	if (type == PIDCOMM_F64)
		fold_double(op_number(op), in, n, at, out);
	else if (num_is_float(type))
		fold_float(type, op_number(op), in, n, at, out);
	else
		fold_integer(type, op_number(op), in, n, at, out);
}
