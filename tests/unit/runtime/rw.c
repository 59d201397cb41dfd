// SPDX-License-Identifier: MIT
/* pimdimm_write and pimdimm_read: one PE, any alignment and length. */
#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define NR_PES	128u

/* What each PE of the entangled groups under test should hold. */
struct state {
	struct pimdimm *sys;
	uint8_t (*mram)[MRAM];
};

static void start(struct state *s, const char *uri)
{
	struct rng rng = { 7 };

	s->sys = unit_open(uri);
	s->mram = need(malloc(NR_PES * MRAM));
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		rng_fill(&rng, s->mram[pe], MRAM);
		assert_ok(pimdimm_write(s->sys, pe, 0, s->mram[pe], MRAM));
	}
}

static void check(struct state *s, uint32_t first, uint32_t nr)
{
	static uint8_t got[MRAM];

	for (uint32_t pe = first; pe < first + nr; pe++) {
		memset(got, 0, MRAM);
		assert_ok(pimdimm_read(s->sys, pe, 0, got, MRAM));
		assert_memory_equal(got, s->mram[pe], MRAM);
	}
}

static void stop(struct state *s)
{
	check(s, 0, NR_PES);
	pimdimm_close(s->sys);
	free(s->mram);
}

static void write_one(struct state *s, struct rng *rng, uint32_t pe,
		      uint64_t off, size_t bytes)
{
	uint8_t *src = need(malloc(bytes + 1));

	/* an exact allocation, so that reading further is noticed */
	rng_fill(rng, src, bytes);
	memcpy(s->mram[pe] + off, src, bytes);
	assert_ok(pimdimm_write(s->sys, pe, off, src, bytes));
	free(src);
}

static void read_one(struct state *s, uint32_t pe, uint64_t off, size_t bytes)
{
	uint8_t *dst = need(malloc(bytes + 16));

	memset(dst, 0xa5, bytes + 16);
	assert_ok(pimdimm_read(s->sys, pe, off, dst + 8, bytes));
	assert_memory_equal(dst + 8, s->mram[pe] + off, bytes);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(dst[i], 0xa5);
		assert_int_equal(dst[bytes + 8 + i], 0xa5);
	}
	free(dst);
}

/* Around the border of two runs of the xeon_sp layout too. */
static void test_every_alignment(void **state)
{
	static const uint64_t bases[] = { 0, 8192 - 16, MRAM - 48 };
	struct rng rng = { 3 };

	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct state s;

		start(&s, unit_uris[u]);
		for (size_t b = 0; b < ARRAY_SIZE(bases); b++) {
			for (unsigned at = 0; at < 16; at++) {
				for (size_t bytes = 0; bytes <= 32; bytes++) {
					write_one(&s, &rng, 77, bases[b] + at,
						  bytes);
					read_one(&s, 77, bases[b] + at, bytes);
				}
			}
			check(&s, 72, 8);
		}
		stop(&s);
	}
}

static void test_random(void **state)
{
	struct rng rng = { 4 };

	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct state s;

		start(&s, unit_uris[u]);
		for (int i = 0; i < 3000; i++) {
			uint32_t pe = (uint32_t)rng_below(&rng, NR_PES);
			uint64_t off = rng_below(&rng, MRAM + 1);
			size_t bytes = rng_below(&rng, MRAM - off + 1);

			if (rng_chance(&rng, 80))
				bytes = bytes % 300;
			if (rng_chance(&rng, 50))
				write_one(&s, &rng, pe, off, bytes);
			else
				read_one(&s, pe, off, bytes);
		}
		stop(&s);
	}
}

static void test_zero_at_open(void **state)
{
	static uint8_t got[MRAM], zero[MRAM];

	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct pimdimm *sys = unit_open(unit_uris[u]);

		for (uint32_t pe = 0; pe < NR_PES; pe += 9) {
			memset(got, 1, MRAM);
			assert_ok(pimdimm_read(sys, pe, 0, got, MRAM));
			assert_memory_equal(got, zero, MRAM);
		}
		pimdimm_close(sys);
	}
}

static void test_refusals(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	uint8_t b[16] = { 1, 2, 3 };

	(void)state;
	assert_refused(pimdimm_write(sys, NR_PES, 0, b, 1), EINVAL, "128");
	assert_refused(pimdimm_read(sys, UINT32_MAX, 0, b, 1), EINVAL, "pe");
	assert_refused(pimdimm_write(sys, 0, MRAM, b, 1), EINVAL, "65536");
	assert_refused(pimdimm_write(sys, 0, MRAM - 8, b, 9), EINVAL, "9");
	assert_refused(pimdimm_read(sys, 0, MRAM - 8, b, 9), EINVAL, "9");
	assert_refused(pimdimm_read(sys, 0, UINT64_MAX, b, 2), EINVAL, "off");
	assert_refused(pimdimm_read(sys, 0, 8, b, SIZE_MAX - 4), EINVAL, "bytes");
	assert_refused(pimdimm_write(sys, 0, 0, NULL, 1), EINVAL, "src");
	assert_refused(pimdimm_read(sys, 0, 0, NULL, 1), EINVAL, "dst");
	assert_ok(pimdimm_write(sys, 0, MRAM, b, 0));
	assert_ok(pimdimm_read(sys, 0, MRAM, b, 0));
	assert_int_equal(b[0], 1);
	pimdimm_close(sys);
}

static void test_no_system(void **state)
{
	uint8_t b[8] = { 0 };

	(void)state;
	assert_refused(pimdimm_write(NULL, 0, 0, b, 1), EINVAL, "sys");
	assert_refused(pimdimm_read(NULL, 0, 0, b, 1), EINVAL, "sys");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_alignment),
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_zero_at_open),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_no_system),
};

UNIT_MAIN(tests)
