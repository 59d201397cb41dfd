// SPDX-License-Identifier: MIT
/*
 * Elementary functions by the x87 unit, whose 64 bits of mantissa leave a double
 * correct but for one unit in the last place, three at worst. Arguments of sin, cos and tan are
 * reduced by its 66 bits of pi, so their error grows with them. This file is
 * compiled with long double of 80 bits, other than programs.
 */
#include <math.h>
#include <stdbool.h>

typedef long double wide;

_Static_assert(__LDBL_MANT_DIG__ == 64, "compile with -mlong-double-80");

static const wide log2_e = 1.44269504088896340735992468100189214L;
static const wide ln_2 = 0.69314718055994530941723212145817657L;
static const wide log10_2 = 0.30102999566398119521373889472449303L;
static const wide two_pi = 6.28318530717958647692528676655900577L;

static wide root(wide x)
{
	__asm__("fsqrt" : "+t"(x));
	return x;
}

/* y * log2(x) */
static wide y_log2(wide y, wide x)
{
	wide r;

	__asm__("fyl2x" : "=t"(r) : "0"(x), "u"(y) : "st(1)");
	return r;
}

/* y * log2(1 + x), for small x */
static wide y_log2_1p(wide y, wide x)
{
	wide r;

	__asm__("fyl2xp1" : "=t"(r) : "0"(x), "u"(y) : "st(1)");
	return r;
}

/* 2^x - 1, for x from -1 to 1 */
static wide exp2_m1(wide x)
{
	wide r;

	__asm__("f2xm1" : "=t"(r) : "0"(x));
	return r;
}

static wide scale(wide x, wide exponent)
{
	wide r;

	__asm__("fscale" : "=t"(r) : "0"(x), "u"(exponent));
	return r;
}

static wide to_integer(wide x)
{
	wide r;

	__asm__("frndint" : "=t"(r) : "0"(x));
	return r;
}

static wide angle(wide y, wide x)
{
	wide r;

	__asm__("fpatan" : "=t"(r) : "0"(x), "u"(y) : "st(1)");
	return r;
}

/* the rest of x / y, of x's sign; bit 10 of the status: not there yet */
static wide rest(wide x, wide y)
{
	unsigned short status;

	do {
		__asm__("fprem\n\tfnstsw %1" : "+t"(x), "=a"(status) : "u"(y));
	} while (status & 0x400);
	return x;
}

/* where fsin and fcos take their arguments */
static wide reduce(wide x)
{
	return __builtin_fabsl(x) < 0x1p62L ? x : rest(x, two_pi);
}

static wide sine(wide x)
{
	wide r;

	__asm__("fsin" : "=t"(r) : "0"(reduce(x)));
	return r;
}

static wide cosine(wide x)
{
	wide r;

	__asm__("fcos" : "=t"(r) : "0"(reduce(x)));
	return r;
}

static wide power2(wide x)
{
	wide whole;

	if (x > 16000)
		return __builtin_infl();
	if (x < -16400)
		return 0;
	whole = to_integer(x);
	return scale(1 + exp2_m1(x - whole), whole);
}

static wide exp_m1(wide x)
{
	if (__builtin_fabsl(x) < 0.5L)
		return exp2_m1(x * log2_e);
	return power2(x * log2_e) - 1;
}

static wide power(wide x, wide y)
{
	bool whole = y - y == 0 && to_integer(y) == y;
	bool odd = whole && rest(y, 2) != 0;
	wide r;

	if (y == 0 || x == 1)
		return 1;
	if (__builtin_isunordered(x, y))
		return x + y;
	if (x == 0) {
		r = y < 0 ? __builtin_infl() : 0;
		return odd ? __builtin_copysignl(r, x) : r;
	}
	if (x == -1 && __builtin_isinf(y))
		return 1;
	if (x < 0 && !whole && x - x == 0 && y - y == 0)
		return __builtin_nanl("");
	r = power2(y_log2(y, __builtin_fabsl(x)));
	return x < 0 && odd ? -r : r;
}

/* towards zero */
static wide chop(wide x)
{
	wide r = to_integer(x);

	if (__builtin_fabsl(r) > __builtin_fabsl(x))
		r -= __builtin_copysignl(1, x);
	return __builtin_copysignl(r, x);
}

static wide floor_of(wide x)
{
	wide r = to_integer(x);

	return __builtin_copysignl(r > x ? r - 1 : r, x);
}

static wide ceil_of(wide x)
{
	wide r = to_integer(x);

	return __builtin_copysignl(r < x ? r + 1 : r, x);
}

/* halves away from zero */
static wide round_of(wide x)
{
	wide r = chop(x);

	if (__builtin_fabsl(x - r) >= 0.5L)
		r += __builtin_copysignl(1, x);
	return r;
}

static wide cube_root(wide x)
{
	if (x == 0 || x - x != 0)
		return x;
	return __builtin_copysignl(power2(y_log2(1, __builtin_fabsl(x)) / 3), x);
}

static wide hyperbolic_sine(wide x)
{
	wide t = exp_m1(__builtin_fabsl(x));

	/* of infinity it would be no number */
	if (!__builtin_isinf(t))
		t = (t + t / (t + 1)) / 2;
	return __builtin_copysignl(t, x);
}

static wide hyperbolic_cosine(wide x)
{
	wide e = power2(__builtin_fabsl(x) * log2_e);

	return (e + 1 / e) / 2;
}

static wide hyperbolic_tangent(wide x)
{
	wide t = exp_m1(2 * __builtin_fabsl(x));

	return __builtin_copysignl(__builtin_isinf(t) ? 1 : t / (t + 2), x);
}

static wide log_1p(wide x)
{
	if (__builtin_fabsl(x) < 0.25L)
		return y_log2_1p(ln_2, x);
	return y_log2(ln_2, 1 + x);
}

#define FUNCTION1(name, value)					\
	double name(double d)					\
	{							\
		wide x = d;					\
								\
		return (double)(value);				\
	}							\
	float name##f(float d)					\
	{							\
		wide x = d;					\
								\
		return (float)(value);				\
	}

#define FUNCTION2(name, value)					\
	double name(double c, double d)				\
	{							\
		wide x = c, y = d;				\
								\
		return (double)(value);				\
	}							\
	float name##f(float c, float d)				\
	{							\
		wide x = c, y = d;				\
								\
		return (float)(value);				\
	}

FUNCTION1(fabs, __builtin_fabsl(x))
FUNCTION1(cbrt, cube_root(x))
FUNCTION1(floor, floor_of(x))
FUNCTION1(ceil, ceil_of(x))
FUNCTION1(trunc, chop(x))
FUNCTION1(round, round_of(x))
FUNCTION1(rint, to_integer(x))
FUNCTION1(nearbyint, to_integer(x))
FUNCTION1(exp, power2(x * log2_e))
FUNCTION1(exp2, power2(x))
FUNCTION1(expm1, exp_m1(x))
FUNCTION1(log, y_log2(ln_2, x))
FUNCTION1(log2, y_log2(1, x))
FUNCTION1(log10, y_log2(log10_2, x))
FUNCTION1(log1p, log_1p(x))
FUNCTION1(sin, sine(x))
FUNCTION1(cos, cosine(x))
FUNCTION1(tan, sine(x) / cosine(x))
FUNCTION1(asin, angle(x, root((1 - x) * (1 + x))))
FUNCTION1(acos, angle(root((1 - x) * (1 + x)), x))
FUNCTION1(atan, angle(x, 1))
FUNCTION1(sinh, hyperbolic_sine(x))
FUNCTION1(cosh, hyperbolic_cosine(x))
FUNCTION1(tanh, hyperbolic_tangent(x))
FUNCTION2(pow, power(x, y))
FUNCTION2(atan2, angle(x, y))
FUNCTION2(hypot, __builtin_isinf(x) || __builtin_isinf(y) ?
		 __builtin_infl() : root(x * x + y * y))
FUNCTION2(fmod, rest(x, y))
FUNCTION2(fmin, __builtin_isnan(x) || y < x ? y : x)
FUNCTION2(fmax, __builtin_isnan(x) || y > x ? y : x)
FUNCTION2(fdim, x > y ? x - y : __builtin_isunordered(x, y) ? x + y : 0)
FUNCTION2(copysign, __builtin_copysignl(x, y))

/* rounded once: not by way of 80 bits */
/* the instructions by name: the compiler's builtins are calls of these functions */
double sqrt(double x)
{
	double r;

	__asm__("sqrtsd %1, %0" : "=x"(r) : "x"(x));
	return r;
}

float sqrtf(float x)
{
	float r;

	__asm__("sqrtss %1, %0" : "=x"(r) : "x"(x));
	return r;
}

double ldexp(double x, int exponent)
{
	return (double)scale(x, exponent);
}

float ldexpf(float x, int exponent)
{
	return (float)scale(x, exponent);
}

double scalbn(double x, int exponent)
{
	return ldexp(x, exponent);
}

float scalbnf(float x, int exponent)
{
	return ldexpf(x, exponent);
}

double frexp(double x, int *exponent)
{
	wide mantissa, power_of_2;

	*exponent = 0;
	if (x == 0 || x - x != 0)
		return x;
	__asm__("fxtract" : "=t"(mantissa), "=u"(power_of_2) : "0"((wide)x));
	*exponent = (int)power_of_2 + 1;
	return (double)(mantissa / 2);
}

float frexpf(float x, int *exponent)
{
	return (float)frexp(x, exponent);
}

double modf(double x, double *whole)
{
	*whole = trunc(x);
	return copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole)
{
	*whole = truncf(x);
	return copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}

long lround(double x)
{
	return (long)round(x);
}

long lroundf(float x)
{
	return (long)roundf(x);
}

long lrint(double x)
{
	return (long)rint(x);
}

long lrintf(float x)
{
	return (long)rintf(x);
}
