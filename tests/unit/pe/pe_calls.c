// SPDX-License-Identifier: MIT
/*
 * What an empty run of a PE costs its host in system calls, each of which takes
 * as long as some hundred instructions and more: to wake the worker, to see that
 * it has parked, and to see what of its memory is there. One more is not seen
 * in results, only in time.
 */
#include <sys/stat.h>
#include <sys/types.h>

#include "tests/unit/pe/pe_unit.h"

#define NR_PES	64
#define ROUNDS	50

static unsigned long calls;

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty_run),
};

UNIT_MAIN(tests)
