// SPDX-License-Identifier: MIT
/*
 * What visits to the entangled groups of a set ask for: in a round every word of every group
 * once, later than now, and where two share lines as these lie.
 */
#include "collectives/call/call.h"
#include "tests/unit/unit.h"

#define MOST	64

/* halves of the words of each group, by how often they were asked for */
struct round {
	struct pc_request req;
	struct pc_shape shape;
	struct pc_call call;
	unsigned int asked[MOST][2];
};

static void some_reduce(const struct pc_lanes *lanes, unsigned int streams, uint8_t *acc,
			uint8_t *const src[], size_t src_step, size_t n, size_t twin, bool first,
			const struct pc_ahead *ahead, struct pc_behind *behind)
{
	(void)lanes, (void)streams, (void)acc, (void)src, (void)src_step, (void)n;
	(void)twin, (void)first, (void)ahead, (void)behind;
	fail();
}

static void set_round(struct round *r, unsigned int bits, uint32_t egs, uint32_t pairs,
		      bool reduces)
{
	*r = (struct round){ 0 };
	r->shape.egs = egs;
	r->shape.pairs = pairs;
	r->shape.lanes.bits = bits;
	r->shape.lanes.nl = 1u << bits;
	r->req.shape = &r->shape;
	r->req.fold.reduce = reduces ? some_reduce : NULL;
	r->call.req = &r->req;
}

/* Groups of a pair lie 64 bytes apart; nothing is read at these addresses. */
static uint8_t *place_of(const struct round *r, uint32_t e)
{
	uintptr_t lower = e & ~r->shape.pairs;

	return (uint8_t *)(4096 * (1 + lower) + (e & r->shape.pairs ? 64 : 0));
}

static void note(struct round *r, uint32_t e, unsigned int half)
{
	assert_true(e < r->shape.egs);
	if (half != 2)
		r->asked[e][0]++;
	if (half != 1)
		r->asked[e][1]++;
}

/* A visit's streams, one a group, as loops get them. */
static struct pc_ahead ahead_of(const struct round *r, const struct pc_next *next)
{
	struct pc_ahead ahead = { .streams = next->sources, .step = 128, .n = 8 };

	assert_in_range(next->sources, 1, 8);
	for (uint32_t i = 0; i < next->sources; i++)
		ahead.ptr[i] = place_of(r, next->e + i);
	if (next->lines)
		pc_ask_lines(&ahead);
	assert_int_equal(ahead.step, next->lines ? 64 : 128);
	assert_int_equal(ahead.n, next->lines ? 16 : 8);
	return ahead;
}

static void visit(struct round *r, uint32_t e, uint32_t sources, bool beside)
{
	struct pc_next next = pc_next_visit(&r->call, e, sources, beside);
	struct pc_ahead ahead = ahead_of(r, &next);
	uint32_t block = 2 * r->shape.pairs;

	/* whole lines where two groups share them, unless streams ask side by side */
	if (next.lines)
		assert_true(block);
	else
		assert_true(sources >= block && (!block || beside));
	/* never what is read already */
	assert_true(next.next_tile || next.e >= e + sources);
	assert_true(!next.next_tile || next.e < e + sources);
	for (unsigned int j = 0; j < ahead.streams; j++) {
		uintptr_t at = (uintptr_t)ahead.ptr[j];
		uint32_t asked = (uint32_t)(at / 4096 - 1) + (at & 64 ? r->shape.pairs : 0);

		note(r, asked, next.half);
		if (next.lines)
			note(r, asked + r->shape.pairs, next.half);
	}
}

static void check_round(unsigned int bits, uint32_t egs, uint32_t pairs, int flags)
{
	struct round r;
	uint32_t sources;

	set_round(&r, bits, egs, pairs, flags & 1);
	for (uint32_t e = 0; e < egs; e += sources) {
		sources = pc_sources(&r.call, e);
		visit(&r, e, sources, flags & 2);
	}
	for (uint32_t e = 0; e < egs; e++) {
		assert_int_equal(r.asked[e][0], 1);
		assert_int_equal(r.asked[e][1], 1);
	}
}

static void test_rounds(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits <= 3; bits++) {
		for (int flags = 0; flags < 4; flags++) {
			for (uint32_t egs = 1; egs <= MOST; egs++)
				check_round(bits, egs, 0, flags);
			for (uint32_t pairs = 1; pairs <= PIMDIMM_BANKS / 2; pairs *= 2)
				for (uint32_t egs = 2 * pairs; egs <= MOST; egs += 2 * pairs)
					check_round(bits, egs, pairs, flags);
		}
	}
}

static void test_nothing_asked(void **state)
{
	struct pc_ahead ahead = { .streams = 0, .step = 128, .n = 8 };

	(void)state;
	pc_ask_lines(&ahead);
	assert_int_equal(ahead.streams, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rounds),
	cmocka_unit_test(test_nothing_asked),
};

UNIT_MAIN(tests)
