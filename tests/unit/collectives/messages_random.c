// SPDX-License-Identifier: MIT
/*
 * Messages between resident kernels: random programs over seeds, threads, pools and paths
 * against a naive model, with wildcards and without.
 */
#include "tests/unit/collectives/message_rig.h"

/* ---- random programs without wildcards ---- */

#define MESSAGES	60
#define SLOT		(16 << 10)	/* of MRAM, for each end of each message */

struct planned {
	uint32_t from, to;
	int tag;
	uint32_t bytes;
	bool sync, from_mram, to_mram;
	uint64_t step_from, step_to;	/* the order in which each rank begins its own */
	struct planned *source;		/* of the receive: the naive model's message */
	uint8_t out[SLOT], in[SLOT + 8];
};

struct plan {
	struct planned messages[MESSAGES];
	struct pimtype *spread;		/* 3 bytes of 8 */
};

static struct plan plan;

static uint8_t plan_byte(const struct planned *m, uint64_t i)
{
	return (uint8_t)((uintptr_t)(m - plan.messages) * 37 + i * 11 + 1);
}

/* the k-th receive from a rank with a tag takes the k-th send to it with that tag */
static void plan_match(struct planned *receive)
{
	unsigned int before = 0;

	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];

		before += m->from == receive->from && m->to == receive->to &&
			  m->tag == receive->tag && m->step_to < receive->step_to;
	}
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];
		unsigned int earlier = 0;

		if (m->from != receive->from || m->to != receive->to || m->tag != receive->tag)
			continue;
		for (unsigned int k = 0; k < MESSAGES; k++) {
			struct planned *o = &plan.messages[k];

			earlier += o->from == m->from && o->to == m->to &&
				   o->tag == m->tag && o->step_from < m->step_from;
		}
		if (earlier == before)
			receive->source = m;
	}
}

static void plan_make(uint64_t seed)
{
	struct rng rng = rng_of(seed, 3);

	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];

		m->from = (uint32_t)rng_below(&rng, 4);
		m->to = (uint32_t)rng_below(&rng, 4);
		m->tag = (int)rng_below(&rng, 2);
		m->bytes = (uint32_t)rng_below(&rng, rng_chance(&rng, 50) ? 64 : SLOT / 3);
		m->sync = rng_chance(&rng, 20);
		m->from_mram = rng_chance(&rng, 50);
		m->to_mram = rng_chance(&rng, 50);
		m->step_from = rng_next(&rng);
		m->step_to = rng_next(&rng);
		for (uint64_t b = 0; b < SLOT; b++)
			m->out[b] = plan_byte(m, b);
		memset(m->in, 0xee, sizeof(m->in));
	}
	for (unsigned int i = 0; i < MESSAGES; i++)
		plan_match(&plan.messages[i]);
}

/* messages are dense, receives are spread; and in memory beside MRAM the other way round */
static struct pimmsg_buf plan_buf(struct planned *m, bool receive)
{
	uint64_t slot = (uint64_t)(m - plan.messages) * 2 + receive;
	bool in_mram = receive ? m->to_mram : m->from_mram;
	struct pimmsg_buf buf = { .pe = receive ? m->to : m->from };

	buf.part.type = in_mram == receive ? plan.spread : basic(PIMTYPE_U8);
	/* a receive has room for the longest message that its source could be */
	buf.part.count = receive ? SLOT / 8 : m->bytes / 3;
	if (buf.part.type != plan.spread)
		buf.part.count *= 3;
	if (in_mram)
		buf.part.offset = (int64_t)(slot * SLOT);
	else
		buf.ptr = receive ? m->in : m->out;
	return buf;
}

static bool plan_is_first(const struct planned *m, bool receive, uint32_t pe, uint64_t after,
			  uint64_t *best)
{
	uint64_t step = receive ? m->step_to : m->step_from;

	if ((receive ? m->to : m->from) != pe || step <= after || step >= *best)
		return false;
	*best = step;
	return true;
}

/* begins all that is this PE's, in the order of the plan, and waits for all */
static void plan_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_request *requests[2 * MESSAGES];
	struct pimmsg_end *me = pimmsg_self(pe);
	uint32_t id = pimdimm_pe_id(pe), nr = 0;
	uint64_t after = 0;

	(void)arg;
	for (;;) {
		struct planned *next = NULL;
		struct pimmsg_buf buf;
		uint64_t best = UINT64_MAX;
		bool receive = false;

		for (unsigned int i = 0; i < 2 * MESSAGES; i++) {
			struct planned *m = &plan.messages[i / 2];

			if (plan_is_first(m, i % 2, id, after, &best)) {
				next = m;
				receive = i % 2;
			}
		}
		if (!next)
			break;
		after = best;
		buf = plan_buf(next, receive);
		if (receive)
			EXPECT(!pimmsg_irecv(me, &buf, (int)next->from, next->tag,
					     &requests[nr++]));
		else if (next->sync)
			EXPECT(!pimmsg_issend(me, &buf, (int)next->to, next->tag,
					      &requests[nr++]));
		else
			EXPECT(!pimmsg_isend(me, &buf, (int)next->to, next->tag,
					     &requests[nr++]));
	}
	EXPECT(!pimmsg_waitall(me, nr, requests, NULL));
}

static void plan_write(struct rig *rig)
{
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];
		static uint8_t fill[SLOT];
		struct pimmsg_buf to = plan_buf(m, true), from = plan_buf(m, false);

		memset(fill, 0xee, sizeof(fill));
		if (m->to_mram)
			assert_ok(pimdimm_write(rig->sys, m->to, (uint64_t)to.part.offset,
						fill, SLOT));
		if (m->from_mram)
			assert_ok(pimdimm_write(rig->sys, m->from,
						(uint64_t)from.part.offset, m->out, SLOT));
	}
}

static void plan_check(struct rig *rig)
{
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i], *s = m->source;
		struct pimmsg_buf to = plan_buf(m, true), from = plan_buf(s, false);
		static uint8_t got[SLOT], expected[SLOT];
		uint64_t bytes = s->bytes / 3 * 3;

		memset(expected, 0xee, sizeof(expected));
		for (uint64_t b = 0; b < bytes; b++) {
			uint64_t at = from.part.type == plan.spread ? b / 3 * 8 + b % 3 : b;

			expected[to.part.type == plan.spread ? b / 3 * 8 + b % 3 : b] =
				plan_byte(s, at);
		}
		memcpy(got, m->in, SLOT);
		if (m->to_mram)
			assert_ok(pimdimm_read(rig->sys, m->to, (uint64_t)to.part.offset,
					       got, SLOT));
		assert_memory_equal(got, expected, SLOT);
	}
}

static uint64_t plan_run(uint64_t program, uint64_t seed, const char *threads,
			 const char *eager, const char *pool, const char *loiter,
			 const char *uri)
{
	struct pimmsg_stats stats;
	struct rig rig;

	set_env("PIMDIMM_THREADS", threads);
	set_env("PIMDIMM_EAGER", eager);
	set_env("PIMDIMM_POOL", pool);
	set_env("PIMDIMM_LOITER", loiter);
	rig = rig_open(uri);
	plan_make(program);
	plan_write(&rig);
	rig_run(&rig, 1, seed, plan_kernel, NULL);
	plan_check(&rig);
	assert_ok(pimmsg_stats(rig.host, &stats));
	assert_int_equal(stats.posted + stats.unexpected + stats.loitered, MESSAGES);
	rig_close(&rig);
	return stats.matches;
}

static void random_programs(void **state)
{
	static const char *const threads[] = { "1", "2", "4" };
	static const char *const eagers[] = { NULL, "0", "100" };
	static const char *const uris[] = {
		"mem:ranks=1,mram=2M", "mem:ranks=1,mram=2M,layout=xeon_sp",
	};
	struct pimtype *three;

	(void)state;
	assert_ok(pimtype_contiguous(3, basic(PIMTYPE_U8), &three));
	assert_ok(pimtype_resized(three, 0, 8, &plan.spread));
	pimtype_free(three);
	for (uint64_t program = 0; program < 6; program++) {
		uint64_t first = plan_run(program, 0, "1", NULL, NULL, NULL, uris[0]);

		for (uint64_t i = 1; i < 9; i++)
			assert_int_equal(plan_run(program, i % 3 ? i : 0, threads[i % 3],
						  eagers[i / 3], i % 2 ? "0" : NULL,
						  i % 4 == 3 ? "poll" : NULL, uris[i % 2]),
					 first);
	}
	pimtype_free(plan.spread);
	set_env("PIMDIMM_THREADS", NULL);
	set_env("PIMDIMM_EAGER", NULL);
	set_env("PIMDIMM_POOL", NULL);
	set_env("PIMDIMM_LOITER", NULL);
}

/* ---- wildcards, and the same seed twice ---- */

static void anybody_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	uint32_t value = (uint32_t)rank, seen[PES] = { 0 };
	struct pimmsg_buf buf = memory(&value, sizeof(value));
	struct pimmsg_status status;

	(void)arg;
	for (uint32_t i = 0; rank && i < 5; i++) {
		EXPECT(!pimmsg_send(me, &buf, 0, (int)i));
		pimdimm_yield(pe);
	}
	for (uint32_t i = 0; !rank && i < 5 * (PES - 1); i++) {
		EXPECT(!pimmsg_recv(me, &buf, PIMMSG_ANY_SOURCE, PIMMSG_ANY_TAG, &status));
		EXPECT(status.source == (int)value);
		/* those of one sender in their order */
		EXPECT(status.tag == (int)seen[value % PES]++);
		if (i % 3 == 0)
			pimdimm_yield(pe);
	}
}

static void wildcards(void **state)
{
	uint64_t first = 0;
	bool other = false;

	(void)state;
	for (uint64_t seed = 1; seed < 8; seed++) {
		uint64_t matches[2];

		for (int i = 0; i < 2; i++) {
			struct rig rig = rig_open(URI);
			struct pimmsg_stats stats;

			rig_run(&rig, 1, seed, anybody_kernel, NULL);
			assert_ok(pimmsg_stats(rig.host, &stats));
			matches[i] = stats.matches;
			rig_close(&rig);
		}
		assert_int_equal(matches[0], matches[1]);
		other |= seed > 1 && matches[0] != first;
		first = matches[0];
	}
	assert_true(other);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(random_programs),
	cmocka_unit_test(wildcards),
};

UNIT_MAIN(tests)
