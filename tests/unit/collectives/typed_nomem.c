// SPDX-License-Identifier: MIT
/*
 * Derived datatypes out of memory: each allocation that making types, moving by them and
 * the collectives on them asks for fails once. Only -ENOMEM or -EAGAIN may come of it,
 * nothing leaks, MRAM is as it was, and the next try succeeds.
 */
#include <pimdimm/pidcomm.h>

#include "tests/unit/failing.h"
#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define NR_PES	128u
#define MOST	200	/* requests of one call, more means that it never ends */

static struct pimdimm *sys;
static struct pidcomm *hc;
static void *bufs[NR_PES];
static uint8_t *before, *after;

static const struct typed_case {
	const char *name;
	int (*call)(struct pimtype_part from,
		    struct pimtype_part to);
} *typed_case;

static int typed_transfer(struct pimtype_part from, struct pimtype_part to)
{
	const void *const *from_bufs = (const void *const *)bufs;
	int err = pimtype_pull(sys, 0, NR_PES, from, bufs, to);

	if (!err)
		err = pimtype_copy(bufs[0], to, bufs[1], from);
	return err ? err : pimtype_push(sys, 3, 60, to, from_bufs, from);
}

static int typed_move(struct pimtype_part from,
		      struct pimtype_part to)
{
	struct pimtype_move moves[NR_PES];

	for (uint32_t pe = 0; pe < NR_PES; pe++)
		moves[pe] = (struct pimtype_move){ pe, (pe + 8) % NR_PES, from, to };
	return pimtype_move(sys, NR_PES, moves);
}

static int typed_halo(struct pimtype_part from,
		      struct pimtype_part to)
{
	struct pidcomm_face faces[] = { { from, to }, { from, to } };
	struct pidcomm_request *request;
	int err;

	faces[1].recv.offset += 20;
	err = pidcomm_ihalo(hc, "010", 2, faces, &request);
	return err ? err : pidcomm_wait(&request);
}

static int typed_alltoallw(struct pimtype_part from,
			   struct pimtype_part to)
{
	struct pimtype_part send[4], recv[4];

	for (int m = 0; m < 4; m++) {
		send[m] = from;
		recv[m] = to;
		to.offset += 64;
	}
	return pidcomm_alltoallw(hc, "100", send, recv);
}

static int typed_alltoallv(struct pimtype_part from,
			   struct pimtype_part to)
{
	uint64_t counts[NR_PES * 4];

	for (uint32_t i = 0; i < NR_PES * 4; i++)
		counts[i] = i % 3;
	return pidcomm_alltoallv(hc, "100", from.type, counts, 0,
				 (uint64_t)from.offset, (uint64_t)to.offset);
}

static int run_typed(void)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	const int64_t at[] = { 0, 96, 24 };
	struct pimtype *list = NULL, *down = NULL;
	int err = pimtype_hindexed_block(3, 8, at, byte, &list);

	if (!err)
		err = pimtype_hvector(4, 6, 13, byte, &down);
	if (!err)
		err = typed_case->call((struct pimtype_part){ 100, 1, list },
				       (struct pimtype_part){ 2048, 1, down });
	pimtype_free(list);
	pimtype_free(down);
	return err;
}

static void read_all(uint8_t *to)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		assert_ok(pimdimm_read(sys, pe, 0, to + pe * MRAM, MRAM));
}

static void check_failure(unsigned int nth, int err, long outstanding)
{
	if (err != -ENOMEM && err != -EAGAIN)
		fail_msg("%s, request %u: %d: %s", typed_case->name, nth, err,
			 pimdimm_errmsg());
	if (failing_outstanding() != outstanding)
		fail_msg("%s, request %u: %ld are not given back",
			 typed_case->name, nth,
			 failing_outstanding() - outstanding);
	read_all(after);
	assert_memory_equal(before, after, NR_PES * MRAM);
}

static void every_failure(void)
{
	long outstanding = failing_outstanding();
	unsigned int nth;
	int err;

	read_all(before);
	for (nth = 1; nth < MOST; nth++) {
		failing_start(nth);
		err = run_typed();
		if (!failing_stop())
			break;
		/* it may do with less */
		if (!err)
			read_all(before);
		else
			check_failure(nth, err, outstanding);
	}
	assert_true(nth < MOST);
	assert_ok(err);
	printf("# %s: %u requests\n", typed_case->name, nth - 1);
}

/* types that were freed wait for a while, so that using them is noticed */
static void fill_waiting(void)
{
	struct pimtype *type;

	for (int i = 0; i < 1000; i++) {
		assert_ok(pimtype_dup(pimtype_basic(PIMTYPE_BYTE), &type));
		pimtype_free(type);
	}
}

static void nomem(void **state)
{
	static const struct typed_case cases[] = {
		{ "transfer", typed_transfer }, { "move", typed_move },
		{ "halo", typed_halo }, { "alltoallw", typed_alltoallw },
		{ "alltoallv", typed_alltoallv },
	};
	static const uint32_t dims[] = { 4, 4, 8 };
	struct rng rng = { 3 };

	(void)state;
	fill_waiting();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		typed_case = &cases[i];
		sys = unit_open(unit_uris[i % 2]);
		assert_ok(pidcomm_create(sys, 3, dims, &hc));
		for (uint32_t pe = 0; pe < NR_PES; pe++) {
			rng_fill(&rng, before, MRAM);
			assert_ok(pimdimm_write(sys, pe, 0, before, MRAM));
		}
		/* what is made once, when first needed, is no leak */
		assert_ok(run_typed());
		every_failure();
		pidcomm_destroy(hc);
		pimdimm_close(sys);
	}
}

static int setup(void **state)
{
	(void)state;
	/* layouts that are kept are no leak either */
	setenv("PIMDIMM_LAYOUTS", "0", 1);
	before = need(malloc(NR_PES * MRAM));
	after = need(malloc(NR_PES * MRAM));
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		bufs[pe] = need(calloc(1, 4096));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(before);
	free(after);
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		free(bufs[pe]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nomem),
	};

	unit_start();
	return cmocka_run_group_tests(tests, setup, teardown);
}
