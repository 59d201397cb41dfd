// SPDX-License-Identifier: MIT
/*
 * A recursion that a stack has no room for is stopped where it leaves it.
 * quirk: tasklets=2
 * flags: -DSTACK_SIZE_DEFAULT=1024 -DSTACK_SIZE_TASKLET_1=2048
 * fault: 11 2048 are declared for tasklet 1.*(deeper)
 */
#include "quirk.h"

static int deeper(int depth);
static int (*volatile next)(int) = deeper;

static int deeper(int depth)
{
	return (depth ? next(depth - 1) : 0) + 1;
}

int main(void)
{
	CHECK(deeper(20) == 21);
	if (me() == 1)
		CHECK(deeper(1000) == 1001);
	quirk_end();
	return 0;
}
