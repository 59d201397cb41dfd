/* SPDX-License-Identifier: MIT */
/* Elementary functions. Hardware computes them in software, where it does. */
#ifndef MATH_H
#define MATH_H

#define M_E		2.7182818284590452354
#define M_LOG2E		1.4426950408889634074
#define M_LOG10E	0.43429448190325182765
#define M_LN2		0.69314718055994530942
#define M_LN10		2.30258509299404568402
#define M_PI		3.14159265358979323846
#define M_PI_2		1.57079632679489661923
#define M_PI_4		0.78539816339744830962
#define M_1_PI		0.31830988618379067154
#define M_2_PI		0.63661977236758134308
#define M_2_SQRTPI	1.12837916709551257390
#define M_SQRT2		1.41421356237309504880
#define M_SQRT1_2	0.70710678118654752440

#define INFINITY	__builtin_inff()
#define NAN		__builtin_nanf("")
#define HUGE_VAL	__builtin_huge_val()
#define HUGE_VALF	__builtin_huge_valf()

#define isnan(x)	__builtin_isnan(x)
#define isinf(x)	__builtin_isinf(x)
#define isfinite(x)	__builtin_isfinite(x)
#define isnormal(x)	__builtin_isnormal(x)
#define signbit(x)	__builtin_signbit(x)

/* each for double and, with an f behind its name, for float */
#define __PE_MATH1(name)	double name(double x); float name##f(float x);
#define __PE_MATH2(name)						\
	double name(double x, double y);				\
	float name##f(float x, float y);

__PE_MATH1(fabs)
__PE_MATH1(sqrt)
__PE_MATH1(cbrt)
__PE_MATH1(floor)
__PE_MATH1(ceil)
__PE_MATH1(trunc)
__PE_MATH1(round)
__PE_MATH1(rint)
__PE_MATH1(nearbyint)
__PE_MATH1(exp)
__PE_MATH1(exp2)
__PE_MATH1(expm1)
__PE_MATH1(log)
__PE_MATH1(log2)
__PE_MATH1(log10)
__PE_MATH1(log1p)
__PE_MATH1(sin)
__PE_MATH1(cos)
__PE_MATH1(tan)
__PE_MATH1(asin)
__PE_MATH1(acos)
__PE_MATH1(atan)
__PE_MATH1(sinh)
__PE_MATH1(cosh)
__PE_MATH1(tanh)
__PE_MATH2(pow)
__PE_MATH2(atan2)
__PE_MATH2(hypot)
__PE_MATH2(fmod)
__PE_MATH2(fmin)
__PE_MATH2(fmax)
__PE_MATH2(fdim)
__PE_MATH2(copysign)

double ldexp(double x, int exponent);
float ldexpf(float x, int exponent);
double scalbn(double x, int exponent);
float scalbnf(float x, int exponent);
double frexp(double x, int *exponent);
float frexpf(float x, int *exponent);
double modf(double x, double *whole);
float modff(float x, float *whole);
long lround(double x);
long lroundf(float x);
long lrint(double x);
long lrintf(float x);

#endif /* MATH_H */
