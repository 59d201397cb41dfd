// SPDX-License-Identifier: MIT
/*
 * Stacks are charged to the WRAM by what was asked for; check_stack() tells what
 * is left of it. Native code has room for as much again.
 * quirk: tasklets=3
 * flags: -DSTACK_SIZE_DEFAULT=2048 -DSTACK_SIZE_TASKLET_2=4096
 */
#include <alloc.h>

#include "quirk.h"

static int deeper(int depth);
static int (*volatile next)(int) = deeper;

static int deeper(int depth)
{
	return (depth ? next(depth - 1) : check_stack()) + 1;
}

int main(void)
{
	int words = check_stack();

	CHECK(words > 0 && words < (me() == 2 ? 1024 : 512));
	CHECK(me() != 2 || words > 512);
	CHECK(deeper(100) < words - 50);
	CHECK(deeper(180) < 180 || me() == 2);
	/* 8 KiB of stacks */
	if (me() == 0) {
		mem_alloc(56 * 1024 - 200);
		CHECK((uintptr_t)mem_alloc(0) <= 0x40e000);
	}
	quirk_end();
	return 0;
}
