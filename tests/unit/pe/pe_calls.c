// SPDX-License-Identifier: MIT
/*
 * What a run of a PE costs its host in system calls, each of which takes as long
 * as some hundred instructions and more: an empty one to wake the worker, to see
 * that it has parked, and to see what of its memory is there; any other one to let
 * go of pages of MRAM that the next PE has no use for. One more is not seen in
 * results, only in time.
 */
#include <sys/stat.h>
#include <sys/types.h>

#include "tests/unit/pe/pe_unit.h"

#define NR_PES	64
#define ROUNDS	50

static unsigned long calls, holes;

long __real_syscall(long nr, long a, long b, long c, long d, long e, long f);
int __real_fstat(int fd, struct stat *st);
off_t __real_lseek(int fd, off_t off, int whence);
int __real_fallocate(int fd, int mode, off_t off, off_t bytes);
int __real_sched_yield(void);

long __wrap_syscall(long nr, long a, long b, long c, long d, long e, long f);
int __wrap_fstat(int fd, struct stat *st);
off_t __wrap_lseek(int fd, off_t off, int whence);
int __wrap_fallocate(int fd, int mode, off_t off, off_t bytes);
int __wrap_sched_yield(void);

static void count(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

long __wrap_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	count();
	return __real_syscall(nr, a, b, c, d, e, f);
}

int __wrap_fstat(int fd, struct stat *st)
{
	count();
	return __real_fstat(fd, st);
}

off_t __wrap_lseek(int fd, off_t off, int whence)
{
	count();
	return __real_lseek(fd, off, whence);
}

int __wrap_fallocate(int fd, int mode, off_t off, off_t bytes)
{
	count();
	__atomic_fetch_add(&holes, 1, __ATOMIC_RELAXED);
	return __real_fallocate(fd, mode, off, bytes);
}

int __wrap_sched_yield(void)
{
	count();
	return __real_sched_yield();
}

/* The least of some launches: a busy machine has brokers look again. */
static void test_empty_run(void **state)
{
	unsigned long least = ~0ul;
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "faults", NR_PES);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		__atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
		assert_ok(pe_unit_run(&u));
		if (calls < least)
			least = calls;
	}
	pe_unit_close(&u);
	printf("# %.2f system calls of the host's a PE\n",
	       (double)least / NR_PES);
	/* wake, wait, see it parked, see what is there; and what an entangled
	 * group costs once */
	assert_in_range(least, 2 * NR_PES, 4 * NR_PES + NR_PES / 2);
}

/* what `window` does, by its number */
enum act { WALK, SWEEP };

/* holes that a launch makes, of PEs that look at a few pages each, the first ones at all */
static unsigned long holes_of_launch(const char *uri, uint32_t sweeping)
{
	struct pe_unit u;

	pe_unit_open(&u, uri, "window", NR_PES);
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		const uint64_t seed = 77 * pe + 5;

		pe_set32(&u, pe, "act", pe < sweeping ? SWEEP : WALK);
		pe_set32(&u, pe, "steps", 2);
		pe_set(&u, pe, "seed", &seed, sizeof(seed));
	}
	__atomic_store_n(&holes, 0, __ATOMIC_RELAXED);
	assert_ok(pe_unit_run(&u));
	pe_unit_close(&u);
	return holes;
}

/* A page that one PE has no use for is kept for the next ones, many side by side are not. */
static void test_pages_kept(void **state)
{
	unsigned long few, many;

	(void)state;
	few = holes_of_launch("mem:ranks=1,mram=64K", 0);
	many = holes_of_launch("mem:ranks=1,mram=1M", 8);
	printf("# %lu holes of PEs that look at some of 16 pages, %lu once 8 look at 256\n", few,
	       many);
	assert_in_range(few, 0, NR_PES / 2);
	assert_in_range(many, NR_PES / 2, 2 * NR_PES);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty_run),
	cmocka_unit_test(test_pages_kept),
};

UNIT_MAIN(tests)
