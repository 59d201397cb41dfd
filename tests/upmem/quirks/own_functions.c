// SPDX-License-Identifier: MIT
/*
 * Functions of a program's own, with names of the library's: approximations of
 * elementary functions, as hardware's users write them, are what is called, also
 * where this machine has an instruction for the exact value.
 * quirk: tasklets=1
 */
#include <math.h>

#include "quirk.h"

/* not known before the program runs, nor to the compiler */
static volatile float four = 4.0f;
static volatile double nine = 9.0;

__attribute__((noinline)) float sqrtf(float x)
{
	return x * 0.25f + 1.25f;
}

double sqrt(double x)
{
	return x * 0.5;
}

float expf(float x)
{
	return 1.0f + x;
}

float ldexpf(float x, int exponent)
{
	return x + (float)exponent;
}

int main(void)
{
	CHECK(sqrtf(four) == 2.25f && sqrtf(4.0f) == 2.25f);
	CHECK(sqrt(nine) == 4.5);
	CHECK(expf(four) == 5.0f);
	CHECK(ldexpf(four, 3) == 7.0f);
	/* the library's, beside them */
	CHECK(floorf(four + 0.5f) == 4.0f);
	CHECK(fabs(hypot(nine, 12.0) - 15.0) < 1e-9);
	quirk_end();
	return 0;
}
