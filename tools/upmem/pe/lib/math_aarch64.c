// SPDX-License-Identifier: MIT
/*
 * What of <math.h> this processor has instructions for, or is done with a number's bits. The
 * others are math.c's, by a unit that this one has not: a program that calls them is not
 * linked.
 */
#ifdef __pe_aarch64__
#include <math.h>
#include <stdint.h>
#include <string.h>

/* the instructions by name: the compiler's builtins are calls of these functions */
#define INSTRUCTION(name, code)							\
	double name(double x)							\
	{									\
		double r;							\
										\
		__asm__(code " %d0, %d1" : "=w"(r) : "w"(x));			\
		return r;							\
	}									\
	float name##f(float x)							\
	{									\
		float r;							\
										\
		__asm__(code " %s0, %s1" : "=w"(r) : "w"(x));			\
		return r;							\
	}

INSTRUCTION(sqrt, "fsqrt")
INSTRUCTION(fabs, "fabs")
INSTRUCTION(floor, "frintm")
INSTRUCTION(ceil, "frintp")
INSTRUCTION(trunc, "frintz")
INSTRUCTION(round, "frinta")
INSTRUCTION(rint, "frinti")
INSTRUCTION(nearbyint, "frinti")

#define FUNCTION2(name, value)							\
	double name(double x, double y)						\
	{									\
		return value;							\
	}									\
	float name##f(float x, float y)						\
	{									\
		return value;							\
	}

FUNCTION2(fmin, __builtin_isnan(x) || y < x ? y : x)
FUNCTION2(fmax, __builtin_isnan(x) || y > x ? y : x)
FUNCTION2(fdim, x > y ? x - y : __builtin_isunordered(x, y) ? x + y : 0)

double copysign(double x, double y)
{
	uint64_t a, b;

	memcpy(&a, &x, sizeof(a));
	memcpy(&b, &y, sizeof(b));
	a = (a & ~(1ull << 63)) | (b & 1ull << 63);
	memcpy(&x, &a, sizeof(x));
	return x;
}

float copysignf(float x, float y)
{
	return (float)copysign(x, y);
}
#endif
