// SPDX-License-Identifier: MIT
/* pimdimm_launch: PEs, tasklets, WRAM, barriers. */
#include <fenv.h>
#include <stdatomic.h>

#include "tests/unit/expect.h"
#include "tests/unit/unit.h"

#define NR_PES	128u

/* How often each tasklet of each PE has run. */
static atomic_uint ran[NR_PES][24];

static void count_kernel(struct pimdimm_pe *pe, void *arg)
{
	expect_that(arg == &wrong);
	ran[pimdimm_pe_id(pe)][pimdimm_tasklet_id(pe)]++;
}

static void check_ran(uint32_t first, uint32_t nr, unsigned tasklets)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		for (unsigned t = 0; t < 24; t++)
			assert_int_equal(ran[pe][t], pe >= first &&
					 pe < first + nr && t < tasklets);
}

static void test_ids(void **state)
{
	static const struct {
		uint32_t first, nr;
	} ranges[] = { { 0, NR_PES }, { 0, 1 }, { 5, 3 }, { 60, 9 }, { 127, 1 } };
	struct pimdimm *sys = expect_open();

	(void)state;
	for (unsigned tasklets = 1; tasklets <= 24; tasklets += 1) {
		for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
			memset(ran, 0, sizeof(ran));
			assert_ok(pimdimm_launch(sys, ranges[i].first,
						 ranges[i].nr, tasklets,
						 count_kernel, &wrong));
			check_ran(ranges[i].first, ranges[i].nr, tasklets);
		}
	}
	expect_close(sys);
}

static void wram_kernel(struct pimdimm_pe *pe, void *arg)
{
	unsigned t = pimdimm_tasklet_id(pe);
	atomic_uint *slots = pimdimm_wram(pe);
	uint64_t *words = pimdimm_wram(pe);

	(void)arg;
	if (t == 0)
		for (int i = 0; i < 65536 / 8; i++)
			expect_that(words[i] == 0);
	pimdimm_barrier(pe);
	slots[t] = pimdimm_pe_id(pe) * 100 + t;
	pimdimm_barrier(pe);
	for (unsigned i = 0; i < 16; i++)
		expect_that(slots[i] == pimdimm_pe_id(pe) * 100 + i);
	pimdimm_barrier(pe);
	/* what the next PE must not find */
	if (t == 15)
		memset(words, 0xff, 65536);
}

static void test_wram_shared_and_zero(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_ok(pimdimm_launch(sys, 0, NR_PES, 16, wram_kernel, NULL));
	expect_close(sys);
}

static void spoil(uint8_t *p, size_t bytes)
{
	for (size_t i = 0; p && i < bytes; i++)
		expect_that(p[i] == 0);
	if (p)
		memset(p, 0xff, bytes);
}

/* pieces on most PEs, all on some: each finds zeros wherever it looks */
static void spoil_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	if (pimdimm_pe_id(pe) % 3) {
		spoil(pimdimm_wram_alloc(pe, 100), 100);
		spoil(pimdimm_wram_alloc(pe, 4000), 4000);
	} else if (!pimdimm_tasklet_id(pe)) {
		spoil(pimdimm_wram(pe), 65536);
	}
}

static void test_wram_pieces_zero(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_ok(pimdimm_launch(sys, 0, NR_PES, 1, spoil_kernel, NULL));
		assert_ok(pimdimm_launch(sys, 0, NR_PES, 12, spoil_kernel,
					 NULL));
	}
	expect_close(sys);
}

static void alloc_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint8_t *wram = pimdimm_wram(pe), *last = wram + 65536;
	static const size_t sizes[] = { 1, 8, 7, 100, 0, 24, 8 };

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint8_t *p = pimdimm_wram_alloc(pe, sizes[i]);

		if (!sizes[i]) {
			expect_that(!p);
			continue;
		}
		expect_that(p && (uintptr_t)p % 8 == 0);
		expect_that(p >= wram && p + sizes[i] <= last);
		last = p;
	}
	expect_that(!pimdimm_wram_alloc(pe, 65536));
	expect_that(!pimdimm_wram_alloc(pe, SIZE_MAX));
	expect_that(!pimdimm_wram_alloc(pe, SIZE_MAX - 6));
	expect_that(pimdimm_wram_alloc(pe, (size_t)(last - wram)) == wram);
	expect_that(!pimdimm_wram_alloc(pe, 1));
}

static void whole_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	expect_that(pimdimm_wram_alloc(pe, 65536) == pimdimm_wram(pe));
	expect_that(!pimdimm_wram_alloc(pe, 8));
}

/* Tasklets that allocate at once get pieces that do not overlap. */
static void contend_kernel(struct pimdimm_pe *pe, void *arg)
{
	unsigned t = pimdimm_tasklet_id(pe);
	unsigned *pieces[20];

	(void)arg;
	for (unsigned i = 0; i < 20; i++) {
		pieces[i] = pimdimm_wram_alloc(pe, 100);
		expect_that(pieces[i]);
		for (unsigned j = 0; pieces[i] && j < 25; j++)
			pieces[i][j] = t * 1000 + i;
	}
	pimdimm_barrier(pe);
	for (unsigned i = 0; i < 20; i++)
		for (unsigned j = 0; pieces[i] && j < 25; j++)
			expect_that(pieces[i][j] == t * 1000 + i);
}

static void test_wram_alloc(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 1, alloc_kernel, NULL));
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 1, whole_kernel, NULL));
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 24, contend_kernel, NULL));
	expect_close(sys);
}

/* Tasklet t leaves after t rounds; the others still meet. */
static void leaving_kernel(struct pimdimm_pe *pe, void *arg)
{
	unsigned t = pimdimm_tasklet_id(pe), tasklets = *(unsigned *)arg;
	atomic_uint *arrived = pimdimm_wram(pe);

	for (unsigned round = 0; round < t; round++) {
		arrived[round]++;
		pimdimm_barrier(pe);
		expect_that(arrived[round] == tasklets - 1 - round);
	}
}

static void test_barrier_leaving(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	for (unsigned tasklets = 1; tasklets <= 24; tasklets += 1)
		assert_ok(pimdimm_launch(sys, 0, 16, tasklets, leaving_kernel,
					 &tasklets));
	expect_close(sys);
}

static void rounds_kernel(struct pimdimm_pe *pe, void *arg)
{
	unsigned *turn = pimdimm_wram(pe);

	(void)arg;
	for (unsigned round = 0; round < 200; round++) {
		if (pimdimm_tasklet_id(pe) == round % 11)
			*turn = round;
		pimdimm_barrier(pe);
		expect_that(*turn == round);
		pimdimm_barrier(pe);
	}
}

static void test_barrier_rounds(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, 16, 11, rounds_kernel, NULL));
	expect_close(sys);
}

static void fp_kernel(struct pimdimm_pe *pe, void *arg)
{
	volatile float tiny = 0x1p-149f;
	volatile double one = 1;

	(void)pe;
	(void)arg;
	expect_that(fegetround() == FE_TONEAREST);
	expect_that(tiny * 1.0f != 0);
	expect_that(one + 0x1p-60 == one);
}

static void test_floating_point(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	fesetround(FE_UPWARD);
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 1, fp_kernel, NULL));
	assert_ok(pimdimm_launch(sys, 0, 2, 3, fp_kernel, NULL));
	assert_int_equal(fegetround(), FE_UPWARD);
	fesetround(FE_TONEAREST);
	expect_close(sys);
}

static void test_refusals(void **state)
{
	struct pimdimm *sys = expect_open();

	(void)state;
	memset(ran, 0, sizeof(ran));
	assert_refused(pimdimm_launch(sys, 0, 8, 0, count_kernel, &wrong),
		       EINVAL, "nr_tasklets");
	assert_refused(pimdimm_launch(sys, 0, 8, 25, count_kernel, &wrong),
		       EINVAL, "25");
	assert_refused(pimdimm_launch(sys, 128, 1, 1, count_kernel, &wrong),
		       EINVAL, "128");
	assert_refused(pimdimm_launch(sys, 120, 9, 1, count_kernel, &wrong),
		       EINVAL, "nr_pes");
	assert_refused(pimdimm_launch(sys, 8, UINT32_MAX - 3, 1, count_kernel,
				      &wrong), EINVAL, "nr_pes");
	assert_refused(pimdimm_launch(sys, 0, 8, 1, NULL, &wrong), EINVAL,
		       "kernel");
	check_ran(0, 0, 0);
	expect_close(sys);
}

static void test_no_system(void **state)
{
	(void)state;
	assert_refused(pimdimm_launch(NULL, 0, 8, 1, count_kernel, &wrong),
		       EINVAL, "sys");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ids),
	cmocka_unit_test(test_wram_shared_and_zero),
	cmocka_unit_test(test_wram_pieces_zero),
	cmocka_unit_test(test_wram_alloc),
	cmocka_unit_test(test_barrier_leaving),
	cmocka_unit_test(test_barrier_rounds),
	cmocka_unit_test(test_floating_point),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_no_system),
};

UNIT_MAIN(tests)
