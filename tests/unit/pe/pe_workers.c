// SPDX-License-Identifier: MIT
/*
 * Worker processes beside the program that has them: its limits, what it does with
 * signals, numbers of processes that others have later, memory for PEs that wait, processors
 * that both are on.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/base/clock.h"
#include "runtime/pe/process/image.h"
#include "runtime/pe/process/slot.h"
#include "runtime/pe/process/stay.h"
#include "runtime/pe/state.h"
#include "tests/unit/pe/pe_unit.h"

static void limit_files(rlim_t soft)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Files in memory that may not be that long: a sentence, and no SIGXFSZ. */
static void test_file_size(void **state)
{
	struct pimdimm_program *program;
	struct pe_unit u;

	(void)state;
	limit_files(512);
	assert_refused(pd_image_fd(), ENOMEM, "File too large");
	assert_refused(pimdimm_program_open(PE_PROGRAMS "/hello.elf", &program),
		       ENOMEM, "File too large");
	limit_files(RLIM_INFINITY);
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 1);
	limit_files(65536);
	assert_refused(pe_unit_run(&u), ENOMEM, "File too large");
	limit_files(RLIM_INFINITY);
	assert_ok(pe_unit_run(&u));
	pe_unit_close(&u);
}

/* The one process whose parent has that number; 0: none. */
static pid_t find_child(pid_t parent)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	assert_non_null(proc);
	while (!found && (entry = readdir(proc))) {
		char path[300];
		FILE *stat;
		int of = 0;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		stat = atoi(entry->d_name) ? fopen(path, "r") : NULL;
		if (!stat)
			continue;
		if (fscanf(stat, "%*d (%*[^)]) %*c %d", &of) == 1 &&
		    of == parent)
			found = atoi(entry->d_name);
		fclose(stat);
	}
	closedir(proc);
	return found;
}

/* Who ignores SIGCHLD leaves that to its children, and learns nothing of theirs. */
static void test_sigchld(void **state)
{
	const uint64_t exit_group[] = { SYS_exit_group, 3 };
	const uint32_t system_call = 3;
	struct pe_unit u;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	pe_unit_open(&u, "mem:ranks=1,mram=256K", "hostile", 1);
	pe_set32(&u, 0, "act", system_call);
	pe_set(&u, 0, "arg", exit_group, sizeof(exit_group));
	assert_refused(pe_unit_run(&u), EFAULT, "ended with status 3");
	pe_unit_close(&u);
	signal(SIGCHLD, SIG_DFL);
}

static bool is_there(pid_t pid)
{
	return !kill(pid, 0);
}

/* A process of that number, which does nothing; false: it cannot be had. */
static bool take_number(pid_t number)
{
	for (int i = 0; i < 100; i++) {
		FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
		bool set = last && fprintf(last, "%d", number - 1) > 0;
		pid_t pid;

		if ((last && fclose(last)) || !set)
			return false;
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			pause();
			_exit(0);
		}
		if (pid == number)
			return true;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return false;
}

/* A keeper was killed, its worker with it, and another process has that's number. */
static void test_number(void **state)
{
	struct pe_unit u;
	pid_t keeper, worker;

	(void)state;
	setenv("PIMDIMM_THREADS", "1", 1);
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 1);
	unsetenv("PIMDIMM_THREADS");
	assert_ok(pe_unit_run(&u));
	keeper = find_child(getpid());
	assert_true(keeper > 0);
	worker = find_child(keeper);
	assert_true(worker > 0);
	assert_int_equal(kill(keeper, SIGKILL), 0);
	for (int i = 0; i < 5000 && is_there(worker); i++)
		usleep(1000);
	if (is_there(worker) || !take_number(worker)) {
		pe_unit_close(&u);
		unit_skip("the worker's number cannot be had");
	}
	pe_unit_close(&u);
	assert_int_equal(waitpid(worker, NULL, WNOHANG), 0);
	assert_int_equal(kill(worker, SIGKILL), 0);
	assert_int_equal(waitpid(worker, NULL, 0), worker);
}

static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stat = fopen(path, "r");
	assert_non_null(stat);
	assert_int_equal(fscanf(stat, "%*d (%*[^)]) %c", &state), 1);
	fclose(stat);
	return state;
}

static void *let_go(void *worker)
{
	sleep(2);
	assert_int_equal(kill(*(pid_t *)worker, SIGCONT), 0);
	return NULL;
}

/* A worker that somebody has stopped, as one does a whole machine, may park later. */
static void test_stopped(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	struct pimdimm_program *program = pe_program("hello");
	struct pd_nursery *nursery;
	struct pd_slot *slot;
	pthread_t thread;
	pid_t worker;

	(void)state;
	assert_ok(pd_nursery_create(&nursery));
	assert_ok(pd_slot_create(sys, nursery, &slot));
	assert_ok(pd_slot_take(slot, program));
	worker = find_child(find_child(getpid()));
	assert_true(worker > 0);
	/* whoever is stopped waits on no futex, until it goes on */
	assert_int_equal(kill(worker, SIGSTOP), 0);
	while (state_of(worker) != 'T')
		sched_yield();
	assert_int_equal(pthread_create(&thread, NULL, let_go, &worker), 0);
	assert_true(pd_slot_parked(slot));
	assert_int_equal(pthread_join(thread, NULL), 0);
	pd_slot_end_worker(slot);
	pd_slot_destroy(slot);
	pd_nursery_destroy(nursery);
	pimdimm_program_close(program);
	pimdimm_close(sys);
}

#define MAX_STAYS	4096

/* What is kept of PEs that wait has an end, all of them together. */
static void test_stays(void **state)
{
	static struct pd_stay *stays[MAX_STAYS];
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	struct pd_slot *slot;
	uint32_t n = 0;

	(void)state;
	assert_ok(pd_slot_create(sys, NULL, &slot));
	slot->arena.shared->alive = UINT32_MAX;
	for (uint32_t t = 0; t < PE_PLACES; t++)
		slot->arena.shared->tasklets[t].sp = PE_STACK_TOP(t) - 15000;
	while (n < MAX_STAYS && (stays[n] = pd_stay_save(&slot->arena)))
		n++;
	assert_in_range(n, 400, 600);
	pd_stay_free(stays[--n]);
	stays[n] = pd_stay_save(&slot->arena);
	assert_non_null(stays[n]);
	assert_null(pd_stay_save(&slot->arena));
	while (n != UINT32_MAX)
		pd_stay_free(stays[n--]);
	pd_slot_destroy(slot);
	pimdimm_close(sys);
}

static cpu_set_t cpus_of(pid_t task)
{
	cpu_set_t cpus;

	assert_int_equal(sched_getaffinity(task, sizeof(cpus), &cpus), 0);
	return cpus;
}

/* A worker is where it was woken from; not for long, if it runs on. */
static void test_near(void **state)
{
	cpu_set_t before = cpus_of(0), cpus;
	struct pe_unit u;
	struct pd_slot *slot;
	pid_t worker;

	(void)state;
	if (CPU_COUNT(&before) == 1)
		unit_skip("on one processor all are near");
	setenv("PIMDIMM_THREADS", "1", 1);
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 1);
	unsetenv("PIMDIMM_THREADS");
	assert_ok(pe_unit_run(&u));
	cpus = cpus_of(0);
	assert_true(CPU_EQUAL(&cpus, &before));
	worker = find_child(find_child(getpid()));
	assert_true(worker > 0);
	assert_ok(pd_slot_borrow(u.sys, u.program, &slot));
	assert_true(slot->near.known && !slot->near.refused);
	pd_near_follow(&slot->near, slot->child);
	cpus = cpus_of(worker);
	assert_int_equal(CPU_COUNT(&cpus), 1);
	assert_int_equal(pd_slot_wait(slot, pd_now_ns() + PD_NEAR_NS / 2), PD_WAIT_TIMEOUT);
	cpus = cpus_of(worker);
	assert_int_equal(CPU_COUNT(&cpus), 1);
	/* whoever wakes too late has no time left to let it go */
	for (int i = 0; i < 1000 && slot->near.kept; i++)
		assert_int_equal(pd_slot_wait(slot, pd_now_ns() + 5 * PD_NEAR_NS), PD_WAIT_TIMEOUT);
	cpus = cpus_of(worker);
	assert_true(CPU_EQUAL(&cpus, &before));
	pd_slot_return(u.sys, slot);
	pe_unit_close(&u);
}

/* A thread that is held gets back what it had, but for what it was told meanwhile. */
static void test_still(void **state)
{
	cpu_set_t before = cpus_of(0), cpus, other;
	struct pd_still still = { 0 };

	(void)state;
	if (CPU_COUNT(&before) == 1)
		unit_skip("on one processor all are held");
	pd_still_hold(&still);
	cpus = cpus_of(0);
	assert_int_equal(CPU_COUNT(&cpus), 1);
	pd_still_end(&still);
	cpus = cpus_of(0);
	assert_true(CPU_EQUAL(&cpus, &before));

	pd_still_hold(&still);
	cpus = cpus_of(0);
	CPU_XOR(&other, &before, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(other), &other), 0);
	pd_still_end(&still);
	cpus = cpus_of(0);
	assert_true(CPU_EQUAL(&cpus, &other));
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);

	/* it may move at times */
	pd_still_hold(&still);
	still.since = 0;
	pd_still_hold(&still);
	cpus = cpus_of(0);
	assert_true(CPU_EQUAL(&cpus, &before));
	pd_still_hold(&still);
	cpus = cpus_of(0);
	assert_int_equal(CPU_COUNT(&cpus), 1);
	pd_still_end(&still);
}

struct watched {
	pid_t caller;
	uint32_t over;
	bool held;
};

/* Ends the launch when its caller is seen to be on one processor alone, or never is. */
static void *watch_caller(void *arg)
{
	struct watched *w = arg;

	for (int i = 0; i < 100000 && !w->held; i++) {
		cpu_set_t cpus = cpus_of(w->caller);

		w->held = CPU_COUNT(&cpus) == 1;
		usleep(100);
	}
	__atomic_store_n(&w->over, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The one thread that enters PEs is held until they have run. */
static void test_caller_still(void **state)
{
	const uint32_t for_ever = 5;
	cpu_set_t before = cpus_of(0), after;
	struct watched w = { .caller = (pid_t)syscall(SYS_gettid) };
	struct pe_unit u;
	pthread_t thread;

	(void)state;
	if (CPU_COUNT(&before) == 1)
		unit_skip("on one processor all are held");
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hostile", 1);
	pe_set32(&u, 0, "act", for_ever);
	u.run.over = &w.over;
	assert_int_equal(pthread_create(&thread, NULL, watch_caller, &w), 0);
	assert_refused(pe_unit_run(&u), EFAULT, "PE 0");
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(w.held);
	after = cpus_of(0);
	assert_true(CPU_EQUAL(&after, &before));
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	/* first: the worker's image is made once */
	cmocka_unit_test(test_file_size),
	cmocka_unit_test(test_sigchld),
	cmocka_unit_test(test_number),
	cmocka_unit_test(test_stopped),
	cmocka_unit_test(test_stays),
	cmocka_unit_test(test_near),
	cmocka_unit_test(test_still),
	cmocka_unit_test(test_caller_still),
};

UNIT_MAIN(tests)
