// SPDX-License-Identifier: MIT
/*
 * PEs that have a program keep it, and all that it keeps, through a collective:
 * with help of PEs too.
 */
#include <pimdimm/pidcomm.h>

#include "tests/unit/pe/pe_unit.h"

#define NR_PES	64u
#define MRAM	(256u << 10)
/* what the program keeps in MRAM lies below, what collectives work on from here */
#define SRC	(64u << 10)
#define DST	(128u << 10)
#define BYTES	4096u

struct rig {
	struct pe_unit u;
	struct pidcomm *hc;
	uint64_t runs;
	uint64_t buffers[8][BYTES / 8];
	void *bufs[8];
};

static int alltoall(struct rig *rig)
{
	return pidcomm_alltoall(rig->hc, "10", BYTES, SRC, DST);
}

static int allgather(struct rig *rig)
{
	return pidcomm_allgather(rig->hc, "10", BYTES, SRC, DST);
}

static int allreduce(struct rig *rig)
{
	return pidcomm_allreduce(rig->hc, "10", BYTES, SRC, DST, PIDCOMM_I8,
				 PIDCOMM_SUM);
}

static int reduce_scatter(struct rig *rig)
{
	return pidcomm_reduce_scatter(rig->hc, "10", BYTES, SRC, DST,
				      PIDCOMM_I8, PIDCOMM_SUM);
}

static int reduce(struct rig *rig)
{
	return pidcomm_reduce(rig->hc, "10", BYTES, SRC, rig->bufs, PIDCOMM_I8,
			      PIDCOMM_SUM);
}

static const struct {
	const char *name;
	int (*run)(struct rig *rig);
} collectives[] = {
	{ "alltoall", alltoall }, { "allgather", allgather },
	{ "allreduce", allreduce }, { "reduce_scatter", reduce_scatter },
	{ "reduce", reduce },
};

/* The program finds its variables, and its MRAM, as it left them. */
static void go_on(struct rig *rig)
{
	assert_ok(pe_unit_run(&rig->u));
	rig->runs++;
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		uint64_t runs;

		pe_get(&rig->u, pe, "runs", &runs, 8);
		assert_int_equal(runs, rig->runs);
		assert_int_equal(pe_get32(&rig->u, pe, "spoilt"), 0);
	}
}

static void start(struct rig *rig)
{
	static const uint32_t dims[] = { 8, 8 };
	uint64_t words[256];

	memset(rig, 0, sizeof(*rig));
	pe_unit_open(&rig->u, "mem:ranks=1,mram=256K", "hostile", NR_PES);
	assert_ok(pidcomm_create(rig->u.sys, 2, dims, &rig->hc));
	for (size_t i = 0; i < 8; i++)
		rig->bufs[i] = rig->buffers[i];
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		for (size_t i = 0; i < 256; i++)
			words[i] = (uint64_t)pe << 32;
		assert_ok(pimdimm_write(rig->u.sys, pe, 0, words,
					sizeof(words)));
		assert_ok(pimdimm_write(rig->u.sys, pe, 8192, words, 8));
		assert_ok(pimdimm_write(rig->u.sys, pe, SRC, words,
					sizeof(words)));
	}
	go_on(rig);
}

static void test_program_survives(void **state)
{
	static const char *const ways[] = {
		"direct", "conventional", "pr", "pr+im", "pr+im+cm",
	};
	static struct rig rig;

	(void)state;
	start(&rig);
	for (size_t i = 0; i < ARRAY_SIZE(collectives); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(ways); j++) {
			assert_ok(pidcomm_set_algorithm(rig.hc,
							collectives[i].name,
							ways[j]));
			assert_ok(collectives[i].run(&rig));
			go_on(&rig);
		}
	}
	pidcomm_destroy(rig.hc);
	pe_unit_close(&rig.u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_program_survives),
};

UNIT_MAIN(tests)
