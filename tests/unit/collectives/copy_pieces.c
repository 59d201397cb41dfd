// SPDX-License-Identifier: MIT
/* How much of a copy one memcpy() does, by times made up, and as this machine has it. */
#include "collectives/hosts/copy_pieces.h"
#include "tests/unit/unit.h"

/* a machine whose long pieces take so many times what short ones do where `to` is so far behind
 * `from` in their pages */
struct machine {
	unsigned int behind, times;
};

static uint64_t made_up(void *ctx, unsigned int from, unsigned int to, uint64_t piece)
{
	const struct machine *m = ctx;
	bool slow = (to - from) % 4096 == m->behind;

	assert_true(piece == PC_PIECE_SHORT || piece == PC_PIECE_LONG);
	return slow && piece == PC_PIECE_LONG ? 1000 * m->times : 1000;
}

static uint64_t chosen(unsigned int behind, unsigned int times)
{
	return pc_pieces_choose(made_up, &(struct machine){ behind, times });
}

static void slow_machines(void **state)
{
	static const unsigned int behind[] = { 0, 16, 48, 64, 4096 - 16, 4096 - 48, 4096 - 64 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
		assert_int_equal(chosen(behind[i], 3), PC_PIECE_SHORT);
		assert_int_equal(chosen(behind[i], 1), PC_PIECE_LONG);
	}
}

static void this_machine(void **state)
{
	uint64_t piece = pc_pieces_measured();

	(void)state;
	assert_true(piece == PC_PIECE_SHORT || piece == PC_PIECE_LONG);
	for (int i = 0; i < 10; i++)
		assert_int_equal(pc_pieces_measured(), piece);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(slow_machines),
	cmocka_unit_test(this_machine),
};

UNIT_MAIN(tests)
