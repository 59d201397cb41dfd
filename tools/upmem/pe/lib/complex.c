// SPDX-License-Identifier: MIT
/*
 * What the compiler calls for products and quotients of C's complex numbers: where the
 * formulas make nothing of infinities, Annex G of the standard says what the result is.
 */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Scaling by powers of two, by a number's bits rather than by functions of <math.h>. A pair is
 * left as it is where it is neither very large nor very small, which most are.
 */
#define SCALING(name, T, U, BITS, BIAS)						\
	static T power_##name(int exponent)					\
	{									\
		union { U bits; T value; } p = { (U)(exponent + (BIAS)) << (BITS) }; \
										\
		return p.value;							\
	}									\
	/* by thirds: the power alone may be none of the type's */		\
	static T scale_##name(T x, int exponent)				\
	{									\
		int third = exponent / 3;					\
										\
		if (!exponent)							\
			return x;						\
		return x * power_##name(third) * power_##name(third) *		\
		       power_##name(exponent - 2 * third);			\
	}									\
	static int exponent_##name(T x)						\
	{									\
		union { T value; U bits; } n = { x };				\
										\
		return (int)(n.bits >> (BITS) & (2 * (BIAS) + 1)) - (BIAS);	\
	}									\
	/* the exponent that brings the larger one between 1/4 and 1/2, or 0 */	\
	static int scaling_##name(T x, T y)					\
	{									\
		T largest = magnitude_##name(x) > magnitude_##name(y) ? x : y;	\
		int exponent = exponent_##name(largest);			\
										\
		if (largest == 0 || !isfinite(largest) ||			\
		    (exponent > -(BIAS) / 4 && exponent < (BIAS) / 4))		\
			return 0;						\
		if (exponent == -(BIAS))					\
			exponent = exponent_##name(largest * power_##name(BITS)) - (BITS); \
		return -(exponent + 2);						\
	}

#define magnitude_sc3(x) __builtin_fabsf(x)
#define magnitude_dc3(x) __builtin_fabs(x)
SCALING(sc3, float, uint32_t, 23, 127)
SCALING(dc3, double, uint64_t, 52, 1023)

/* 1 for an infinity and 0 for what is small beside it, with its sign */
#define BOXED(T, x)	((T)__builtin_copysign(isinf(x) ? 1 : 0, x))
#define NAN_TO_0(T, x)	(isnan(x) ? (T)__builtin_copysign(0, x) : (x))

#define MULTIPLY(name, T)							\
	T _Complex __mul##name(T a, T b, T c, T d);				\
	T _Complex __mul##name(T a, T b, T c, T d)				\
	{									\
		T re = a * c - b * d, im = a * d + b * c;			\
		bool of_left = isinf(a) || isinf(b), of_right = isinf(c) || isinf(d); \
		bool too_large = isinf(a * c) || isinf(b * d) || isinf(a * d) || isinf(b * c); \
										\
		if (!isnan(re) || !isnan(im) || !(of_left || of_right || too_large)) \
			return __builtin_complex(re, im);			\
		if (of_left) {							\
			a = BOXED(T, a);					\
			b = BOXED(T, b);					\
		}								\
		if (of_right) {							\
			c = BOXED(T, c);					\
			d = BOXED(T, d);					\
		}								\
		a = NAN_TO_0(T, a);						\
		b = NAN_TO_0(T, b);						\
		c = NAN_TO_0(T, c);						\
		d = NAN_TO_0(T, d);						\
		return __builtin_complex((T)INFINITY * (a * c - b * d),		\
					 (T)INFINITY * (a * d + b * c));	\
	}

MULTIPLY(sc3, float)
MULTIPLY(dc3, double)

/* of quotients for which the formula has no number */
#define INFINITE(name, T)							\
	static T _Complex infinite_##name(T a, T b, T c, T d, T _Complex otherwise) \
	{									\
		T factor;							\
										\
		if (c == 0 && d == 0 && !(isnan(a) && isnan(b))) {		\
			factor = (T)__builtin_copysign(INFINITY, c);		\
			return __builtin_complex(factor * a, factor * b);	\
		}								\
		if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {	\
			factor = INFINITY;					\
			a = BOXED(T, a);					\
			b = BOXED(T, b);					\
		} else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) { \
			factor = 0;						\
			c = BOXED(T, c);					\
			d = BOXED(T, d);					\
		} else {							\
			return otherwise;					\
		}								\
		return __builtin_complex(factor * (a * c + b * d),		\
					 factor * (b * c - a * d));		\
	}

INFINITE(sc3, float)
INFINITE(dc3, double)

/* scaled, so that no product leaves the range of the type where the quotient does not */
#define DIVIDE(name, T)								\
	T _Complex __div##name(T a, T b, T c, T d);				\
	T _Complex __div##name(T a, T b, T c, T d)				\
	{									\
		int above = scaling_##name(a, b), below = scaling_##name(c, d);	\
		T a1 = scale_##name(a, above), b1 = scale_##name(b, above);	\
		T c1 = scale_##name(c, below), d1 = scale_##name(d, below);	\
		T square = c1 * c1 + d1 * d1;					\
		T re = scale_##name((a1 * c1 + b1 * d1) / square, below - above); \
		T im = scale_##name((b1 * c1 - a1 * d1) / square, below - above); \
										\
		if (!isnan(re) || !isnan(im))					\
			return __builtin_complex(re, im);			\
		return infinite_##name(a, b, c, d, __builtin_complex(re, im));	\
	}

DIVIDE(sc3, float)
DIVIDE(dc3, double)

#define PARTS(f, T)								\
	T creal##f(T complex z)							\
	{									\
		return __real__ z;						\
	}									\
	T cimag##f(T complex z)							\
	{									\
		return __imag__ z;						\
	}									\
	T complex conj##f(T complex z)						\
	{									\
		return ~z;							\
	}									\
	T cabs##f(T complex z)							\
	{									\
		return hypot##f(__real__ z, __imag__ z);			\
	}									\
	T carg##f(T complex z)							\
	{									\
		return atan2##f(__imag__ z, __real__ z);			\
	}

PARTS(, double)
PARTS(f, float)
