// SPDX-License-Identifier: MIT
/* `perf --suite messages`: parcels that are lost, a process that has ended, and sorts. */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tools/perf/suites/messages/hops.h"
#include "tools/perf/suites/messages/sorts/sorts_mpi.h"
#include "tools/perf/suites/messages/sorts/sorts_x86.h"
#include "tools/tool.h"

#define PATIENCE	300	/* seconds */

/* what happens to the two processes of hand-overs, as soon as there are two */
static enum { BOTH_LIVE, PARENT_ENDS, CHILD_ENDS } fate;
static pid_t *forked;	/* in memory that they share */

pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __real_pimdimm_wram_read(struct pimdimm *sys, uint32_t pe, uint32_t off, void *buf, size_t n);
int __wrap_pimdimm_wram_read(struct pimdimm *sys, uint32_t pe, uint32_t off, void *buf, size_t n);

pid_t __wrap_fork(void)
{
	pid_t pid = __real_fork();

	if (pid <= 0 || fate == BOTH_LIVE)
		return pid;
	*forked = pid;
	if (fate == PARENT_ENDS)
		_exit(0);
	kill(pid, SIGKILL);
	return pid;
}

/* PE 1 has lost what it got */
int __wrap_pimdimm_wram_read(struct pimdimm *sys, uint32_t pe, uint32_t off, void *buf, size_t n)
{
	int ret = __real_pimdimm_wram_read(sys, pe, off, buf, n);

	if (pe == 1)
		memset(buf, 0, n);
	return ret;
}

/* what is said meanwhile */
static char *said_by(int (*measure)(double *ns), double *ns, int *ret)
{
	char *said = NULL;
	size_t length;
	FILE *to = open_memstream(&said, &length);

	assert_non_null(to);
	tool_messages_to(to);
	*ret = measure(ns);
	tool_messages_to(NULL);
	fclose(to);
	return said;
}

static int around_two(double *ns)
{
	return hops_around(2, ns);
}

static int among_eight(double *ns)
{
	return hops_rate(8, ns);
}

static void lost_parcels(void **state)
{
	double ns = -1;
	char *said;
	int ret;

	(void)state;
#ifndef __x86_64__
	unit_skip("programs of PEs are for x86-64");
#endif
	said = said_by(around_two, &ns, &ret);
	assert_int_equal(ret, TOOL_FAILED);
	/* every other hop goes there */
	assert_string_equal(said, "pimdimm: hops among 2 PEs: 2250 parcels came, expected 4500\n");
	free(said);
	said = said_by(among_eight, &ns, &ret);
	assert_int_equal(ret, TOOL_FAILED);
	assert_string_equal(said, "pimdimm: hops among 8 PEs: 6300 parcels came, expected 7200\n");
	free(said);
	assert_true(ns == -1);
}

static void other_process_ends(void **state)
{
	double ns = -1;
	char *said;
	int ret;

	(void)state;
	fate = CHILD_ENDS;
	alarm(PATIENCE);
	said = said_by(hops_futex, &ns, &ret);
	alarm(0);
	fate = BOTH_LIVE;
	assert_int_equal(ret, TOOL_FAILED);
	assert_string_equal(said, "pimdimm: hand-overs by a futex: the other process has ended\n");
	free(said);
	assert_true(ns == -1);
	assert_int_equal(waitpid(*forked, NULL, WNOHANG), -1);
	assert_int_equal(hops_futex(&ns), TOOL_OK);
	assert_true(ns > 0);
}

/* It becomes a child of this process, which can wait for it. */
static void measuring_process_ends(void **state)
{
	const struct timespec pause = { 0, 10000000 };
	pid_t pid, ended = 0;
	double ns;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = __real_fork();
	if (!pid) {
		fate = PARENT_ENDS;
		hops_futex(&ns);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(*forked > 0);
	for (int i = 0; i < PATIENCE * 100 && !ended; i++) {
		ended = waitpid(*forked, NULL, WNOHANG);
		nanosleep(&pause, NULL);
	}
	if (!ended)
		kill(*forked, SIGKILL);
	assert_int_equal(ended, *forked);
}

static void sorts(void **state)
{
	(void)state;
	assert_int_equal(message_sort_of_kernels("collectives/messages/memory.c", "take_hole"),
			 MESSAGE_STATE);
	assert_int_equal(message_sort_of_kernels("./string/../sysdeps/x86_64/memcpy.S", "memcpy"),
			 MESSAGE_COPIES);
	assert_int_equal(message_sort_of_kernels("./nptl/pthread_cond_wait.c", "x"),
			 MESSAGE_NETWORK);
}

static void sorts_of_mpi(void **state)
{
	(void)state;
	assert_int_equal(message_sort_of_mpi("/lib/libmpi.so.40", "PMPI_Send"), MESSAGE_CHECKS);
	assert_int_equal(message_sort_of_mpi("/lib/mca_pml_ob1.so", "mca_pml_ob1_irecv"),
			 MESSAGE_STATE);
	/* of what looks for events again and again */
	assert_int_equal(message_sort_of_mpi("/lib/libc.so.6", "poll"), MESSAGE_NETWORK);
	assert_int_equal(message_sort_of_mpi("/lib/libc.so.6", "clock_gettime@@GLIBC_2.17"),
			 MESSAGE_NETWORK);
	/* names that nobody has written down, and an address in a build that nobody knows */
	assert_int_equal(message_sort_of_mpi("/lib/mca_pml_ob1.so", "merge"), MESSAGE_UNSORTED);
	assert_int_equal(message_sort_of_mpi("/lib/libmpich.so.12", "merge"), MESSAGE_UNSORTED);
	assert_int_equal(message_sort_of_mpi("/lib/libucp.so.0", "merge"), MESSAGE_UNSORTED);
	assert_int_equal(message_sort_of_mpi("/nowhere/libmpich.so.12", "0x0000000000293470"),
			 MESSAGE_UNSORTED);
	assert_int_equal(message_sort_of_mpi("/proc/self/cmdline/mca_pml_ob1.so", "0x10190"),
			 MESSAGE_UNSORTED);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lost_parcels),
	cmocka_unit_test(other_process_ends),
	cmocka_unit_test(measuring_process_ends),
	cmocka_unit_test(sorts),
	cmocka_unit_test(sorts_of_mpi),
};

int main(void)
{
	unit_start();
	forked = mmap(NULL, sizeof(*forked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
