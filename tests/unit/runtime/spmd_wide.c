// SPDX-License-Identifier: MIT
/* Full/empty words of resident kernels, beside a naive model. */
#include "tests/unit/expect.h"
#include "tests/unit/spmd.h"

/*
 * Each operation is told to the model when it begins; the model says who is served, in
 * which order, and with what.
 */
#define OPS		40u
#define WORDS		3u
#define FE_TASKLETS	8u

enum op { WRITE_EF, WRITE_XF, READ_FE, READ_FF, SET_EMPTY };

struct pending {
	enum op op;
	unsigned tasklet;
	uint64_t value;
};

struct model {
	bool full[WORDS];
	uint64_t value[WORDS];
	struct pending waiting[WORDS][FE_TASKLETS];
	unsigned nr_waiting[WORDS];
	bool served[FE_TASKLETS];
	uint64_t got[FE_TASKLETS];
	struct rng rng;
	unsigned ended;
};

static bool model_serve_one(struct model *m, unsigned w, enum op op)
{
	for (unsigned i = 0; i < m->nr_waiting[w]; i++) {
		struct pending p = m->waiting[w][i];

		if (p.op != op)
			continue;
		memmove(&m->waiting[w][i], &m->waiting[w][i + 1],
			(--m->nr_waiting[w] - i) * sizeof(p));
		m->served[p.tasklet] = true;
		if (op == WRITE_EF)
			m->value[w] = p.value;
		m->got[p.tasklet] = m->value[w];
		return true;
	}
	return false;
}

static void model_serve(struct model *m, unsigned w)
{
	bool more = true;

	while (more) {
		if (m->full[w]) {
			while (model_serve_one(m, w, READ_FF))
				;
			more = model_serve_one(m, w, READ_FE);
		} else {
			more = model_serve_one(m, w, WRITE_EF);
		}
		m->full[w] ^= more;
	}
}

static void model_begin(struct model *m, unsigned w, struct pending p)
{
	bool waits = p.op == WRITE_EF ? m->full[w] :
		     p.op == READ_FE || p.op == READ_FF ? !m->full[w] : false;

	m->served[p.tasklet] = !waits;
	if (waits) {
		m->waiting[w][m->nr_waiting[w]++] = p;
		return;
	}
	if (p.op == WRITE_EF || p.op == WRITE_XF)
		m->value[w] = p.value;
	m->got[p.tasklet] = m->value[w];
	if (p.op != READ_FF)
		m->full[w] = p.op == WRITE_EF || p.op == WRITE_XF;
	model_serve(m, w);
}

static void do_op(struct pimdimm_pe *pe, struct model *m, unsigned w,
		  struct pending p)
{
	struct pimdimm_wide *wide = (struct pimdimm_wide *)pimdimm_wram(pe) + w;
	struct pimdimm_wide word = { { p.value, 1, 2, p.value } };
	int ret = 0;

	model_begin(m, w, p);
	if (p.op == WRITE_EF)
		ret = pimdimm_wide_write_ef(pe, wide, &word);
	else if (p.op == WRITE_XF)
		ret = pimdimm_wide_write_xf(pe, wide, &word);
	else if (p.op == READ_FE)
		ret = pimdimm_wide_read_fe(pe, wide, &word);
	else if (p.op == READ_FF)
		ret = pimdimm_wide_read_ff(pe, wide, &word);
	else
		ret = pimdimm_wide_set_empty(pe, wide);
	expect_that(!ret && m->served[p.tasklet]);
	if (p.op == READ_FE || p.op == READ_FF)
		expect_that(word.word[0] == m->got[p.tasklet] &&
			    word.word[3] == word.word[0]);
	for (unsigned i = 0; i < WORDS; i++)
		expect_that(pimdimm_wide_is_full(pe, wide - w + i) == m->full[i]);
}

/* Those that still wait in the end are let go by the last that does not. */
static void release_all(struct pimdimm_pe *pe, struct model *m, unsigned t)
{
	while (m->ended < FE_TASKLETS) {
		for (unsigned w = 0; w < WORDS; w++)
			do_op(pe, m, w, (struct pending){
				m->full[w] ? SET_EMPTY : WRITE_XF, t, 77 });
		pimdimm_yield(pe);
	}
}

static void wide_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct model *m = (struct model *)arg + pimdimm_pe_id(pe);
	unsigned t = pimdimm_tasklet_id(pe);

	for (unsigned i = 0; i < OPS; i++) {
		unsigned w = (unsigned)rng_below(&m->rng, WORDS);
		struct pending p = {
			(enum op)rng_below(&m->rng, 5), t, rng_next(&m->rng),
		};

		do_op(pe, m, w, p);
		if (rng_below(&m->rng, 2))
			pimdimm_yield(pe);
	}
	m->ended++;
	if (t == 0)
		release_all(pe, m, t);
}

/* The last tasklet only lets the others go, so that none waits for ever. */
static void pumped_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct model *m = (struct model *)arg + pimdimm_pe_id(pe);

	if (pimdimm_tasklet_id(pe) < FE_TASKLETS - 1) {
		wide_kernel(pe, arg);
		return;
	}
	m->ended++;
	release_all(pe, m, FE_TASKLETS - 1);
}

static void test_wide(void **state)
{
	struct pimdimm *sys = open_threads(TWO_RANKS, "2");
	static struct model models[4];

	(void)state;
	wrong = 0;
	for (uint64_t seed = 0; seed < FEW(200, 10); seed++) {
		struct pimdimm_spmd how = one(FE_TASKLETS, seed);

		memset(models, 0, sizeof(models));
		for (unsigned i = 0; i < 4; i++)
			models[i].rng = (struct rng){ seed * 4 + i };
		assert_ok(pimdimm_spmd(sys, 0, 4, pumped_kernel, models, &how));
		assert_int_equal(wrong, 0);
	}
	expect_close(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wide),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
