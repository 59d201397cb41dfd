// SPDX-License-Identifier: MIT
/*
 * The verifier that `demo` and `perf` share finds nothing wrong in what a collective
 * leaves, and finds a single damaged byte, wherever it lies.
 */
#include "tests/unit/unit.h"

#include "tools/perf/check.h"
#include "tools/perf/runners/library.h"

/* four groups of eight members, lanes of two groups in each entangled group */
static const struct perf_case shape = {
	.ndims = 3,
	.dims = { 4, 4, 2 },
	.axes = "101",
	.bytes = 8192,
	.op = PIDCOMM_SUM,
};

static uint64_t wrong_now(struct perf_setup *setup)
{
	uint64_t wrong = 0;

	assert_ok(perf_count_wrong(setup, &wrong));
	return wrong;
}

/* bytes that a PE gets, or a host buffer */
static uint64_t result_bytes(const struct perf_setup *setup)
{
	const struct pc_traits *traits = &pc_traits[setup->c->id];
	enum pc_amount amount = traits->dst ? traits->dst : traits->host;

	return pc_amount_bytes(amount, setup->c->bytes, setup->members);
}

static void flip_in_mram(struct perf_setup *setup, uint32_t pe, uint64_t at)
{
	uint8_t word[8];
	const void *in = word;
	void *out = word;

	assert_ok(pimdimm_pull(setup->rig->sys, pe, 1,
			       setup->dst + at / 8 * 8, &out, 8));
	word[at % 8] ^= 0x40;
	assert_ok(pimdimm_push(setup->rig->sys, pe, 1,
			       setup->dst + at / 8 * 8, &in, 8));
}

/* of result `number`, a PE's or a group's */
static void flip_byte(struct perf_setup *setup, uint32_t number, uint64_t at)
{
	if (pc_writes_host(setup->c->id))
		((uint8_t *)setup->bufs[number % setup->groups])[at] ^= 0x40;
	else
		flip_in_mram(setup, number, at);
}

static void damage(struct perf_setup *setup)
{
	uint64_t last = result_bytes(setup) - 1;
	const uint64_t places[] = { 0, last / 2, last };
	const uint32_t numbers[] = { 0, 13, setup->rig->nr_pes - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(numbers); j++) {
			flip_byte(setup, numbers[j], places[i]);
			assert_int_equal(wrong_now(setup), 1);
			flip_byte(setup, numbers[j], places[i]);
		}
	}
	assert_int_equal(wrong_now(setup), 0);
}

static void verify(struct pimdimm *sys, const struct perf_case *c)
{
	struct perf_setup setup;
	struct perf_rig rig;

	assert_ok(perf_rig_on(&rig, sys, c, NULL));
	assert_ok(perf_setup_make(&setup, &rig, c, 7));
	assert_ok(perf_write_inputs(&setup));
	/* poison is none of the results */
	assert_true(wrong_now(&setup) > 0);
	assert_ok(perf_run_library(&setup, "auto"));
	assert_int_equal(wrong_now(&setup), 0);
	damage(&setup);
	perf_setup_free(&setup);
	perf_rig_close(&rig);
}

static void test_moves(void **state)
{
	struct pimdimm *sys = unit_open(*state);
	struct perf_case c = shape;

	for (c.id = 0; c.id < PC_NR_COLLECTIVES; c.id++) {
		if (!pc_traits[c.id].reduces)
			verify(sys, &c);
	}
	pimdimm_close(sys);
}

static void test_reductions(void **state)
{
	struct pimdimm *sys = unit_open(*state);
	struct perf_case c = shape;

	for (c.id = 0; c.id < PC_NR_COLLECTIVES; c.id++) {
		for (c.type = 0; pc_traits[c.id].reduces && c.type <= PIDCOMM_F64;
		     c.type++)
			verify(sys, &c);
	}
	pimdimm_close(sys);
}

static void test_in_place(void **state)
{
	struct pimdimm *sys = unit_open(*state);
	struct perf_case c = shape;

	c.in_place = true;
	c.type = PIDCOMM_F16;
	for (c.id = 0; c.id < PC_NR_COLLECTIVES; c.id++) {
		if (pc_allows_in_place(c.id))
			verify(sys, &c);
	}
	pimdimm_close(sys);
}

/* the caller is told why, though a worker's call has failed */
static void test_failing(void **state)
{
	struct pimdimm *sys = unit_open(*state);
	struct perf_case c = shape;
	struct perf_setup setup;
	struct perf_rig rig;

	assert_ok(perf_rig_on(&rig, sys, &c, NULL));
	assert_ok(perf_setup_make(&setup, &rig, &c, 7));
	setup.dst = UINT64_C(1) << 40;
	assert_refused(perf_write_inputs(&setup), EINVAL, "MRAM");
	perf_setup_free(&setup);
	perf_rig_close(&rig);
	pimdimm_close(sys);
}

#define ON_BOTH(test)							\
	cmocka_unit_test_prestate(test, (void *)unit_uris[0]),		\
	cmocka_unit_test_prestate(test, (void *)unit_uris[1])

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_BOTH(test_moves),
		ON_BOTH(test_reductions),
		ON_BOTH(test_in_place),
		ON_BOTH(test_failing),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
