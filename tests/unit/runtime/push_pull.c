// SPDX-License-Identifier: MIT
/* pimdimm_push and pimdimm_pull: many PEs, some of them left out. */
#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define NR_PES	128u

struct state {
	struct pimdimm *sys;
	struct rng rng;
	uint8_t (*mram)[MRAM];
	uint8_t *arena;			/* of the buffers */
};

#define ARENA	(NR_PES * (MRAM + 64u))

static void start(struct state *s, const char *uri, uint64_t seed)
{
	s->sys = unit_open(uri);
	s->rng.state = seed;
	s->mram = need(malloc(NR_PES * MRAM));
	s->arena = need(malloc(ARENA));
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		rng_fill(&s->rng, s->mram[pe], MRAM);
		assert_ok(pimdimm_write(s->sys, pe, 0, s->mram[pe], MRAM));
	}
}

static void stop(struct state *s)
{
	pimdimm_close(s->sys);
	free(s->mram);
	free(s->arena);
}

static void check(struct state *s)
{
	static uint8_t got[MRAM];

	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		assert_ok(pimdimm_read(s->sys, pe, 0, got, MRAM));
		assert_memory_equal(got, s->mram[pe], MRAM);
	}
}

struct range {
	uint32_t first, nr;
	uint64_t off;
	size_t bytes;
};

static struct range random_range(struct rng *rng)
{
	struct range r;

	r.first = (uint32_t)rng_below(rng, NR_PES);
	r.nr = 1 + (uint32_t)rng_below(rng, NR_PES - r.first);
	r.off = 8 * rng_below(rng, MRAM / 8 + 1);
	r.bytes = 8 * rng_below(rng, (MRAM - r.off) / 8 + 1);
	if (rng_chance(rng, 70))
		r.bytes = r.bytes % 2048 / 8 * 8;
	if (rng_chance(rng, 40)) {
		r.first = r.first / 8 * 8;
		r.nr = 1 + (uint32_t)rng_below(rng, (NR_PES - r.first) / 8) * 8;
	}
	/* whole ranks, whose entangled groups may go by pairs */
	if (rng_chance(rng, 20)) {
		r.first = PIMDIMM_RANK_PES * (uint32_t)rng_below(rng, 2);
		r.nr = NR_PES - r.first;
	}
	return r;
}

/* Where the buffers lie: aligned or not, some of them left out. */
static void random_bufs(struct state *s, const struct range *r, void *bufs[])
{
	bool aligned = rng_chance(&s->rng, 40);
	unsigned holes = rng_chance(&s->rng, 50) ? 0 :
		(unsigned)rng_below(&s->rng, 100);

	for (uint32_t i = 0; i < r->nr; i++) {
		bufs[i] = s->arena + i * (MRAM + 64u) +
			  (aligned ? 0 : rng_below(&s->rng, 64));
		if (rng_chance(&s->rng, holes))
			bufs[i] = NULL;
	}
}

static void push(struct state *s)
{
	struct range r = random_range(&s->rng);
	void *bufs[NR_PES];

	random_bufs(s, &r, bufs);
	for (uint32_t i = 0; i < r.nr; i++) {
		/* sources may coincide */
		if (bufs[i] && bufs[0] && rng_chance(&s->rng, 10))
			bufs[i] = bufs[0];
		if (bufs[i])
			rng_fill(&s->rng, bufs[i], r.bytes);
	}
	for (uint32_t i = 0; i < r.nr; i++)
		if (bufs[i])
			memcpy(s->mram[r.first + i] + r.off, bufs[i], r.bytes);
	assert_ok(pimdimm_push(s->sys, r.first, r.nr, r.off,
			       (const void *const *)bufs, r.bytes));
	check(s);
}

static void pull(struct state *s)
{
	struct range r = random_range(&s->rng);
	uint8_t *want = need(malloc(ARENA));
	void *bufs[NR_PES];

	random_bufs(s, &r, bufs);
	memset(s->arena, 0x5a, ARENA);
	memset(want, 0x5a, ARENA);
	for (uint32_t i = 0; i < r.nr; i++)
		if (bufs[i])
			memcpy(want + ((uint8_t *)bufs[i] - s->arena),
			       s->mram[r.first + i] + r.off, r.bytes);
	assert_ok(pimdimm_pull(s->sys, r.first, r.nr, r.off, bufs, r.bytes));
	assert_memory_equal(s->arena, want, ARENA);
	free(want);
}

static void test_push(void **state)
{
	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct state s;

		start(&s, unit_uris[u], 11);
		for (int i = 0; i < 60; i++)
			push(&s);
		stop(&s);
	}
}

static void test_pull(void **state)
{
	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct state s;

		start(&s, unit_uris[u], 12);
		for (int i = 0; i < 60; i++)
			pull(&s);
		check(&s);
		stop(&s);
	}
}

/* Every mask of one entangled group. */
static void test_masks(void **state)
{
	uint8_t data[8][24];

	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct state s;

		start(&s, unit_uris[u], 13);
		for (unsigned mask = 0; mask < 256; mask++) {
			const void *bufs[8];

			rng_fill(&s.rng, data, sizeof(data));
			for (unsigned l = 0; l < 8; l++) {
				bufs[l] = mask & 1u << l ? data[l] : NULL;
				if (bufs[l])
					memcpy(s.mram[40 + l] + 8184, data[l], 24);
			}
			assert_ok(pimdimm_push(s.sys, 40, 8, 8184, bufs, 24));
		}
		check(&s);
		stop(&s);
	}
}

static void test_refusals(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	uint64_t word = 42, got;
	const void *in[2] = { &word, &word };
	void *out[2] = { &got, NULL };

	(void)state;
	assert_refused(pimdimm_push(sys, 0, 2, 4, in, 8), EINVAL, "off");
	assert_refused(pimdimm_push(sys, 0, 2, 8, in, 7), EINVAL, "bytes");
	assert_refused(pimdimm_pull(sys, 0, 2, 1, out, 8), EINVAL, "off");
	assert_refused(pimdimm_pull(sys, 0, 2, 8, out, 12), EINVAL, "bytes");
	assert_refused(pimdimm_push(sys, 127, 2, 0, in, 8), EINVAL, "127");
	assert_refused(pimdimm_pull(sys, UINT32_MAX, 2, 0, out, 8), EINVAL, "pe");
	assert_refused(pimdimm_pull(sys, 1, UINT32_MAX, 0, out, 8), EINVAL, "pes");
	assert_refused(pimdimm_push(sys, 0, 2, MRAM, in, 8), EINVAL, "65536");
	assert_refused(pimdimm_push(sys, 0, 2, UINT64_MAX - 7, in, 16), EINVAL,
		       "off");
	assert_refused(pimdimm_push(sys, 0, 2, 0, NULL, 8), EINVAL, "bufs");
	assert_refused(pimdimm_pull(sys, 0, 2, 0, NULL, 8), EINVAL, "bufs");
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		assert_ok(pimdimm_read(sys, pe, 0, &got, 8));
		assert_int_equal(got, 0);
	}
	pimdimm_close(sys);
}

static void test_no_system(void **state)
{
	uint64_t word = 0;
	void *bufs[1] = { &word };

	(void)state;
	assert_refused(pimdimm_push(NULL, 0, 1, 0, (const void *const *)bufs, 8),
		       EINVAL, "sys");
	assert_refused(pimdimm_pull(NULL, 0, 1, 0, bufs, 8), EINVAL, "sys");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_push),
	cmocka_unit_test(test_pull),
	cmocka_unit_test(test_masks),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_no_system),
};

UNIT_MAIN(tests)
