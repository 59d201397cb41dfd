// SPDX-License-Identifier: MIT
/*
 * Resident kernels: threads of all PEs that are there together, wait for each other,
 * travel, and are counted.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <pimdimm/spmd.h>

#include "runtime/pe/resident/resident.h"
#include "tests/unit/expect.h"
#include "tests/unit/spmd.h"

#define NR_PES	128u

/* parcels that a tasklet sends, and that each of them is followed by */
#define SENT	FEW(5u, 1u)
#define LEFT	FEW(9u, 2u)
#define NUMBERS	FEW(50u, 6u)

/* A token goes round by migration; each PE adds itself to what lies in its WRAM. */
struct ring {
	uint32_t rounds;
	uint64_t sum;
	bool lost;
};

static void ring_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct ring *ring = arg;
	uint32_t end = NR_PES;

	if (pimdimm_pe_id(pe))
		return;
	for (uint32_t i = 1; i <= ring->rounds * end; i++) {
		uint64_t *wram;

		if (pimdimm_migrate(pe, i % end))
			ring->lost = true;
		wram = pimdimm_wram(pe);
		ring->lost |= pimdimm_pe_id(pe) != i % end;
		ring->lost |= *wram != (i - 1) / end;
		++*wram;
		ring->sum += pimdimm_pe_id(pe);
	}
}

static void test_ring(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct pimdimm *sys = open_threads(TWO_RANKS, "2");
		struct pimdimm_spmd how = one(1, seed);
		struct ring ring = { .rounds = 10 };

		assert_ok(pimdimm_spmd(sys, 0, NR_PES, ring_kernel, &ring, &how));
		assert_false(ring.lost);
		assert_int_equal(how.hops, 10 * NR_PES);
		assert_int_equal(ring.sum, 10 * NR_PES * (NR_PES - 1) / 2);
		assert_true(how.ns > 0);
		pimdimm_close(sys);
	}
}

struct frame {
	uint64_t *counts;
	uint32_t from, left, number;
};

/* Each goes on by another parcel until none is left. */
static void traveller(struct pimdimm_pe *pe, void *frame)
{
	struct frame f = *(struct frame *)frame;
	uint32_t me = pimdimm_pe_id(pe);

	expect_that(pimdimm_tasklet_id(pe) == PIMDIMM_TRAVELLER);
	f.counts[me]++;
	if (!f.left--)
		return;
	expect_that(!pimdimm_parcel(pe, (me + 7) % NR_PES, traveller, &f,
				    sizeof(f)));
}

static void parcel_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct frame f = { .counts = arg, .left = LEFT };

	for (unsigned i = 0; i < SENT; i++)
		expect_that(!pimdimm_parcel(pe, (pimdimm_pe_id(pe) + 7) % NR_PES,
					    traveller, &f, sizeof(f)));
}

static void test_parcels(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct pimdimm *sys = open_threads(TWO_RANKS, seed ? "1" : "3");
		struct pimdimm_spmd how = one(3, seed);
		uint64_t counts[NR_PES] = { 0 };

		assert_ok(pimdimm_spmd(sys, 0, NR_PES, parcel_kernel, counts, &how));
		assert_int_equal(how.hops, NR_PES * 3 * SENT * (LEFT + 1));
		for (uint32_t pe = 0; pe < NR_PES; pe++)
			assert_int_equal(counts[pe], 3 * SENT * (LEFT + 1));
		pimdimm_close(sys);
	}
}

/* in order of sending: of each sender, at each destination */
static struct {
	uint32_t next[NR_PES];
	atomic_uint wrong;
} orders[8];

static void numbered(struct pimdimm_pe *pe, void *frame)
{
	struct frame *f = frame;
	uint32_t *next = &orders[pimdimm_pe_id(pe)].next[f->from];

	if (*next != f->number)
		orders[pimdimm_pe_id(pe)].wrong++;
	++*next;
	if (f->number % 5 == 0)
		pimdimm_yield(pe);
}

static void numbering_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct frame f = { .from = pimdimm_pe_id(pe) };

	(void)arg;
	for (; f.number < NUMBERS; f.number++) {
		for (uint32_t to = 0; to < 8; to++)
			expect_that(!pimdimm_parcel(pe, to, numbered, &f,
						    sizeof(f)));
		if (f.number % 3 == 0)
			pimdimm_yield(pe);
	}
}

static void test_order_of_sending(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < FEW(20, 3); seed++) {
		struct pimdimm *sys = open_threads(TWO_RANKS, "2");
		struct pimdimm_spmd how = one(1, seed);

		memset(orders, 0, sizeof(orders));
		assert_ok(pimdimm_spmd(sys, 0, 8, numbering_kernel, NULL, &how));
		for (unsigned pe = 0; pe < 8; pe++) {
			assert_int_equal(orders[pe].wrong, 0);
			for (unsigned from = 0; from < 8; from++)
				assert_int_equal(orders[pe].next[from], NUMBERS);
		}
		pimdimm_close(sys);
	}
}

/* The same seed gives the same order, and another one another. */
static void test_seeds(void **state)
{
	struct pimdimm *sys = open_threads(TWO_RANKS, "2");
	uint64_t counts[NR_PES];
	uint64_t first = 0;

	(void)state;
	for (uint64_t i = 0; i < 6; i++) {
		struct pimdimm_spmd how = one(3, 1 + i / 3);

		memset(counts, 0, sizeof(counts));
		assert_ok(pimdimm_spmd(sys, 0, NR_PES, parcel_kernel, counts, &how));
		if (i % 3 == 0) {
			assert_true(how.order != first);
			first = how.order;
		}
		assert_true(how.order == first);
	}
	pimdimm_close(sys);
}

/* What kernels of pimdimm_launch() have: barriers, WRAM, MRAM. */
static void launched_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint32_t t = pimdimm_tasklet_id(pe), id = pimdimm_pe_id(pe);
	uint64_t *words = pimdimm_wram(pe);
	uint64_t *mine = pimdimm_wram_alloc(pe, 8);

	(void)arg;
	expect_that(mine && !*mine && !words[t]);
	for (unsigned round = 1; round < 6; round++) {
		words[t] = round * (id + t);
		pimdimm_barrier(pe);
		for (uint32_t i = 0; i < 11; i++)
			expect_that(words[i] == round * (id + i));
		*mine = words[t];
		expect_that(!pimdimm_mram_write(pe, 8 * t, mine, 8));
		*mine = 0;
		expect_that(!pimdimm_mram_read(pe, 8 * t, mine, 8));
		expect_that(*mine == round * (id + t));
		pimdimm_barrier(pe);
	}
}

static void test_launched(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(unit_uris); i++) {
		struct pimdimm *sys = unit_open(unit_uris[i]);

		for (uint64_t seed = 0; seed < 3; seed++) {
			struct pimdimm_spmd how = one(11, seed);

			assert_ok(pimdimm_spmd(sys, 0, NR_PES, launched_kernel,
					       NULL, &how));
			assert_int_equal(wrong, 0);
		}
		pimdimm_close(sys);
	}
}

static void many_kernel(struct pimdimm_pe *pe, void *arg)
{
	atomic_uint *ran = arg;

	pimdimm_barrier(pe);
	++*ran;
	pimdimm_barrier(pe);
}

#define MANY_TASKLETS	FEW(24u, 1u)

static void test_many(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=16,mram=64K");
	struct pimdimm_spmd how = one(MANY_TASKLETS, 0);
	atomic_uint ran = 0;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		ran = 0;
		assert_ok(pimdimm_spmd(sys, 0, 1024, many_kernel, &ran, &how));
		assert_int_equal(ran, 1024 * MANY_TASKLETS);
	}
	assert_int_equal(how.hops, 0);
	pimdimm_close(sys);
}

/* A tasklet that is away is not waited for. */
static void away_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint32_t id = pimdimm_pe_id(pe), t = pimdimm_tasklet_id(pe);
	atomic_uint *back = arg;
	atomic_uint *passed = &back[1 + id];

	if (t == 1) {
		expect_that(!pimdimm_migrate(pe, (id + 1) % NR_PES));
		expect_that(pimdimm_tasklet_id(pe) == 1);
		for (unsigned i = 0; *passed < 2 && i < 1000000; i++)
			pimdimm_yield(pe);
		expect_that(*passed == 2);
		expect_that(!pimdimm_migrate(pe, id));
		++*back;
		return;
	}
	for (unsigned i = 0; i < 5; i++)
		pimdimm_barrier(pe);
	++*passed;
}

static void test_away(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < FEW(20, 3); seed++) {
		struct pimdimm *sys = open_threads(TWO_RANKS, "2");
		struct pimdimm_spmd how = one(3, seed);
		atomic_uint back[1 + NR_PES] = { 0 };

		wrong = 0;
		assert_ok(pimdimm_spmd(sys, 0, NR_PES, away_kernel, back, &how));
		assert_int_equal(wrong, 0);
		assert_int_equal(back[0], NR_PES);
		assert_int_equal(how.hops, 2 * NR_PES);
		pimdimm_close(sys);
	}
}

/* Each PE's tasklet 1 waits for a word that nobody fills. */
static void vain_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimdimm_wide *words = pimdimm_wram(pe), word;

	(void)arg;
	if (pimdimm_tasklet_id(pe) == 1)
		expect_that(pimdimm_wide_read_fe(pe, &words[2], &word) != 0);
	pimdimm_barrier(pe);
}

static void test_deadlock(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct pimdimm *sys = open_threads(TWO_RANKS, "2");
		struct pimdimm_spmd how = one(2, seed);

		wrong = 0;
		assert_refused(pimdimm_spmd(sys, 0, 2, vain_kernel, NULL, &how),
			       EDEADLK,
			       "deadlock, 4 threads wait in vain: PE 0, tasklet ");
		assert_non_null(strstr(pimdimm_errmsg(),
				       "PE 0, tasklet 0 waits at the barrier for tasklet 1"));
		assert_non_null(strstr(pimdimm_errmsg(),
				       "PE 1, tasklet 1 waits for the wide word at byte 64 of its WRAM to be full"));
		assert_refused(pimdimm_spmd(sys, 0, NR_PES, vain_kernel, NULL, &how),
			       EDEADLK, " more");
		assert_int_equal(wrong, 0);
		/* nothing of it is left */
		assert_ok(pimdimm_spmd(sys, 0, NR_PES, many_kernel,
				       &(atomic_uint){ 0 }, &how));
		expect_close(sys);
	}
}

/* PEs 3 to 6 wait for each other in a circle, as a layer above would have it. */
static uint32_t tell_next(const struct pd_wait *wait, char *text, size_t bytes)
{
	uint32_t pe = *(const uint32_t *)(wait + 1);

	snprintf(text, bytes, "waits for PE %u's word", pe);
	return pe;
}

static void circle_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint32_t id = pimdimm_pe_id(pe);
	struct {
		struct pd_wait wait;
		uint32_t pe;
	} w = { { .told = tell_next }, id == 6 ? 3 : id + 1 };

	(void)arg;
	if (id < 7)
		pd_resident_wait(pe, &w.wait);
}

static void test_circle(void **state)
{
	struct pimdimm *sys = open_threads(TWO_RANKS, "2");
	struct pimdimm_spmd how = one(1, 0);

	(void)state;
	assert_refused(pimdimm_spmd(sys, 1, 20, circle_kernel, NULL, &how), EDEADLK,
		       "; a cycle: PE 3 for PE 4 for PE 5 for PE 6 for PE 3");
	assert_non_null(strstr(pimdimm_errmsg(),
			       "6 threads wait in vain: PE 1, tasklet 0 waits for PE 2's word"));
	pimdimm_close(sys);
}

static void not_resident_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimdimm_wide *wide = pimdimm_wram(pe), word = { { 0 } };

	(void)arg;
	pimdimm_yield(pe);
	expect_that(pimdimm_migrate(pe, 1) == -EOPNOTSUPP);
	expect_that(pimdimm_parcel(pe, 1, traveller, NULL, 0) == -EOPNOTSUPP);
	expect_that(pimdimm_wide_write_xf(pe, wide, &word) == -EOPNOTSUPP);
	expect_that(pimdimm_wide_is_full(pe, wide) == -EOPNOTSUPP);
	expect_that(strstr(pimdimm_errmsg(), "pimdimm_launch()") != NULL);
}

static void refused_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint64_t frame[17] = { 0 };

	(void)arg;
	expect_that(pimdimm_migrate(pe, 3) == -EINVAL);
	expect_that(pimdimm_migrate(pe, 64) == -EINVAL);
	expect_that(pimdimm_pe_id(pe) >= 4 && pimdimm_pe_id(pe) < 64);
	expect_that(pimdimm_parcel(pe, 3, traveller, NULL, 0) == -EINVAL);
	expect_that(pimdimm_parcel(pe, 4, NULL, NULL, 0) == -EINVAL);
	expect_that(pimdimm_parcel(pe, 4, traveller, NULL, 8) == -EINVAL);
	expect_that(pimdimm_parcel(pe, 4, traveller, frame, 129) == -EINVAL);
}

static void faulty_traveller(struct pimdimm_pe *pe, void *frame)
{
	struct pimdimm_wide word;

	(void)frame;
	expect_that(pimdimm_wide_read_ff(pe, &word, &word) == -EINVAL);
}

static void faulty_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	if (pimdimm_pe_id(pe) == 9)
		expect_that(!pimdimm_parcel(pe, 7, faulty_traveller, NULL, 0));
	if (pimdimm_pe_id(pe) == 8)
		expect_that(pimdimm_mram_read(pe, 4, pimdimm_wram(pe), 8));
}

static void test_refused(void **state)
{
	struct pimdimm *sys = expect_open();
	struct pimdimm_spmd how = one(2, 0);

	(void)state;
	assert_ok(pimdimm_launch(sys, 0, 4, 2, not_resident_kernel, NULL));
	assert_ok(pimdimm_spmd(sys, 4, 60, refused_kernel, NULL, &how));
	assert_refused(pimdimm_spmd(sys, 0, 60, faulty_kernel, NULL, &how), EFAULT,
		       "PE 7, a parcel's thread: wide_read_ff: wide=");
	assert_refused(pimdimm_spmd(sys, 0, 4, many_kernel, NULL, NULL), EINVAL,
		       "how is NULL");
	how.size--;
	assert_refused(pimdimm_spmd(sys, 0, 4, many_kernel, NULL, &how), EINVAL,
		       "how->size=55, expected 56");
	how.size++;
	how.stack_bytes = 12288;
	assert_refused(pimdimm_spmd(sys, 0, 4, many_kernel, NULL, &how), EINVAL,
		       "how->stack_bytes=12288");
	how.stack_bytes = 0;
	how.reserved = 1;
	assert_refused(pimdimm_spmd(sys, 0, 4, many_kernel, NULL, &how), EINVAL,
		       "how->reserved=1");
	how.reserved = 0;
	how.nr_tasklets = 25;
	assert_refused(pimdimm_spmd(sys, 0, 4, many_kernel, NULL, &how), EINVAL,
		       "nr_tasklets=25");
	how.nr_tasklets = 1;
	assert_refused(pimdimm_spmd(sys, 0, 4, NULL, NULL, &how), EINVAL,
		       "kernel is NULL");
	assert_refused(pimdimm_spmd(sys, 0, 129, many_kernel, NULL, &how), EINVAL,
		       "nr_pes=129");
	assert_ok(pimdimm_spmd(sys, 0, 0, many_kernel, NULL, &how));
	expect_close(sys);
}

/* Waits that the host ends, and parcels that it sends, while it holds the run. */
static struct {
	struct pd_run *run;
	struct pd_wait *waits[16];
	atomic_uint waiting, posted;
	pthread_t thread;
} outside;

static void posted_entry(struct pimdimm_pe *pe, void *frame)
{
	expect_that(*(uint32_t *)frame == pimdimm_pe_id(pe));
	outside.posted++;
}

static void *host_thread(void *arg)
{
	(void)arg;
	while (outside.waiting < 16)
		usleep(100);
	for (uint32_t i = 0; i < 16; i++)
		expect_that(!pd_resident_post(outside.run, i, posted_entry, &i,
					      sizeof(i)));
	for (unsigned i = 0; i < 16; i++)
		pd_resident_wake(NULL, outside.waits[i]);
	pd_resident_release(outside.run);
	return NULL;
}

static void outside_begin(void *ctx, struct pd_run *run)
{
	(void)ctx;
	outside.run = run;
	pd_resident_hold(run);
	assert_int_equal(pthread_create(&outside.thread, NULL, host_thread, NULL), 0);
}

static void outside_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pd_wait wait = { .told = tell_next };

	(void)arg;
	expect_that(pd_resident_run(pe) == outside.run);
	outside.waits[pimdimm_pe_id(pe)] = &wait;
	outside.waiting++;
	pd_resident_wait(pe, &wait);
}

static void test_outside(void **state)
{
	static const struct pd_resident_hooks hooks = { .begin = outside_begin };

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		struct pimdimm *sys = open_threads(TWO_RANKS, "2");
		struct pimdimm_spmd how = one(1, i % 2);

		wrong = 0;
		memset(&outside, 0, sizeof(outside));
		pd_resident_set_hooks(sys, &hooks);
		assert_ok(pimdimm_spmd(sys, 0, 16, outside_kernel, NULL, &how));
		assert_int_equal(pthread_join(outside.thread, NULL), 0);
		assert_int_equal(outside.posted, 16);
		expect_close(sys);
	}
}

/* So far below its stack, which without a guard page is plain memory. */
static void deep_kernel(struct pimdimm_pe *pe, void *arg)
{
	volatile uint8_t here;
	volatile uint8_t *low;
	size_t bytes = *(const size_t *)arg;

	/* the address as a number, so that no compiler sees where it leads */
	low = (volatile uint8_t *)((uintptr_t)&here - bytes);
	if (pimdimm_pe_id(pe) == 5)
		for (size_t i = 0; i < bytes / 2; i += 8)
			low[i] = 1;
}

static int refuse_after = -1;

int __real_mprotect(void *addr, size_t bytes, int prot);
int __wrap_mprotect(void *addr, size_t bytes, int prot);
/* more mappings than the process may have, but for whole ranges */
int __wrap_mprotect(void *addr, size_t bytes, int prot)
{
	if (refuse_after >= 0 && bytes == 65536 && !refuse_after--) {
		refuse_after = 0;
		errno = ENOMEM;
		return -1;
	}
	return __real_mprotect(addr, bytes, prot);
}

static void test_without_guards(void **state)
{
	struct pimdimm *sys = open_threads(TWO_RANKS, "2");
	struct pimdimm_spmd how = one(1, 0);
	size_t bytes = 65536;

	(void)state;
	refuse_after = 10;
	assert_ok(pimdimm_spmd(sys, 0, NR_PES, many_kernel, &(atomic_uint){ 0 },
			       &how));
	refuse_after = -1;
	assert_refused(pimdimm_spmd(sys, 0, NR_PES, deep_kernel, &bytes, &how),
		       EFAULT, "PE 5, tasklet 0: more stack than its 65536 bytes");
	pimdimm_close(sys);
}

/* With guards it ends the process, which is the kernel's. */
static void test_guards(void **state)
{
	struct pimdimm *sys = open_threads(TWO_RANKS, "2");
	struct pimdimm_spmd how = one(1, 0);
	size_t bytes = 2 * 65536 + 4096;
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		/* a handler of a sanitizer's would have much to say of it */
		signal(SIGSEGV, SIG_DFL);
		pimdimm_spmd(sys, 0, NR_PES, deep_kernel, &bytes, &how);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	/* and those that are left are as they were */
	assert_ok(pimdimm_spmd(sys, 0, NR_PES, many_kernel, &(atomic_uint){ 0 },
			       &how));
	pimdimm_close(sys);
}

static void *cancelled_thread(void *arg)
{
	struct pimdimm_spmd how = one(2, 0);
	atomic_uint ran = 0;

	pthread_cancel(pthread_self());
	if (!pimdimm_spmd(arg, 0, NR_PES, many_kernel, &ran, &how) &&
	    ran == 2 * NR_PES)
		wrong++;
	pthread_testcancel();
	return NULL;
}

/* A thread that is cancelled ends after the call. */
static void test_cancelled(void **state)
{
	struct pimdimm *sys = expect_open();
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, cancelled_thread, sys), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(wrong, 1);
	wrong = 0;
	expect_close(sys);
}

/* A child has none of the parent's workers, and runs all itself. */
static void test_forked(void **state)
{
	struct pimdimm *sys = open_threads(TWO_RANKS, "3");
	struct pimdimm_spmd how = one(2, 0);
	int status;
	pid_t pid;

	(void)state;
	assert_ok(pimdimm_spmd(sys, 0, NR_PES, many_kernel, &(atomic_uint){ 0 },
			       &how));
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(pimdimm_spmd(sys, 0, NR_PES, many_kernel,
				   &(atomic_uint){ 0 }, &how) != 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pimdimm_close(sys);
}

#define ONE_WAY	FEW(20000u, 100u)

/* Senders and those who end what was sent are not the same: memory stays bounded. */
static void sink(struct pimdimm_pe *pe, void *frame)
{
	(void)frame;
	++*(uint64_t *)pimdimm_wram(pe);
}

static void one_way_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	for (unsigned i = 0; pimdimm_pe_id(pe) < 4 && i < ONE_WAY; i++) {
		expect_that(!pimdimm_parcel(pe, 4 + pimdimm_pe_id(pe), sink, NULL,
					    0));
		if (i % 16 == 0)
			pimdimm_yield(pe);
	}
}

static void test_one_way(void **state)
{
	struct pimdimm *sys = open_threads(TWO_RANKS, "2");
	struct pimdimm_spmd how = one(1, 0);

	(void)state;
	wrong = 0;
	assert_ok(pimdimm_spmd(sys, 0, 8, one_way_kernel, NULL, &how));
	assert_int_equal(how.hops, 4 * ONE_WAY);
	expect_close(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_parcels),
		cmocka_unit_test(test_order_of_sending),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_launched),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_away),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_without_guards),
		cmocka_unit_test(test_guards),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_forked),
		cmocka_unit_test(test_one_way),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
