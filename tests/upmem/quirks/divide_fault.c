// SPDX-License-Identifier: MIT
/*
 * An integer divided by zero stops the PE; a float does not.
 * quirk: tasklets=2
 * fault: 2 divide_fault.c:17 (main)
 */
#include "quirk.h"

volatile int zero;
volatile float real[NR_TASKLETS];

int main(void)
{
	real[me()] = 1.0f / real[me()];
	CHECK(real[me()] > 1e30f);
	if (me() == 1)
		return 7 / zero;
	return 0;
}
