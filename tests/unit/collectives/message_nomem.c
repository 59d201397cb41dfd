// SPDX-License-Identifier: MIT
/*
 * Messages without memory: each allocation that making a world, getting and splitting ends, and
 * the sends and receives of kernels and of the host ask for fails once. The call that needs it
 * says so, or does without; what went well has moved what it says; nothing leaks, and the next
 * world is as if nothing had been.
 */
#include "tests/unit/collectives/message_rig.h"
#include "tests/unit/failing.h"

#define MOST	2000	/* requests of a scenario, more means that it never ends */
#define SHORT	600u	/* bytes; eager, and more than a spare parcel has room for */
#define LONG	5000u	/* by rendezvous, as PIMDIMM_EAGER says */
#define BACK	(64u << 10)	/* where what is received lies in MRAM */
#define APART	(128u << 10)	/* and what is received through layouts */

/* a way to use messages, and its first failure */
struct scenario {
	const char *name;
	int (*run)(struct pimdimm *sys);
};

static struct pimdimm *system_of_all;
static struct pimtype *words_apart;
static uint8_t of_host[PES][2][SHORT];

/* the first failure that a kernel has seen */
static _Atomic int kernel_error;

static void note(int ret)
{
	int none = 0;

	if (!ret)
		return;
	if (!*pimdimm_errmsg())
		say_wrong("%d has no sentence", ret);
	atomic_compare_exchange_strong(&kernel_error, &none, ret);
}

static int run_kernels(struct pimdimm *sys, pimdimm_kernel kernel, void *arg)
{
	/* one thread, so that requests come in the same order each time */
	struct pimdimm_spmd how = {
		.size = sizeof(how), .nr_tasklets = 1, .stack_bytes = 256 << 10, .seed = 1,
	};
	int ret = pimdimm_spmd(sys, 0, PES, kernel, arg, &how);

	/* where others wait for who had no memory, that is what went wrong first */
	return kernel_error ? kernel_error : ret;
}

static int run_in_world(struct pimdimm *sys, pimdimm_kernel kernel)
{
	struct pimmsg_end *host;
	int ret = pimmsg_world(sys, 0, PES, &host);

	if (ret)
		return ret;
	ret = run_kernels(sys, kernel, NULL);
	pimmsg_close(host);
	return ret;
}

static int only_world(struct pimdimm *sys)
{
	struct pimmsg_end *host;
	int ret = pimmsg_world(sys, 3, 9, &host);

	if (!ret)
		pimmsg_close(host);
	return ret;
}

static void self_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	const int rank = pimmsg_rank(me);

	(void)arg;
	if (rank < 0)
		note(rank);
	else
		EXPECT(rank == (int)pimdimm_pe_id(pe) && pimmsg_self(pe) == me);
}

static int self(struct pimdimm *sys)
{
	return run_in_world(sys, self_kernel);
}

/* a third each, the last first */
static void split_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe), *group = NULL;
	const int rank = pimmsg_rank(me);
	int ret = pimmsg_split(me, rank % 3, -rank, &group);

	(void)arg;
	if (ret) {
		EXPECT(!group);
		note(ret);
		return;
	}
	EXPECT(pimmsg_rank(group) == ((int)PES - 1 - rank) / 3);
	note(pimmsg_barrier(group));
	pimmsg_close(group);
}

static int split(struct pimdimm *sys)
{
	return run_in_world(sys, split_kernel);
}

/* words of 4 bytes in MRAM, as they lie or every other one */
static struct pimmsg_buf words_at(uint32_t pe, int64_t at, bool apart)
{
	return (struct pimmsg_buf){
		.pe = pe,
		.part = { at, apart ? 1 : LONG / 4, apart ? words_apart : basic(PIMTYPE_I32) },
	};
}

/* To the next PE: short ones out of WRAM, long ones out of MRAM, before they are asked for or after. */
static void ring_kernel(struct pimdimm_pe *pe, void *arg)
{
	const uint32_t me = pimdimm_pe_id(pe);
	const int to = (int)((me + 1) % PES), from = (int)((me + PES - 1) % PES);
	struct pimmsg_end *end = pimmsg_self(pe);
	uint8_t *out = pimdimm_wram_alloc(pe, SHORT), *in = pimdimm_wram_alloc(pe, SHORT);
	const struct pimmsg_buf sent[] = {
		memory(out, SHORT), words_at(me, 0, false), words_at(me, 0, false),
	}, received[] = {
		memory(in, SHORT), words_at(me, BACK, false), words_at(me, APART, true),
	};
	struct pimmsg_request *requests[6] = { NULL };

	(void)arg;
	memset(out, (int)me + 1, SHORT);
	memset(in, 0, SHORT);
	for (int i = 0; i < 3; i++) {
		note(pimmsg_isend(end, &sent[i], to, i, &requests[i]));
		if (i == 1)
			pimdimm_yield(pe);
	}
	for (int i = 0; i < 3; i++)
		note(pimmsg_irecv(end, &received[i], from, i, &requests[3 + i]));
	for (int i = 0; i < 6; i++)
		note(pimmsg_wait(end, &requests[i], NULL));
	for (uint32_t i = 0; i < SHORT && !kernel_error; i++)
		EXPECT(in[i] == (uint8_t)(from + 1));
}

static uint32_t word_of(uint32_t pe, uint32_t i)
{
	return (pe + 1) << 16 | i;
}

static void check_rings(struct pimdimm *sys)
{
	uint32_t words[2 * LONG / 4];

	for (uint32_t pe = 0; pe < PES; pe++) {
		const uint32_t from = (pe + PES - 1) % PES;

		assert_ok(pimdimm_read(sys, pe, BACK, words, LONG));
		for (uint32_t i = 0; i < LONG / 4; i++)
			assert_int_equal(words[i], word_of(from, i));
		assert_ok(pimdimm_read(sys, pe, APART, words, 2 * LONG));
		for (uint32_t i = 0; i < LONG / 4; i++)
			assert_int_equal(words[2 * i], word_of(from, i));
	}
}

static int ring(struct pimdimm *sys)
{
	uint32_t words[LONG / 4];
	int ret;

	for (uint32_t pe = 0; pe < PES; pe++) {
		for (uint32_t i = 0; i < LONG / 4; i++)
			words[i] = word_of(pe, i);
		assert_ok(pimdimm_write(sys, pe, 0, words, LONG));
	}
	ret = run_in_world(sys, ring_kernel);
	if (!ret)
		check_rings(sys);
	return ret;
}

/* What the host has sent comes back, each byte one more. */
static void echo_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint8_t *data = pimdimm_wram_alloc(pe, SHORT);
	const struct pimmsg_buf buf = memory(data, SHORT);
	int ret = pimmsg_recv(me, &buf, PIMMSG_HOST, 1, NULL);

	(void)arg;
	for (uint32_t i = 0; i < SHORT; i++)
		data[i]++;
	note(ret ? ret : pimmsg_send(me, &buf, PIMMSG_HOST, 2));
}

/* Begun before the run: messages lie at the PEs, receives wait for theirs. */
static int host_begins(struct pimmsg_end *host, struct pimmsg_request *requests[PES][2])
{
	int ret = 0;

	for (uint32_t pe = 0; pe < PES && !ret; pe++) {
		const struct pimmsg_buf out = memory(of_host[pe][0], SHORT);
		const struct pimmsg_buf in = memory(of_host[pe][1], SHORT);

		memset(of_host[pe][0], (int)pe, SHORT);
		memset(of_host[pe][1], 0, SHORT);
		ret = pimmsg_isend(host, &out, (int)pe, 1, &requests[pe][0]);
		if (!ret)
			ret = pimmsg_irecv(host, &in, (int)pe, 2, &requests[pe][1]);
	}
	return ret;
}

static int host_ends(struct pimmsg_end *host, struct pimmsg_request *requests[PES][2])
{
	int ret = 0;

	for (uint32_t pe = 0; pe < PES; pe++) {
		int err = pimmsg_waitall(host, 2, requests[pe], NULL);

		ret = ret ? ret : err;
		for (uint32_t i = 0; i < SHORT && !ret; i++)
			assert_int_equal(of_host[pe][1][i], (uint8_t)(pe + 1));
	}
	return ret;
}

static int host_sends(struct pimdimm *sys)
{
	struct pimmsg_request *requests[PES][2] = { { NULL } };
	struct pimmsg_end *host;
	int ret = pimmsg_world(sys, 0, PES, &host);

	if (ret)
		return ret;
	ret = host_begins(host, requests);
	if (!ret)
		ret = run_kernels(sys, echo_kernel, NULL);
	if (!ret)
		ret = host_ends(host, requests);
	/* what is not done by now ends with the world */
	pimmsg_close(host);
	return ret;
}

/* An end of programs, which gets parcels for them before they run, and closes without. */
static int programs(struct pimdimm *sys)
{
	struct pimmsg_request *requests[PES][2] = { { NULL } };
	struct pimmsg_end *host;
	int ret = pimmsg_programs(sys, 0, PES, &host);

	if (ret)
		return ret;
	ret = host_begins(host, requests);
	pimmsg_close(host);
	return ret;
}

static const struct scenario scenarios[] = {
	{ "world", only_world },
	{ "self", self },
	{ "split", split },
	{ "sends of kernels", ring },
	{ "sends of the host", host_sends },
	{ "programs", programs },
};

static int run_scenario(const struct scenario *s)
{
	int ret;

	wrong = kernel_error = 0;
	ret = s->run(system_of_all);
	if (wrong)
		fail_msg("%s: %s", s->name, wrong_text);
	return ret;
}

static void every_failure(const struct scenario *s)
{
	unsigned int nth, refused = 0;
	int err;

	/* what is made once, when first needed, is no leak */
	assert_ok(run_scenario(s));
	for (nth = 1; nth < MOST; nth++) {
		const long outstanding = failing_outstanding();
		bool failed;

		failing_start(nth);
		err = run_scenario(s);
		failed = failing_stop();
		if (!failed)
			break;
		refused += err != 0;
		if (err && err != -ENOMEM && err != -EAGAIN)
			fail_msg("%s, request %u: %d: %s", s->name, nth, err, pimdimm_errmsg());
		if (failing_outstanding() != outstanding)
			fail_msg("%s, request %u: %ld are not given back", s->name, nth,
				 failing_outstanding() - outstanding);
		/* and the next time it works */
		assert_ok(run_scenario(s));
		assert_int_equal(failing_outstanding(), outstanding);
	}
	assert_in_range(nth, 2, MOST - 1);
	assert_ok(err);
	assert_int_not_equal(refused, 0);
	printf("# %s: %u requests, %u of them in vain\n", s->name, nth - 1, refused);
}

static void each_fails(void **state)
{
	(void)state;
	setenv("PIMDIMM_EAGER", "1000", 1);
	setenv("PIMDIMM_THREADS", "1", 1);
	/* layouts that are kept are no leak */
	setenv("PIMDIMM_LAYOUTS", "0", 1);
	system_of_all = unit_open(URI);
	assert_ok(pimtype_vector(LONG / 4, 1, 2, basic(PIMTYPE_I32), &words_apart));
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++)
		every_failure(&scenarios[i]);
	pimtype_free(words_apart);
	pimdimm_close(system_of_all);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_fails),
};

UNIT_MAIN(tests)
