// SPDX-License-Identifier: MIT
/*
 * Products and quotients of C's complex numbers are what Annex G of the standard says:
 * infinite where an operand is or what they would be is too large, and right where the
 * formulas leave the range on their way.
 * quirk: tasklets=1 pes=1
 */
#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "quirk.h"

/* what the compiler must not compute by itself */
static volatile double zero = 0;
static volatile float zero_f = 0;

static bool infinite(double complex z)
{
	return isinf(creal(z)) || isinf(cimag(z));
}

static double complex of(double re, double im)
{
	return CMPLX(re + zero, im + zero);
}

static float complex of_f(float re, float im)
{
	return CMPLXF(re + zero_f, im + zero_f);
}

static bool near(double complex z, double re, double im)
{
	return fabs(creal(z) - re) <= 4e-16 * fabs(re) && fabs(cimag(z) - im) <= 4e-16 * fabs(im);
}

static bool near_f(float complex z, float re, float im)
{
	return fabsf(crealf(z) - re) <= 2e-7f * fabsf(re) &&
	       fabsf(cimagf(z) - im) <= 2e-7f * fabsf(im);
}

static void ordinary(void)
{
	double complex i = of(0, 1);

	CHECK(i * i == -1 && I * I == -1);
	CHECK(of(1, 2) * of(3, -4) == 11 + 2 * I);
	CHECK(near(of(11, 2) / of(3, -4), 1, 2));
	CHECK(near_f(of_f(11, 2) / of_f(3, -4), 1, 2));
	CHECK(of_f(1, 2) * of_f(3, -4) == 11 + 2 * I);
	CHECK(conj(of(1, 2)) == 1 - 2 * I && conjf(of_f(1, 2)) == 1 - 2 * I);
	CHECK(fabs(cabs(of(3, 4)) - 5) < 1e-15 && fabsf(cabsf(of_f(3, 4)) - 5) < 1e-6f);
	CHECK(fabs(carg(i) - M_PI_2) < 1e-15 && fabsf(cargf(of_f(0, 1)) - (float)M_PI_2) < 1e-6f);
}

static void products_without_end(void)
{
	CHECK(infinite(of(INFINITY, NAN) * of(1, 2)));
	CHECK(infinite(of(INFINITY, INFINITY) * of(1, 1)));
	CHECK(infinite(of(2, -1) * of(NAN, -INFINITY)));
	CHECK(infinite(of_f(INFINITY, NAN) * of_f(1, 2)));
	/* the formula subtracts infinities, here of numbers */
	CHECK(infinite(of(1e300, 1e300) * of(1e300, 1e300)));
	CHECK(infinite(of_f(1e30f, 1e30f) * of_f(1e30f, NAN)));
	CHECK(isnan(creal(of(NAN, 0) * of(1, 1))) && !infinite(of(NAN, 0) * of(1, 1)));
	CHECK(!infinite(of(INFINITY, 0) * of(0, 0)));
}

static void quotients_without_end(void)
{
	double complex z = of(INFINITY, NAN) / of(1, 2);

	CHECK(infinite(z));
	CHECK(infinite(of(1, 2) / of(0, 0)) && creal(of(-1, 0) / of(0, 0)) == -INFINITY);
	CHECK(of(1, 2) / of(INFINITY, NAN) == 0 && of(1, -2) / of(-INFINITY, INFINITY) == 0);
	CHECK(infinite(of_f(NAN, INFINITY) / of_f(1, 2)) && infinite(of_f(1, 2) / of_f(0, 0)));
	CHECK(of_f(1, 2) / of_f(INFINITY, NAN) == 0);
	CHECK(!infinite(of(0, 0) / of(0, 0)) && !infinite(of(NAN, NAN) / of(0, 0)));
	CHECK(!infinite(of(INFINITY, 1) / of(INFINITY, 1)));
}

static void quotients_of_extremes(void)
{
	CHECK(near(of(1e308, 1e308) / of(1e308, 1e308), 1, 0));
	CHECK(near(of(1.5e308, 1.5e308) / of(1.5, 1.5), 1e308, 0));
	CHECK(near(of(0x1p-1074, 0x1p-1073) / of(0x1p-1074, 0x1p-1073), 1, 0));
	CHECK(near(of(0x1p-1060, 0) / of(0, 0x1p-1060), 0, -1));
	CHECK(near(of(1, 0) / of(0x1p-1000, 0x1p-1000), 0x1p999, -0x1p999));
	CHECK(near(of(0x1p-1000, 0) / of(0x1p1000, 0), 0, 0));
	CHECK(near_f(of_f(3e38f, 3e38f) / of_f(1.5f, 1.5f), 2e38f, 0));
	CHECK(near_f(of_f(0x1p-149f, 0) / of_f(0, 0x1p-149f), 0, -1));
}

int main(void)
{
	ordinary();
	products_without_end();
	quotients_without_end();
	quotients_of_extremes();
	quirk_end();
	return 0;
}
