// SPDX-License-Identifier: MIT
/*
 * Assembly code that goes to labels of C ends a block of its own, which the compiler's IR
 * says in two lines; the code that counts has to be in front of both.
 * quirk: tasklets=2
 */
#include "quirk.h"

static volatile uint32_t turns = 5;

/* for the compiler it may go either way */
static uint32_t go_on(uint32_t x)
{
	__asm__ goto("" : : : : out);
	return x + 1;
out:
	return x;
}

int main(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < turns; i++)
		sum = go_on(sum);
	CHECK(sum == 5);
	quirk_end();
	return 0;
}
