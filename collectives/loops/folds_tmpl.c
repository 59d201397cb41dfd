// SPDX-License-Identifier: MIT
/*
 * Compiled once a tier, with -DPD_TIER=name and the tier's instruction set:
 * plain loops, which the compiler turns into the tier's vectors. The fold so
 * far is A, what comes after it in rank order is B.
 */
#include <string.h>

#include "collectives/loops/loops.h"
#include "runtime/simd/vec.h"

#ifdef __ARM_FEATURE_SVE
#include <arm_sve.h>
#endif

#define FOLD(name, type, expr)						\
static void fold_##name(void *acc, const void *in, size_t bytes)	\
{									\
	type *restrict a = acc;						\
	const type *restrict b = in;					\
									\
	for (size_t i = 0; i < bytes / sizeof(type); i++) {		\
		const type A = V_GET(a[i]), B = V_GET(b[i]);		\
									\
		V_SET(a[i], (type)(expr));				\
	}								\
}

/* 8 and 16 bits are promoted to int, where a product might not fit */
#define FOLDS_WRAPPING(u, type)						\
	FOLD(sum_##u, type, A + B)					\
	FOLD(prod_##u, type, (uint64_t)A * B)				\
	FOLD(band_##u, type, A & B)					\
	FOLD(bor_##u, type, A | B)					\
	FOLD(bxor_##u, type, A ^ B)

#define FOLDS_LOGICAL(t, type)						\
	FOLD(land_##t, type, (A != 0) & (B != 0))			\
	FOLD(lor_##t, type, (A != 0) | (B != 0))			\
	FOLD(lxor_##t, type, (A != 0) ^ (B != 0))

#define FOLDS_ORDERED(t, type)						\
	FOLD(min_##t, type, B < A ? B : A)				\
	FOLD(max_##t, type, B > A ? B : A)

/* two's complement: only the order tells signed from unsigned */
#define FOLDS_INTEGER(bits)						\
	FOLDS_WRAPPING(u##bits, uint##bits##_t)				\
	FOLDS_LOGICAL(u##bits, uint##bits##_t)				\
	FOLDS_ORDERED(u##bits, uint##bits##_t)				\
	FOLDS_ORDERED(i##bits, int##bits##_t)

#define FOLDS_FLOAT(t, type)						\
	FOLD(sum_##t, type, A + B)					\
	FOLD(prod_##t, type, A * B)					\
	FOLDS_LOGICAL(t, type)						\
	FOLDS_ORDERED(t, type)

FOLDS_INTEGER(8)
FOLDS_INTEGER(16)
FOLDS_INTEGER(32)
FOLDS_INTEGER(64)
FOLDS_FLOAT(f32, float)
FOLDS_FLOAT(f64, double)

static uint32_t float_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return u;
}

static float bits_float(uint32_t u)
{
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static inline float f16_to_f32(uint16_t h)
{
	const uint32_t rebias = (127 - 15) << 23;
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t rest = (uint32_t)(h & 0x7fff) << 13;
	/* a denormal: as if its exponent were 1, less that one's own value */
	float small = bits_float(rest + rebias + (1 << 23)) -
		      bits_float(rebias + (1 << 23));
	uint32_t normal = rest + rebias;

	if (rest >= 0x7c00u << 13)	/* infinity and NaN */
		normal += rebias;
	return bits_float(sign | (rest < 1u << 23 ? float_bits(small) :
						   normal));
}

static inline uint16_t f32_to_f16(float f)
{
	/* adding it leaves a denormal's bits, rounded, at the bottom */
	const uint32_t magic = ((127 - 15) + (23 - 10) + 1) << 23;
	uint32_t u = float_bits(f);
	uint32_t sign = u >> 16 & 0x8000;
	uint32_t a = u & 0x7fffffff;
	uint32_t small = float_bits(bits_float(a) + bits_float(magic)) - magic;
	uint32_t normal = (a - ((127u - 15) << 23) + 0xfff + (a >> 13 & 1)) >> 13;
	uint32_t h = a < (127u - 14) << 23 ? small : normal;

	if (a >= (127u + 16) << 23)
		h = a > 0xffu << 23 ? 0x7e00 : 0x7c00;
	return (uint16_t)(sign | h);
}

static void widen_f16(float *dst, const uint16_t *src, size_t n)
{
	size_t i = 0;

#if defined(__F16C__) && !defined(PD_COUNT)
	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(
						  (const void *)(src + i))));
#elif defined(__ARM_FEATURE_SVE) && !defined(PD_COUNT)
	for (; i < n; i += svcntw()) {
		const svbool_t some = svwhilelt_b32_u64(i, n);

		svst1_f32(some, dst + i, svcvt_f32_f16_x(some, svreinterpret_f16_u32(
				  svld1uh_u32(some, src + i))));
	}
#elif defined(V_NEON)
	for (; i + 4 <= n; i += 4)
		vst1q_f32(dst + i, vcvt_f32_f16(vreinterpret_f16_u16(
					   vld1_u16(src + i))));
#endif
	for (; i < n; i++)
		V_SET(dst[i], f16_to_f32(V_GET(src[i])));
}

static void narrow_f16(uint16_t *dst, const float *src, size_t n)
{
	size_t i = 0;

#if defined(__F16C__) && !defined(PD_COUNT)
	for (; i + 8 <= n; i += 8)
		_mm_storeu_si128((void *)(dst + i),
				 _mm256_cvtps_ph(_mm256_loadu_ps(src + i),
						 _MM_FROUND_TO_NEAREST_INT));
#elif defined(__ARM_FEATURE_SVE) && !defined(PD_COUNT)
	for (; i < n; i += svcntw()) {
		const svbool_t some = svwhilelt_b32_u64(i, n);

		svst1h_u32(some, dst + i, svreinterpret_u32_f16(svcvt_f16_f32_x(
				  some, svld1_f32(some, src + i))));
	}
#elif defined(V_NEON)
	for (; i + 4 <= n; i += 4)
		vst1_u16(dst + i, vreinterpret_u16_f16(vcvt_f16_f32(
					  vld1q_f32(src + i))));
#endif
	for (; i < n; i++)
		V_SET(dst[i], f32_to_f16(V_GET(src[i])));
}

static void widen_bf16(float *dst, const uint16_t *src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		V_SET(dst[i], bits_float((uint32_t)V_GET(src[i]) << 16));
}

/* the hardware's conversion flushes denormals, this one does not */
static void narrow_bf16(uint16_t *dst, const float *src, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t u = float_bits(V_GET(src[i]));
		uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
		bool nan = (u & 0x7fffffff) > 0x7f800000;

		V_SET(dst[i], (uint16_t)(nan ? u >> 16 | 0x40 : rounded));
	}
}

#define PD_CAT_(a, b)	a##b
#define PD_CAT(a, b)	PD_CAT_(a, b)

/* in the order of PIDCOMM_SUM, ...; u names the wrapping and logical ones */
#define ROW_INTEGER(t, u)						\
	{ fold_sum_##u, fold_prod_##u, fold_min_##t, fold_max_##t,	\
	  fold_land_##u, fold_band_##u, fold_lor_##u, fold_bor_##u,	\
	  fold_lxor_##u, fold_bxor_##u }
#define ROW_FLOAT(t)							\
	{ fold_sum_##t, fold_prod_##t, fold_min_##t, fold_max_##t,	\
	  fold_land_##t, NULL, fold_lor_##t, NULL, fold_lxor_##t, NULL }

const struct pc_folds PD_CAT(pc_folds_, PD_TIER) = {
	.fold = {
		[PIDCOMM_I8] = ROW_INTEGER(i8, u8),
		[PIDCOMM_I16] = ROW_INTEGER(i16, u16),
		[PIDCOMM_I32] = ROW_INTEGER(i32, u32),
		[PIDCOMM_I64] = ROW_INTEGER(i64, u64),
		[PIDCOMM_U8] = ROW_INTEGER(u8, u8),
		[PIDCOMM_U16] = ROW_INTEGER(u16, u16),
		[PIDCOMM_U32] = ROW_INTEGER(u32, u32),
		[PIDCOMM_U64] = ROW_INTEGER(u64, u64),
		/* folded in fp32 */
		[PIDCOMM_F16] = ROW_FLOAT(f32),
		[PIDCOMM_BF16] = ROW_FLOAT(f32),
		[PIDCOMM_F32] = ROW_FLOAT(f32),
		[PIDCOMM_F64] = ROW_FLOAT(f64),
	},
	.reduces = &PD_CAT(pc_reduces_, PD_TIER),
	.widen_f16 = widen_f16,
	.widen_bf16 = widen_bf16,
	.narrow_f16 = narrow_f16,
	.narrow_bf16 = narrow_bf16,
};
