// SPDX-License-Identifier: MIT
/*
 * Reductions in plain loops, as a program writes them that has the vectors in
 * host memory. They are the opponent `sdk` and tell what results must be.
 * build.mk has them compiled as programs on UPMEM's SDK are.
 */
#include <stdbool.h>
#include <string.h>

#include "tools/perf/fold.h"

#define LOOP(expression)						\
	do {								\
		for (uint64_t i = 0; i < n; i++)			\
			a[i] = (expression);				\
	} while (0)

#define COMMON_CASES							\
	case 1: LOOP(a[i] + b[i]); break;				\
	case 2: LOOP(a[i] * b[i]); break;				\
	case 3: LOOP(b[i] < a[i] ? b[i] : a[i]); break;			\
	case 4: LOOP(b[i] > a[i] ? b[i] : a[i]); break;			\
	case 5: LOOP(a[i] != 0 && b[i] != 0); break;			\
	case 7: LOOP(a[i] != 0 || b[i] != 0); break;			\
	case 9: LOOP((a[i] != 0) != (b[i] != 0)); break


#define INTEGER_FOLD(name, T)						\
static void name(unsigned int op, T *a, const T *b, uint64_t n)		\
{									\
	switch (op) {							\
	COMMON_CASES;							\
	case 6: LOOP((T)(a[i] & b[i])); break;				\
	case 8: LOOP((T)(a[i] | b[i])); break;				\
	case 10: LOOP((T)(a[i] ^ b[i])); break;				\
	}								\
}

#define FLOAT_FOLD(name, T)						\
static void name(unsigned int op, T *a, const T *b, uint64_t n)		\
{									\
	switch (op) {							\
	COMMON_CASES;							\
	}								\
}

INTEGER_FOLD(fold_i8, int8_t)
INTEGER_FOLD(fold_i16, int16_t)
INTEGER_FOLD(fold_i32, int32_t)
INTEGER_FOLD(fold_i64, int64_t)
INTEGER_FOLD(fold_u8, uint8_t)
/* 16 bits promote to int, whose product may overflow: hence -fwrapv */
INTEGER_FOLD(fold_u16, uint16_t)
INTEGER_FOLD(fold_u32, uint32_t)
INTEGER_FOLD(fold_u64, uint64_t)
FLOAT_FOLD(fold_f32, float)
FLOAT_FOLD(fold_f64, double)

static inline uint32_t float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline float bits_float(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* shift fp32's bits down, to nearest even */
static inline uint32_t round_bits(uint32_t bits, unsigned int shift)
{
	return (bits + ((1u << (shift - 1)) - 1) + (bits >> shift & 1)) >>
	       shift;
}

/* finite values, which is all there is in the inputs; the scale moves the bias */
static inline uint16_t narrow_f16(float f)
{
	uint32_t bits = float_bits(f * 0x1p-112f);
	uint32_t half = round_bits(bits & 0x7fffffff, 13);

	return (uint16_t)(bits >> 16 & 0x8000) |
	       (uint16_t)(half < 0x7c00 ? half : 0x7c00);
}

static inline float widen_f16(uint16_t half)
{
	return bits_float((uint32_t)(half & 0x8000) << 16 |
			  (uint32_t)(half & 0x7fff) << 13) * 0x1p112f;
}

static inline uint16_t narrow_bf16(float f)
{
	return (uint16_t)round_bits(float_bits(f), 16);
}

static inline float widen_bf16(uint16_t half)
{
	return bits_float((uint32_t)half << 16);
}

static bool is_half(enum pidcomm_type type)
{
	return type == PIDCOMM_F16 || type == PIDCOMM_BF16;
}

static void fold_half(enum pidcomm_type type, unsigned int op, float *acc,
		      const uint16_t *in, uint64_t n)
{
	float wide[256];

	for (uint64_t at = 0; at < n; at += 256) {
		uint64_t some = n - at < 256 ? n - at : 256;

		perf_fold_first(type, wide, in + at, 2 * some);
		fold_f32(op, acc + at, wide, some);
	}
}

void perf_fold_first(enum pidcomm_type type, void *acc, const void *in,
		     uint64_t bytes)
{
	const uint16_t *half = in;
	float *wide = acc;

	if (!is_half(type)) {
		memcpy(acc, in, bytes);
		return;
	}
	for (uint64_t i = 0; i < bytes / 2; i++)
		wide[i] = type == PIDCOMM_F16 ? widen_f16(half[i]) :
						widen_bf16(half[i]);
}

void perf_fold_last(enum pidcomm_type type, void *out, const void *acc,
		    uint64_t bytes)
{
	const float *wide = acc;
	uint16_t *half = out;

	if (!is_half(type)) {
		if (out != acc)
			memcpy(out, acc, bytes);
		return;
	}
	for (uint64_t i = 0; i < bytes / 2; i++)
		half[i] = type == PIDCOMM_F16 ? narrow_f16(wide[i]) :
						narrow_bf16(wide[i]);
}

void perf_fold_next(enum pidcomm_type type, pidcomm_op op, void *acc,
		    const void *in, uint64_t bytes)
{
	unsigned int o = (unsigned int)(uintptr_t)op;

	switch (type) {
	case PIDCOMM_I8: fold_i8(o, acc, in, bytes); break;
	case PIDCOMM_I16: fold_i16(o, acc, in, bytes / 2); break;
	case PIDCOMM_I32: fold_i32(o, acc, in, bytes / 4); break;
	case PIDCOMM_I64: fold_i64(o, acc, in, bytes / 8); break;
	case PIDCOMM_U8: fold_u8(o, acc, in, bytes); break;
	case PIDCOMM_U16: fold_u16(o, acc, in, bytes / 2); break;
	case PIDCOMM_U32: fold_u32(o, acc, in, bytes / 4); break;
	case PIDCOMM_U64: fold_u64(o, acc, in, bytes / 8); break;
	case PIDCOMM_F16:
	case PIDCOMM_BF16: fold_half(type, o, acc, in, bytes / 2); break;
	case PIDCOMM_F32: fold_f32(o, acc, in, bytes / 4); break;
	case PIDCOMM_F64: fold_f64(o, acc, in, bytes / 8); break;
	}
}

/* the bits of a small whole number, zero above the type's */
uint64_t perf_encode(enum pidcomm_type type, int value)
{
	double wide = value;
	uint64_t bits = (uint64_t)value;

	switch (type) {
	case PIDCOMM_I8:
	case PIDCOMM_U8:
		return bits & 0xff;
	case PIDCOMM_I16:
	case PIDCOMM_U16:
		return bits & 0xffff;
	case PIDCOMM_I32:
	case PIDCOMM_U32:
		return bits & 0xffffffff;
	case PIDCOMM_F16:
		return narrow_f16((float)value);
	case PIDCOMM_BF16:
		return narrow_bf16((float)value);
	case PIDCOMM_F32:
		return float_bits((float)value);
	case PIDCOMM_F64:
		memcpy(&bits, &wide, sizeof(bits));
		return bits;
	default:
		return bits;
	}
}
