/* SPDX-License-Identifier: MIT */
/*
 * Operations on the elements of vectors, as folds in registers expand them: OP() by its
 * definition where the compiler makes of that what it should, and by the tier's own
 * instructions elsewhere.
 */
#ifndef PC_REDUCE_OPS_H
#define PC_REDUCE_OPS_H

#include <string.h>

#include "runtime/simd/vec.h"

#define PD_CAT_(a, b)	a##b
#define PD_CAT(a, b)	PD_CAT_(a, b)

/* the fold so far is A, what comes after it in rank order is B */
#define OP_OF(vector, fn, type, expr)					\
PD_INLINE vector fn(vector a, vector b)					\
{									\
	type x[sizeof(a) / sizeof(type)], y[sizeof(a) / sizeof(type)];	\
									\
	memcpy(x, &a, sizeof(a));					\
	memcpy(y, &b, sizeof(a));					\
	for (unsigned int k = 0; k < sizeof(a) / sizeof(type); k++) {	\
		const type A = x[k], B = y[k];				\
									\
		x[k] = (type)(expr);					\
	}								\
	memcpy(&a, x, sizeof(a));					\
	return a;							\
}

#if defined(V_SVE)
/* through arrays the compiler takes the way over memory */
#define OP_REG(name, fn, t, type, expr)	OP_SVE(name, fn, SVE_##t)
#define OP_SVE(name, fn, s)		OP_INSN(name, SVE_##fn, s)
#define OP_INSN(name, insn, s)		OP_INSN_(name, insn, s)
#define OP_INSN_(name, insn, s)						\
PD_INLINE v_reg op_reg_##name(v_reg a, v_reg b)				\
{									\
	return svreinterpret_u8_##s(insn##_##s##_x(			\
		V_ALL, svreinterpret_##s##_u8(a), svreinterpret_##s##_u8(b))); \
}
#define SVE_sum	svadd
#define SVE_min	svmin
#define SVE_max	svmax
/* the names of types there */
#define SVE_u8	u8
#define SVE_u16	u16
#define SVE_u32	u32
#define SVE_u64	u64
#define SVE_i8	s8
#define SVE_i16	s16
#define SVE_i32	s32
#define SVE_i64	s64
#define SVE_f32	f32
#define SVE_f64	f64
#else
#define OP_REG(name, fn, t, type, expr)	OP_OF(v_reg, op_reg_##name, type, expr)
#endif

#ifdef V_EACH_OF
/* register by register, which the compiler finds what it knows of vectors in */
#define OP(fn, t, type, expr)						\
OP_REG(fn##_##t, fn, t, type, expr)					\
PD_INLINE v64 op_##fn##_##t(v64 a, v64 b)				\
{									\
	return V_EACH_OF(op_reg_##fn##_##t, a, b);			\
}
#else
#define OP(fn, t, type, expr)	OP_OF(v64, op_##fn##_##t, type, expr)
#endif

/* the instruction gives its second operand unless the first one is less,
 * respectively more: with b first, what the definition says, NaN and zeros too */
#if defined(V_AVX512)
#define OP_FLOAT(name, insn, suffix)					\
PD_INLINE v64 op_##name(v64 a, v64 b)					\
{									\
	return (v64)_mm512_##insn##_##suffix(				\
		PD_CAT(as_, suffix)(b), PD_CAT(as_, suffix)(a));	\
}
#define as_ps(v)	((__m512)(v))
#define as_pd(v)	((__m512d)(v))
#elif defined(V_AVX2)
#define OP_FLOAT(name, insn, suffix)					\
PD_INLINE v64 op_##name(v64 a, v64 b)					\
{									\
	return (v64){							\
		(__m256i)_mm256_##insn##_##suffix(			\
			PD_CAT(as_, suffix)(b.lo),			\
			PD_CAT(as_, suffix)(a.lo)),			\
		(__m256i)_mm256_##insn##_##suffix(			\
			PD_CAT(as_, suffix)(b.hi),			\
			PD_CAT(as_, suffix)(a.hi)),			\
	};								\
}
#define as_ps(v)	((__m256)(v))
#define as_pd(v)	((__m256d)(v))
#elif defined(V_EACH_OF)
/* of NaN and zeros fmin and fmax have another opinion: compared, then chosen */
#define OP_FLOAT(name, insn, suffix)					\
PD_INLINE v_reg op_reg_##name(v_reg a, v_reg b)				\
{									\
	return PD_CAT(insn##_, suffix)(b, a);				\
}									\
PD_INLINE v64 op_##name(v64 a, v64 b)					\
{									\
	return V_EACH_OF(op_reg_##name, a, b);				\
}
#ifdef V_SVE
#define CHOSEN(cmp, bits, b, a)						\
	svreinterpret_u8_f##bits(svsel_f##bits(				\
		svcmp##cmp##_f##bits(V_ALL, svreinterpret_f##bits##_u8(b), \
				     svreinterpret_f##bits##_u8(a)),	\
		svreinterpret_f##bits##_u8(b), svreinterpret_f##bits##_u8(a)))
#else
#define CHOSEN(cmp, bits, b, a)						\
	vbslq_u8(vreinterpretq_u8_u##bits(vc##cmp##q_f##bits(		\
		vreinterpretq_f##bits##_u8(b), vreinterpretq_f##bits##_u8(a))), b, a)
#endif
#define min_ps(b, a)	CHOSEN(lt, 32, b, a)
#define max_ps(b, a)	CHOSEN(gt, 32, b, a)
#define min_pd(b, a)	CHOSEN(lt, 64, b, a)
#define max_pd(b, a)	CHOSEN(gt, 64, b, a)
#else
#define OP_FLOAT(name, insn, suffix)					\
	OP_OF(v64, op_##name, PD_CAT(type_, suffix), PD_CAT(def_, insn))
#define type_ps		float
#define type_pd		double
#define def_min		(B < A ? B : A)
#define def_max		(B > A ? B : A)
#endif

#endif /* PC_REDUCE_OPS_H */
