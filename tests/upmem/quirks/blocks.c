// SPDX-License-Identifier: MIT
/*
 * Blocks of one size, and of any by the buddy allocator, from all tasklets.
 * quirk: tasklets=11
 */
#include <alloc.h>
#include <barrier.h>
#include <errno.h>
#include <string.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static fsb_allocator_t pool;

static void check_pool(void)
{
	uint64_t *block[2];

	for (int round = 0; round < 50; round++) {
		block[0] = fsb_get(pool);
		block[1] = fsb_get(pool);
		CHECK(block[0] && block[1] && block[0] != block[1]);
		CHECK((uintptr_t)block[0] % 8 == 0);
		memset(block[0], me(), 24);
		memset(block[1], me() + 100, 24);
		CHECK(((uint8_t *)block[0])[23] == me());
		fsb_free(pool, block[1]);
		fsb_free(pool, block[0]);
	}
}

static void check_buddy(void)
{
	uint8_t *a, *b, *moved;

	for (int round = 0; round < 50; round++) {
		a = buddy_alloc(33);
		b = buddy_alloc(5 + round);
		CHECK(a && b && (uintptr_t)a % 8 == 0 && (uintptr_t)b % 8 == 0);
		memset(a, me(), 64);
		memset(b, me() + 50, 5 + round);
		CHECK(a[63] == me() && b[4] == me() + 50);
		moved = buddy_realloc(a, 100);
		CHECK(moved && moved[0] == me() && moved[63] == me());
		CHECK(buddy_realloc(moved, 10) == moved && moved[9] == me());
		buddy_free(moved + 8);
		CHECK(buddy_realloc(b, 0) == b);
	}
	buddy_free(NULL);
}

static void check_refusals(void)
{
	void *all;

	CHECK(!buddy_alloc(0) && errno == EINVAL);
	CHECK(!buddy_alloc(9000) && errno == EINVAL);
	buddy_reset();
	all = buddy_alloc(8192);
	CHECK(all);
	errno = 0;
	CHECK(!buddy_alloc(16) && errno == ENOMEM);
	buddy_free(all);
	errno = 0;
	buddy_free(all);
	CHECK(errno == EINVAL);
	for (int i = 0; i < 512; i++)
		CHECK(buddy_alloc(16));
	CHECK(!buddy_alloc(1));
	for (int i = 0; i < 22; i++)
		CHECK(fsb_get(pool));
	CHECK(!fsb_get(pool));
}

int main(void)
{
	if (me() == 0) {
		mem_reset();
		pool = fsb_alloc(20, 22);
		buddy_init(8192);
	}
	barrier_wait(&barrier);
	check_pool();
	check_buddy();
	barrier_wait(&barrier);
	if (me() == 0)
		check_refusals();
	quirk_end();
	return 0;
}
