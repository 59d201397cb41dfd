// SPDX-License-Identifier: MIT
/*
 * Every function of <math.h> links and is right within a few units in the last
 * place of a float, at arguments of no special kind.
 * quirk: tasklets=1
 */
#include <math.h>

#include "quirk.h"

/* what the compiler must not compute by itself */
static volatile double arg = 0.4;
static volatile double two = 2.0;

static void near(double value, double expected)
{
	CHECK(fabs(value - expected) <= 1e-6 * fabs(expected));
}

#define NEAR1(name, expected)				\
	do {						\
		near(name(arg), expected);		\
		near(name##f((float)arg), expected);	\
	} while (0)
#define NEAR2(name, expected)					\
	do {							\
		near(name(arg, two), expected);			\
		near(name##f((float)arg, (float)two), expected);	\
	} while (0)

static void of_one(void)
{
	NEAR1(fabs, 0.4);
	NEAR1(sqrt, 0.632455532);
	NEAR1(cbrt, 0.736806300);
	NEAR1(floor, 0);
	NEAR1(ceil, 1);
	NEAR1(trunc, 0);
	NEAR1(round, 0);
	NEAR1(rint, 0);
	NEAR1(nearbyint, 0);
	NEAR1(exp, 1.491824698);
	NEAR1(exp2, 1.319507911);
	NEAR1(expm1, 0.491824698);
	NEAR1(log, -0.916290732);
	NEAR1(log2, -1.321928095);
	NEAR1(log10, -0.397940009);
	NEAR1(log1p, 0.336472237);
	NEAR1(sin, 0.389418342);
	NEAR1(cos, 0.921060994);
	NEAR1(tan, 0.422793219);
	NEAR1(asin, 0.411516846);
	NEAR1(acos, 1.159279481);
	NEAR1(atan, 0.380506377);
	NEAR1(sinh, 0.410752326);
	NEAR1(cosh, 1.081072372);
	NEAR1(tanh, 0.379948962);
}

static void of_two(void)
{
	float whole;
	double part;
	int exponent;

	NEAR2(pow, 0.16);
	NEAR2(atan2, 0.197395560);
	NEAR2(hypot, 2.039607805);
	NEAR2(fmod, 0.4);
	NEAR2(fmin, 0.4);
	NEAR2(fmax, 2);
	NEAR2(fdim, 0);
	NEAR2(copysign, 0.4);
	near(ldexp(arg, 3), 3.2);
	near(ldexpf((float)arg, 3), 3.2);
	near(scalbn(arg, -1), 0.2);
	near(scalbnf((float)arg, -1), 0.2);
	near(frexp(arg, &exponent), 0.8);
	near(frexpf((float)arg, &exponent), 0.8);
	CHECK(exponent == -1);
	near(modf(arg + two, &part), 0.4);
	near(modff((float)(arg + two), &whole), 0.4);
	CHECK(part == 2.0 && whole == 2.0f);
	CHECK(lround(arg + two) == 2 && lroundf((float)arg) == 0);
	CHECK(lrint(arg + two) == 2 && lrintf((float)arg) == 0);
}

int main(void)
{
	of_one();
	of_two();
	quirk_end();
	return 0;
}
