// SPDX-License-Identifier: MIT
/*
 * Loops read rows of their streams in the order that suits memory, and ask for what comes
 * next on their way: every row is as one that is read alone.
 */
#include "collectives/call/ops.h"
#include "tests/unit/tiers.h"

#define ROWS	130
/* a stream has pages of its own, or its rows lie between those of the others */
#define APART	(3 * 4096)
#define ARENA	(8 * APART + 64 * 8 * ROWS)

static uint8_t src[ARENA] __attribute__((aligned(4096)));
static uint8_t got[8 * 64 * ROWS] __attribute__((aligned(64)));
static uint8_t want[8 * 64 * ROWS] __attribute__((aligned(64)));

/* How rows lie; what is read next lies as they do, or elsewhere. */
struct order {
	struct pc_lanes lanes;
	unsigned int streams;
	size_t step, apart, n;
	struct pc_ahead ahead;
	uint8_t *from[8];
};

static void set_order(struct order *o, bool far, unsigned int others)
{
	o->step = far ? 64 : 64 * o->streams;
	o->apart = far ? APART : 64;
	for (unsigned int j = 0; j < o->streams; j++)
		o->from[j] = src + j * o->apart;
	o->ahead = (struct pc_ahead){ .streams = others, .step = o->step, .n = o->n };
	for (unsigned int j = 0; j < others; j++)
		o->ahead.ptr[j] = src + j * 64;
}

/* twin: 0, or bytes to the accumulator of the blocks behind these */
static void check_sum(int isa, const struct order *o, size_t twin, bool first)
{
	pc_reduce_fn sum = pc_isa_folds((enum pd_isa)isa)->reduces->reduce[PIDCOMM_I32][0];
	struct rng rng = { o->n };
	uint8_t *row[8];

	if (!sum) {
		assert_int_equal(isa, PD_ISA_PORTABLE);
		return;
	}
	rng_fill(&rng, got, sizeof(got));
	memcpy(want, got, sizeof(got));
	for (size_t i = 0; i < o->n; i++) {
		for (unsigned int j = 0; j < o->streams; j++)
			row[j] = o->from[j] + i * o->step;
		sum(&o->lanes, o->streams, want + 64 * i, row, o->step, 1, 0, first, NULL, NULL);
		for (unsigned int j = 0; twin && j < o->streams; j++)
			row[j] += 64;
		if (twin)
			sum(&o->lanes, o->streams, want + twin + 64 * i, row, o->step, 1, 0, first,
			    NULL, NULL);
	}
	sum(&o->lanes, o->streams, got, o->from, o->step, o->n, twin, first, &o->ahead, NULL);
	assert_tier_memory(isa, got, want, sizeof(got), o->streams, o->step, o->n);
}

static void check_collect(int isa, const struct order *o)
{
	const struct pc_moves *moves = pc_isa_moves((enum pd_isa)isa);
	uint8_t *row[8];

	memset(got, 0, sizeof(got));
	memset(want, 0, sizeof(want));
	for (size_t i = 0; i < o->n; i++) {
		for (unsigned int j = 0; j < o->streams; j++)
			row[j] = o->from[j] + i * o->step;
		moves->collect(&o->lanes, want + 64 * i, ROWS, row, o->step, 1, true, NULL, NULL);
	}
	moves->collect(&o->lanes, got, ROWS, o->from, o->step, o->n, true, &o->ahead, NULL);
	assert_tier_memory(isa, got, want, sizeof(got), o->streams, o->step, o->n);
}

static void check_rows_of(int isa, struct order *o)
{
	for (int flags = 0; flags < 16; flags++) {
		set_order(o, flags & 1, flags & 2 ? o->streams : 1);
		o->ahead.first = flags & 8;
		check_sum(isa, o, 0, flags & 4);
		if (o->lanes.nl == 8)
			check_sum(isa, o, 64 * ROWS, flags & 4);
		if (o->streams == o->lanes.nl)
			check_collect(isa, o);
	}
}

static void check_orders(int isa)
{
	static const size_t rows[] = { 1, 31, 32, 33, 36, 64, 66, 128, ROWS };

	for (unsigned int mask = 0; mask < 8; mask++) {
		struct order o = { 0 };

		pc_lanes_init(&o.lanes, mask);
		for (o.streams = o.lanes.nl; o.streams <= 8; o.streams *= 2)
			for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
				o.n = rows[i];
				check_rows_of(isa, &o);
			}
	}
}

static void test_orders(void **state)
{
	struct rng rng = { 1 };

	(void)state;
	rng_fill(&rng, src, sizeof(src));
	each_tier(check_orders);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_orders),
};

UNIT_MAIN(tests)
