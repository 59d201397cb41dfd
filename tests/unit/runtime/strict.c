// SPDX-License-Identifier: MIT
/*
 * strict=1: during a launch its ranks are the PEs'. Whoever looks at results too
 * early is told, by a signal or by -EBUSY. With a URI for an argument, of two
 * ranks, the tests run on it.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/unit/expect.h"
#include "tests/unit/unit.h"

#define RANK_PES 64u

static const char *uris[] = {
	"mem:ranks=2,mram=64K,layout=linear,strict=1",
	"mem:ranks=2,mram=64K,layout=xeon_sp,strict=1",
};
static size_t nr_uris = ARRAY_SIZE(uris);

/* what a touch raises where it is refused */
static int refusal(const char *uri)
{
	return strncmp(uri, "dev:", 4) ? SIGSEGV : SIGBUS;
}

static _Thread_local sigjmp_buf after_signal;
static _Thread_local void *signal_address;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	signal_address = info->si_addr;
	siglongjmp(after_signal, number);
}

static void catch_signals(void)
{
	struct sigaction action = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO,
	};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

/* The signal that a load or a store of 1 brings, or 0. */
static int touch(uint8_t *at, bool store)
{
	int number = sigsetjmp(after_signal, 1);

	if (number)
		return number;
	/* atomic, for PEs of several threads do it at once */
	if (store)
		__atomic_store_n(at, 1, __ATOMIC_RELAXED);
	else
		(void)__atomic_load_n(at, __ATOMIC_RELAXED);
	return 0;
}

#define expect_busy(call)						\
	expect_that((call) == -EBUSY && strstr(pimdimm_errmsg(), "rank 1"))

struct rig {
	struct pimdimm *sys;
	uint8_t *host[2];
	size_t bytes;
	int signal;
	struct pidcomm *hc;
	pidcomm_op op;
};

static void start(struct rig *r, const char *uri)
{
	catch_signals();
	wrong = 0;
	*r = (struct rig){ .sys = unit_open(uri), .signal = refusal(uri) };
	for (uint32_t i = 0; i < 2; i++)
		r->host[i] = pimdimm_mram(r->sys, i, &r->bytes);
}

static void expect_hosts(const struct rig *r)
{
	uint8_t byte = 0;

	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(touch(r->host[i], true), 0);
		assert_int_equal(touch(r->host[i] + r->bytes - 1, false), 0);
	}
	assert_ok(pimdimm_write(r->sys, 127, 9, &byte, 1));
	assert_ok(pimdimm_read(r->sys, 0, 9, &byte, 1));
}

static void stop(struct rig *r)
{
	assert_int_equal(wrong, 0);
	expect_hosts(r);
	pimdimm_close(r->sys);
}

static void expect_refused(const struct rig *r, uint8_t *at, bool store)
{
	expect_that(touch(at, store) == r->signal);
	expect_that(signal_address == at);
}

/* Of rank 1: it looks, as its host should not, at both windows. */
static void looking_kernel(struct pimdimm_pe *pe, void *arg)
{
	const struct rig *r = arg;
	uint64_t *wram = pimdimm_wram_alloc(pe, 8);

	for (unsigned int store = 0; store < 2; store++) {
		expect_refused(r, r->host[1], store);
		expect_refused(r, r->host[1] + 4097, store);
		expect_refused(r, r->host[1] + r->bytes - 1, store);
		expect_that(!touch(r->host[0] + 64, store));
	}
	expect_that(!pimdimm_mram_read(pe, 0, wram, 8));
	expect_that(*wram == 1000 + pimdimm_pe_id(pe));
	*wram *= 2;
	expect_that(!pimdimm_mram_write(pe, 8, wram, 8));
}

static void fill_pes(struct rig *r)
{
	for (uint64_t pe = 0; pe < 2 * RANK_PES; pe++) {
		uint64_t word = 1000 + pe;

		assert_ok(pimdimm_write(r->sys, (uint32_t)pe, 0, &word, 8));
	}
}

/* The first 8 words of rank 1's first PE, as the window shows them. */
static uint64_t word_in_window(const struct rig *r, uint64_t word)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(r->sys);
	const uint8_t *block = r->host[1] +
			       pimdimm_layout_offset(g->layout, g->mram_size, 0,
						     word);
	uint64_t host[8];

	pimdimm_domain_transfer(host, block, 1);
	return host[0];
}

static void test_windows(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		struct rig r;

		start(&r, uris[i]);
		fill_pes(&r);
		assert_int_equal(word_in_window(&r, 0), 1000 + RANK_PES);
		for (unsigned int tasklets = 1; tasklets < 4; tasklets += 2)
			assert_ok(pimdimm_launch(r.sys, RANK_PES, RANK_PES,
						 tasklets, looking_kernel, &r));
		assert_int_equal(word_in_window(&r, 1), 2 * (1000 + RANK_PES));
		stop(&r);
	}
}

/* One of the two windows may be gone, the other is not concerned. */
static void of_one_pe(struct pimdimm_pe *pe, void *arg)
{
	const struct rig *r = arg;
	uint32_t rank = pimdimm_pe_id(pe) / RANK_PES;

	expect_refused(r, r->host[rank], true);
	expect_that(!touch(r->host[!rank], true));
}

static void of_both(struct pimdimm_pe *pe, void *arg)
{
	const struct rig *r = arg;

	(void)pe;
	expect_refused(r, r->host[0], true);
	expect_refused(r, r->host[1], true);
}

static void test_ranks_concerned(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		struct rig r;

		start(&r, uris[i]);
		assert_ok(pimdimm_launch(r.sys, 5, 1, 1, of_one_pe, &r));
		assert_ok(pimdimm_launch(r.sys, 63, 1, 1, of_one_pe, &r));
		assert_ok(pimdimm_launch(r.sys, 64, 1, 1, of_one_pe, &r));
		assert_ok(pimdimm_launch(r.sys, 127, 1, 1, of_one_pe, &r));
		assert_ok(pimdimm_launch(r.sys, 63, 2, 1, of_both, &r));
		assert_ok(pimdimm_launch(r.sys, 3, 0, 1, of_both, &r));
		stop(&r);
	}
}

static void transfers_kernel(struct pimdimm_pe *pe, void *arg)
{
	const struct rig *r = arg;
	uint64_t words[2 * RANK_PES] = { 0 };
	void *bufs[2 * RANK_PES];

	(void)pe;
	for (uint32_t i = 0; i < 2 * RANK_PES; i++)
		bufs[i] = &words[i];
	expect_busy(pimdimm_read(r->sys, 64, 0, words, 8));
	expect_busy(pimdimm_write(r->sys, 127, 0, words, 8));
	expect_busy(pimdimm_pull(r->sys, 0, 128, 0, bufs, 8));
	expect_busy(pimdimm_push(r->sys, 63, 2, 0, (const void **)bufs, 8));
	expect_busy(pidcomm_allreduce(r->hc, "10", 8, 0, 8, PIDCOMM_U64,
				      PIDCOMM_SUM));
	expect_busy(pidcomm_alltoall(r->hc, "11", 128 * 8, 0, 2048));
	/* what is wrong is wrong at any time, and of rank 0 nothing is */
	expect_that(pimdimm_read(r->sys, 128, 0, words, 8) == -EINVAL);
	expect_that(!pimdimm_read(r->sys, 63, 0, words, 8));
	expect_that(words[0] == 1063);
	expect_that(!pimdimm_pull(r->sys, 0, 64, 0, bufs, 8));
	expect_that(!pimdimm_push(r->sys, 0, 64, 0, (const void **)bufs, 8));
	expect_that(!pidcomm_allreduce(r->hc, "10", 0, 0, 8, PIDCOMM_U64,
				       PIDCOMM_SUM));
}

static void test_transfers(void **state)
{
	static const uint32_t dims[] = { 8, 16 };

	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		struct rig r;

		start(&r, uris[i]);
		fill_pes(&r);
		assert_ok(pidcomm_create(r.sys, 2, dims, &r.hc));
		assert_ok(pimdimm_launch(r.sys, 70, 1, 1, transfers_kernel,
					 &r));
		for (uint64_t pe = 0; pe < 2 * RANK_PES; pe++) {
			uint64_t word;

			assert_ok(pimdimm_read(r.sys, (uint32_t)pe, 0, &word,
					       8));
			assert_int_equal(word, 1000 + pe);
		}
		assert_ok(pidcomm_allreduce(r.hc, "10", 8, 0, 8, PIDCOMM_U64,
					    PIDCOMM_SUM));
		pidcomm_destroy(r.hc);
		stop(&r);
	}
}

static void idle_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)pe;
	(void)arg;
}

/* An operation of the user's: the host is at it while this runs. */
static void launching_op(void *inout, const void *in, size_t count,
			 enum pidcomm_type type, void *ctx)
{
	struct rig *r = ctx;
	uint64_t word;

	(void)inout;
	(void)in;
	(void)count;
	(void)type;
	expect_busy(pimdimm_launch(r->sys, 64, 64, 1, idle_kernel, NULL));
	expect_that(strstr(pimdimm_errmsg(), "collective"));
	/* others of the host's may come to it */
	expect_that(!pimdimm_read(r->sys, 64, 0, &word, 8));
}

static void test_launch_into_a_collective(void **state)
{
	static const uint32_t dims[] = { 128 };

	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		struct rig r;

		start(&r, uris[i]);
		assert_ok(pidcomm_create(r.sys, 1, dims, &r.hc));
		assert_ok(pidcomm_op_create(launching_op, &r, &r.op));
		assert_ok(pidcomm_allreduce(r.hc, "1", 8, 0, 8, PIDCOMM_U64,
					    r.op));
		assert_ok(pimdimm_launch(r.sys, 64, 64, 1, idle_kernel, NULL));
		pidcomm_op_free(r.op);
		pidcomm_destroy(r.hc);
		stop(&r);
	}
}

/* Looks at rank 1 while the main thread's collectives are under way. */
struct onlooker {
	const struct rig *rig;
	atomic_bool stop;
	atomic_uint windows, transfers;	/* refused */
};

static void *look_on(void *arg)
{
	struct onlooker *o = arg;
	uint64_t word;

	while (!o->stop) {
		if (touch(o->rig->host[1], false)) {
			expect_that(signal_address == o->rig->host[1]);
			o->windows++;
		}
		if (pimdimm_read(o->rig->sys, 64, 0, &word, 8)) {
			expect_that(strstr(pimdimm_errmsg(), "rank 1") &&
				    strstr(pimdimm_errmsg(), "collective"));
			o->transfers++;
		}
		sched_yield();
	}
	return NULL;
}

#define HELP_BYTES	16384u

/* Whatever the onlooker met, the result is that of `direct`. */
static void expect_exchanged(struct rig *r)
{
	static uint8_t got[HELP_BYTES], want[HELP_BYTES];

	assert_ok(pidcomm_set_algorithm(r->hc, "alltoall", "direct"));
	assert_ok(pidcomm_alltoall(r->hc, "1", HELP_BYTES, 0, 2 * HELP_BYTES));
	for (uint32_t pe = 0; pe < 2 * RANK_PES; pe++) {
		assert_ok(pimdimm_read(r->sys, pe, HELP_BYTES, got,
				       HELP_BYTES));
		assert_ok(pimdimm_read(r->sys, pe, 2 * HELP_BYTES, want,
				       HELP_BYTES));
		assert_memory_equal(got, want, HELP_BYTES);
	}
}

/* Run it until the onlooker has been refused either way, or for some seconds. */
static void run_watched(struct rig *r, const char *algorithm)
{
	struct onlooker o = { .rig = r };
	time_t end = time(NULL) + 20;
	pthread_t thread;
	int ret;

	assert_ok(pidcomm_set_algorithm(r->hc, "alltoall", algorithm));
	assert_int_equal(pthread_create(&thread, NULL, look_on, &o), 0);
	do {
		/* the onlooker's own transfer may be under way */
		ret = pidcomm_alltoall(r->hc, "1", HELP_BYTES, 0, HELP_BYTES);
		if (ret)
			assert_refused(ret, EBUSY, "transfer");
	} while ((ret || !o.windows || !o.transfers) && time(NULL) < end);
	o.stop = true;
	pthread_join(thread, NULL);
	assert_ok(ret);
	assert_int_not_equal(o.windows, 0);
	assert_int_not_equal(o.transfers, 0);
	expect_exchanged(r);
}

/* Where PEs do part of a collective their ranks are theirs meanwhile. */
static void test_helping_pes(void **state)
{
	static const char *const algorithms[] = { "pr", "pr+im", "pr+im+cm" };
	static const uint32_t dims[] = { 128 };
	static uint8_t bytes[HELP_BYTES];

	(void)state;
	for (size_t i = 0; i < nr_uris * ARRAY_SIZE(algorithms); i++) {
		struct rig r;

		start(&r, uris[i / ARRAY_SIZE(algorithms)]);
		for (uint32_t pe = 0; pe < 2 * RANK_PES; pe++) {
			for (size_t b = 0; b < HELP_BYTES; b++)
				bytes[b] = (uint8_t)(pe * 31 + b * 7 + b / 256);
			assert_ok(pimdimm_write(r.sys, pe, 0, bytes,
						HELP_BYTES));
		}
		assert_ok(pidcomm_create(r.sys, 1, dims, &r.hc));
		run_watched(&r, algorithms[i % ARRAY_SIZE(algorithms)]);
		pidcomm_destroy(r.hc);
		stop(&r);
	}
}

static void *launch_beside(void *arg)
{
	const struct rig *r = arg;

	expect_that(!pimdimm_launch(r->sys, 60, 8, 1, idle_kernel, NULL));
	return NULL;
}

static void outer_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct rig *r = arg;
	pthread_t thread;
	uint8_t byte;

	(void)pe;
	expect_that(!pthread_create(&thread, NULL, launch_beside, r));
	pthread_join(thread, NULL);
	expect_refused(r, r->host[1], true);
	expect_busy(pimdimm_read(r->sys, 64, 0, &byte, 1));
	expect_that(!touch(r->host[0], true));
}

/* The last launch that ends gives the rank back, not the first. */
static void test_launches_share_a_rank(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		struct rig r;

		start(&r, uris[i]);
		assert_ok(pimdimm_launch(r.sys, 100, 1, 1, outer_kernel, &r));
		stop(&r);
	}
}

#define expect_hosts_call(call)						\
	do {								\
		expect_that((call) == -EBUSY);				\
		expect_that(strstr(pimdimm_errmsg(), "kernel"));	\
		expect_that(strstr(pimdimm_errmsg(), "PE 5 of rank 0")); \
	} while (0)

/* What PEs of hardware cannot do, of whichever rank. */
static void calling_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pidcomm_request *request;
	struct pidcomm_plan *plan;
	struct rig *r = arg;

	pimdimm_barrier(pe);
	expect_hosts_call(pimdimm_launch(r->sys, 64, 1, 1, idle_kernel, NULL));
	expect_hosts_call(pidcomm_allreduce(r->hc, "1", 8, 0, 8, PIDCOMM_U64,
					    PIDCOMM_SUM));
	expect_hosts_call(pidcomm_iallreduce(r->hc, "1", 8, 0, 8, PIDCOMM_U64,
					     PIDCOMM_SUM, &request));
	expect_that(!pidcomm_plan_allreduce(r->hc, "1", 8, 0, 8, PIDCOMM_U64,
					    PIDCOMM_SUM, &plan));
	expect_hosts_call(pidcomm_plan_run(plan));
	expect_hosts_call(pidcomm_plan_start(plan, &request));
	pidcomm_plan_free(plan);
	/* what is wrong is wrong at any time, and nothing does nothing */
	expect_that(pimdimm_launch(r->sys, 64, 1, 0, idle_kernel, NULL) ==
		    -EINVAL);
	expect_that(!pimdimm_launch(r->sys, 64, 0, 1, idle_kernel, NULL));
}

static void test_calls_of_kernels(void **state)
{
	static const uint32_t dims[] = { 8 };

	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		struct rig r;

		start(&r, uris[i]);
		assert_ok(pidcomm_create(r.sys, 1, dims, &r.hc));
		for (unsigned int tasklets = 1; tasklets < 4; tasklets += 2)
			assert_ok(pimdimm_launch(r.sys, 5, 1, tasklets,
						 calling_kernel, &r));
		assert_ok(pidcomm_allreduce(r.hc, "1", 8, 0, 8, PIDCOMM_U64,
					    PIDCOMM_SUM));
		assert_ok(pimdimm_launch(r.sys, 64, 1, 1, idle_kernel, NULL));
		pidcomm_destroy(r.hc);
		stop(&r);
	}
}

/* a DMA of PE 70 to or from memory of all kinds */
struct transfer {
	ptrdiff_t at;		/* from the WRAM's first byte on */
	void *host;		/* or here */
	size_t bytes;
	bool write, refused;
};

static void pointing_kernel(struct pimdimm_pe *pe, void *arg)
{
	const struct transfer *t = arg;
	uint8_t *wram = pimdimm_wram(pe);
	void *at = t->host ? t->host :
			     (void *)((uintptr_t)wram + (uintptr_t)t->at);
	int ret;

	if (t->write)
		ret = pimdimm_mram_write(pe, 0, at, t->bytes);
	else
		ret = pimdimm_mram_read(pe, 0, at, t->bytes);
	expect_that(ret == (t->refused ? -EINVAL : 0));
	expect_that(!ret || strstr(pimdimm_errmsg(), "WRAM"));
}

/* Host memory is none of a PE's, nor is what lies around its WRAM. */
static void test_pointers(void **state)
{
	static uint64_t word;
	static const struct transfer transfers[] = {
		{ .at = 0, .bytes = 2048 },
		{ .at = 65536 - 8, .bytes = 8 },
		{ .at = 65536 - 2048, .bytes = 2048, .write = true },
		{ .host = &word, .bytes = 8, .refused = true },
		{ .host = &word, .bytes = 8, .write = true, .refused = true },
		{ .at = 65536 - 8, .bytes = 16, .refused = true },
		{ .at = 65536, .bytes = 8, .write = true, .refused = true },
		{ .at = -8, .bytes = 8, .refused = true },
		{ .at = -8, .bytes = 16, .write = true, .refused = true },
	};
	struct rig r;

	(void)state;
	start(&r, uris[0]);
	for (size_t i = 0; i < ARRAY_SIZE(transfers); i++) {
		int ret = pimdimm_launch(r.sys, 70, 1, 2, pointing_kernel,
					 (void *)&transfers[i]);

		if (transfers[i].refused)
			assert_refused(ret, EFAULT, "PE 70, tasklet 0: mram_");
		else
			assert_ok(ret);
	}
	assert_int_equal(word, 0);
	stop(&r);
}

static void faulting_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	pimdimm_mram_read(pe, 1, pimdimm_wram(pe), 8);
}

static void test_failing_launches(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		struct rig r;

		start(&r, uris[i]);
		assert_refused(pimdimm_launch(r.sys, 0, 129, 1, idle_kernel,
					      NULL), EINVAL, "nr_pes");
		expect_hosts(&r);
		assert_refused(pimdimm_launch(r.sys, 0, 128, 25, idle_kernel,
					      NULL), EINVAL, "nr_tasklets");
		expect_hosts(&r);
		assert_refused(pimdimm_launch(r.sys, 0, 128, 2,
					      faulting_kernel, NULL),
			       EFAULT, "off=1");
		stop(&r);
	}
}

/* A rank that cannot be handed over leaves those before it with the host. */
static void test_window_that_is_gone(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_uris && refusal(uris[i]) == SIGSEGV; i++) {
		struct rig r;
		uint8_t byte;

		start(&r, uris[i]);
		assert_int_equal(munmap(r.host[1], r.bytes), 0);
		assert_refused(pimdimm_launch(r.sys, 0, 128, 1, idle_kernel,
					      NULL), ENOMEM, "rank 1");
		assert_int_equal(touch(r.host[0], true), 0);
		assert_ok(pimdimm_read(r.sys, 127, 0, &byte, 1));
		assert_ok(pimdimm_launch(r.sys, 0, 64, 1, idle_kernel, NULL));
		assert_int_equal(touch(r.host[0], true), 0);
		/* so that closing it unmaps nothing of others */
		assert_ptr_equal(mmap(r.host[1], r.bytes, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS |
				      MAP_NORESERVE | MAP_FIXED, -1, 0),
				 r.host[1]);
		pimdimm_close(r.sys);
	}
}

struct toucher {
	const struct rig *rig;
	atomic_bool stop;
	atomic_uint done, refused;
};

static void *touch_always(void *arg)
{
	struct toucher *t = arg;
	uint64_t word = ~UINT64_C(0);

	while (!t->stop) {
		int number = touch(t->rig->host[1], true);

		expect_that(!number || number == t->rig->signal);
		t->refused += !!number;
		t->done += !number;
		number = pimdimm_write(t->rig->sys, 64, 0, &word, 8);
		expect_that(!number || number == -EBUSY);
	}
	return NULL;
}

/* What a PE writes stays, though others never stop writing to it. */
static void alone_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *wram = pimdimm_wram_alloc(pe, 8);

	(void)arg;
	for (uint64_t i = 0; i < 200; i++) {
		*wram = i;
		expect_that(!pimdimm_mram_write(pe, 0, wram, 8));
		sched_yield();
		expect_that(!pimdimm_mram_read(pe, 0, wram, 8));
		expect_that(*wram == i);
	}
}

static void test_races(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_uris; i++) {
		unsigned int launched = 0, busy = 0;
		struct rig r;
		struct toucher t = { .rig = &r };
		time_t end = time(NULL) + 20;
		pthread_t thread;

		start(&r, uris[i]);
		assert_int_equal(pthread_create(&thread, NULL, touch_always,
						&t), 0);
		/* on a busy machine the other may come late */
		while (launched < 50 || ((!t.refused || !t.done) &&
					 time(NULL) < end)) {
			int ret = pimdimm_launch(r.sys, 64, 1, 1, alone_kernel,
						 NULL);

			assert_true(!ret || ret == -EBUSY);
			/* the other has its turn */
			usleep(200);
			launched += !ret;
			busy += !!ret;
		}
		t.stop = true;
		pthread_join(thread, NULL);
		printf("# %u launches, %u refused; %u touches, %u refused\n",
		       launched, busy, t.done, t.refused);
		assert_true(t.refused > 0 && t.done > 0);
		stop(&r);
	}
}

static void test_without_strict(void **state)
{
	struct pimdimm *sys;

	(void)state;
	sys = unit_open("mem:ranks=2,mram=64K,strict=0");
	assert_ok(pimdimm_launch(sys, 0, 128, 1, idle_kernel, NULL));
	pimdimm_close(sys);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_windows),
	cmocka_unit_test(test_ranks_concerned),
	cmocka_unit_test(test_transfers),
	cmocka_unit_test(test_launch_into_a_collective),
	cmocka_unit_test(test_helping_pes),
	cmocka_unit_test(test_launches_share_a_rank),
	cmocka_unit_test(test_calls_of_kernels),
	cmocka_unit_test(test_pointers),
	cmocka_unit_test(test_failing_launches),
	cmocka_unit_test(test_window_that_is_gone),
	cmocka_unit_test(test_races),
	cmocka_unit_test(test_without_strict),
};

int main(int argc, char **argv)
{
	unit_start();
	if (argc > 1) {
		uris[0] = argv[1];
		nr_uris = 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
