// SPDX-License-Identifier: MIT
/* What host 0 learns of the ways that calls of several hosts may go, on times made up. */
#include "collectives/cubes/choices.h"
#include "tests/unit/unit.h"

static const struct pc_way ways[] = {
	{ .algorithm = PC_WAY_DIRECT, .stores = 0 },
	{ .algorithm = PC_WAY_DIRECT, .stores = 2 },
	{ .algorithm = PC_WAY_STAGED, .stores = 0 },
	{ .algorithm = PC_WAY_STAGED, .stores = 2 },
};

#define WAYS	ARRAY_SIZE(ways)

static struct pc_choices choices;

static unsigned int number_of(struct pc_way way)
{
	unsigned int i = 0;

	while (ways[i].algorithm != way.algorithm || ways[i].stores != way.stores)
		i++;
	return i;
}

/* A call of a kind, whose ways take so long: which it went, and why. */
static unsigned int call_of(uint64_t what, uint64_t bytes, const uint64_t ns[], uint8_t *why)
{
	const struct pc_choice_kind kind = { what, bytes };
	struct pc_way way = pc_choices_begin(&choices, &kind, ways, WAYS);
	unsigned int at = number_of(way);

	pc_choices_end(&choices, ns[at], false, false);
	*why = way.why;
	return at;
}

static unsigned int calls_until_known(uint64_t what, const uint64_t ns[], unsigned int *best)
{
	unsigned int tried = 0;
	uint8_t why;

	*best = call_of(what, 1 << 20, ns, &why);
	assert_int_equal(why, PC_WHY_FIRST);
	assert_int_equal(*best, 0);
	for (;;) {
		*best = call_of(what, 1 << 20, ns, &why);
		if (why == PC_WHY_FASTEST)
			return tried;
		assert_int_equal(why, PC_WHY_TRIED);
		tried++;
		assert_true(tried < 100);
	}
}

static void the_fastest_wins(void **state)
{
	static const struct {
		uint64_t ns[WAYS];
		unsigned int best, tried;
	} all[] = {
		{ { 100, 120, 130, 140 }, 0, 12 },
		{ { 100, 120, 130, 60 }, 3, 12 },
		{ { 100, 60, 70, 61 }, 1, 12 },
		/* not by enough */
		{ { 100, 98, 97, 96 }, 0, 12 },
		/* far behind: once is enough */
		{ { 100, 50, 500, 400 }, 1, 8 },
		/* it fails */
		{ { 100, 50, 0, 0 }, 1, 8 },
	};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		unsigned int best, tried = calls_until_known(i, all[i].ns, &best);

		assert_int_equal(best, all[i].best);
		assert_int_equal(tried, all[i].tried);
	}
}

/* Calls with page faults are no measure of a way, until it has had too many of them. */
static void faults_tell_nothing(void **state)
{
	const struct pc_choice_kind kind = { 60, 1 << 20 };
	const uint64_t ns[] = { 100, 60, 70, 61 };
	unsigned int calls[WAYS] = { 0 };

	(void)state;
	for (struct pc_way way = { 0 }; way.why != PC_WHY_FASTEST;) {
		unsigned int at;

		way = pc_choices_begin(&choices, &kind, ways, WAYS);
		at = number_of(way);
		calls[at]++;
		/* always those of one, of another the first five, which take long */
		if (at == 3 || (at == 1 && calls[at] <= 5))
			pc_choices_end(&choices, at == 1 ? 1000 : ns[at], false, true);
		else
			pc_choices_end(&choices, ns[at], false, false);
		assert_true(calls[at] < 100);
	}
	/* the first call of the kind, and the last, which has the fastest way */
	assert_int_equal(calls[0], 4);
	assert_int_equal(calls[1], 9);
	assert_int_equal(calls[2], 3);
	assert_int_equal(calls[3], 11);
}

/* Speeds change: every way is tried again, later and later. */
static void learned_anew(void **state)
{
	const uint64_t before[] = { 100, 50, 200, 200 }, after[] = { 100, 150, 60, 200 };
	unsigned int best, calls = 0;
	uint8_t why;

	(void)state;
	calls_until_known(77, before, &best);
	assert_int_equal(best, 1);
	while (best != 2 && calls++ < 1000)
		best = call_of(77, 1 << 20, after, &why);
	assert_true(calls < 200);
	while (why == PC_WHY_TRIED)
		best = call_of(77, 1 << 20, after, &why);
	assert_int_equal(best, 2);
}

/* Kinds are told apart, by size too; buffers that all map make another one. */
static void kinds_apart(void **state)
{
	const uint64_t one[] = { 100, 50, 200, 200 }, other[] = { 50, 100, 200, 200 };
	const struct pc_choice_kind kind = { 90, 1 << 20 };
	unsigned int best;
	uint8_t why;

	(void)state;
	calls_until_known(90, one, &best);
	calls_until_known(91, other, &best);
	assert_int_equal(call_of(90, 1 << 20, one, &why), 1);
	assert_int_equal(call_of(91, 1 << 20, other, &why), 0);
	call_of(90, 1 << 22, one, &why);
	assert_int_equal(why, PC_WHY_FIRST);
	pc_choices_begin(&choices, &kind, ways, WAYS);
	pc_choices_end(&choices, 100, true, false);
	assert_int_equal(pc_choices_begin(&choices, &kind, ways, WAYS).why, PC_WHY_FIRST);
	/* more kinds than are kept: those used last are */
	for (uint64_t i = 0; i < 2 * PC_CHOICES_KINDS; i++) {
		call_of(1000 + i, 1 << 20, one, &why);
		call_of(91, 1 << 20, other, &why);
		assert_int_not_equal(why, PC_WHY_FIRST);
	}
	call_of(90, 1 << 20, one, &why);
	assert_int_equal(why, PC_WHY_FIRST);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_fastest_wins),
	cmocka_unit_test(faults_tell_nothing),
	cmocka_unit_test(learned_anew),
	cmocka_unit_test(kinds_apart),
};

UNIT_MAIN(tests)
