// SPDX-License-Identifier: MIT
/* Launches: what they keep, what they refuse, several at once. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/unit/pe/pe_image.h"
#include "tests/unit/pe/pe_unit.h"

#define BYTES 2048

static void put_input(struct pe_unit *u, uint32_t pe, uint64_t salt)
{
	uint64_t words[BYTES / 8];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = salt * 1000 + pe * 7 + i;
	assert_ok(pimdimm_write(u->sys, pe, 0, words, sizeof(words)));
}

/* what tests/unit/pe/programs/hello.c makes of it */
static bool right(struct pe_unit *u, uint32_t pe, uint64_t salt)
{
	uint64_t words[BYTES / 8];

	assert_ok(pimdimm_read(u->sys, pe, BYTES, words, sizeof(words)));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (words[i] != 3 * (salt * 1000 + pe * 7 + i) + pe)
			return false;
	}
	return true;
}

static void check_seen(struct pe_unit *u, uint32_t pe)
{
	uint32_t seen[4];

	pe_get(u, pe, "seen", seen, sizeof(seen));
	assert_int_equal(seen[0], pe);
	assert_int_equal(seen[1], pe % 8);
	assert_int_equal(seen[2], pimdimm_geometry(u->sys)->mram_size);
	assert_int_equal(seen[3], 1);
}

static void test_launch(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unit_uris); i++) {
		struct pe_unit u;

		pe_unit_open(&u, unit_uris[i], "hello", PE_UNIT_MAX);
		for (uint64_t round = 0; round < 3; round++) {
			for (uint32_t pe = 0; pe < PE_UNIT_MAX; pe++)
				put_input(&u, pe, round);
			assert_ok(pe_unit_run(&u));
			assert_int_equal(u.run.dma_bytes,
					 PE_UNIT_MAX * 2 * BYTES);
			for (uint32_t pe = 0; pe < PE_UNIT_MAX; pe++)
				assert_true(right(&u, pe, round));
		}
		check_seen(&u, 0);
		check_seen(&u, 77);
		pe_unit_close(&u);
	}
}

/* globals keep their values over launches, and a load sets them anew */
static void test_state(void **state)
{
	const uint32_t first = 0;
	struct pe_unit u;
	uint64_t runs;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 9);
	for (uint64_t i = 1; i <= 3; i++) {
		assert_ok(pe_unit_run(&u));
		pe_get(&u, 8, "runs", &runs, 8);
		assert_int_equal(runs, i);
	}
	runs = 100;
	pe_set(&u, 8, "runs", &runs, 8);
	assert_ok(pimdimm_load(u.sys, &first, 1, u.program));
	assert_ok(pe_unit_run(&u));
	pe_get(&u, 8, "runs", &runs, 8);
	assert_int_equal(runs, 101);
	pe_get(&u, 0, "runs", &runs, 8);
	assert_int_equal(runs, 1);
	pe_get(&u, 1, "runs", &runs, 8);
	assert_int_equal(runs, 4);
	pe_unit_close(&u);
}

static void test_refused(void **state)
{
	static const uint32_t twice[] = { 1, 2, 1 };
	static const uint32_t none[] = { 0, 20 };
	static const uint32_t beyond[] = { 64 };
	struct pe_unit u;
	uint64_t word = 0;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 8);
	assert_refused(pimdimm_run(u.sys, twice, 3, NULL), EINVAL, "twice");
	assert_refused(pimdimm_run(u.sys, none, 2, NULL), ENOEXEC,
		       "no program");
	assert_refused(pimdimm_run(u.sys, beyond, 1, NULL), EINVAL,
		       "pes[0]=64");
	assert_refused(pimdimm_run(NULL, none, 1, NULL), EINVAL, "sys");
	assert_refused(pimdimm_run(u.sys, NULL, 1, NULL), EINVAL, "pes");
	u.run.size = 1;
	assert_refused(pe_unit_run(&u), EINVAL, "size");
	u.run.size = sizeof(u.run);
	assert_refused(pimdimm_wram_write(u.sys, 20, 0, &word, 8), ENOEXEC,
		       "PE 20");
	assert_refused(pimdimm_wram_read(u.sys, 0, 65532, &word, 8), EINVAL,
		       "65532");
	assert_refused(pimdimm_wram_write(u.sys, 0, 65537, &word, 0), EINVAL,
		       "65537");
	assert_ok(pimdimm_wram_write(u.sys, 0, 65528, &word, 8));
	assert_refused(pimdimm_load(u.sys, beyond, 1, u.program), EINVAL,
		       "pes[0]=64");
	assert_refused(pimdimm_load(u.sys, none, 1, NULL), EINVAL, "program");
	assert_refused(pimdimm_load(u.sys, twice, 3, u.program), EINVAL,
		       "pes[2]=1 is there twice");
	setenv("PIMDIMM_WATCHDOG", "soon", 1);
	assert_refused(pe_unit_run(&u), EINVAL, "PIMDIMM_WATCHDOG");
	unsetenv("PIMDIMM_WATCHDOG");
	/* none of it left a PE claimed */
	assert_ok(pimdimm_run(u.sys, u.pes, 8, NULL));
	assert_ok(pimdimm_run(u.sys, NULL, 0, NULL));
	pe_unit_close(&u);
}

/* another program in some PEs of a group; a program outlives its handle */
static void test_two_programs(void **state)
{
	static const uint32_t some[] = { 2, 5, 6 };
	struct pimdimm_program *other;
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 16);
	other = pe_program("faults");
	assert_ok(pimdimm_load(u.sys, some, 3, other));
	pimdimm_program_close(other);
	for (uint32_t pe = 0; pe < 16; pe++)
		put_input(&u, pe, 5);
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < 16; pe++)
		assert_int_equal(right(&u, pe, 5), pe != 2 && pe != 5 && pe != 6);
	pe_unit_close(&u);
}

struct launcher {
	struct pe_unit *u;
	uint32_t pes[12];
	uint32_t nr_pes;
	int wrong;
};

static void *launch_often(void *arg)
{
	struct launcher *l = arg;

	for (uint64_t round = 0; round < 10; round++) {
		for (uint32_t i = 0; i < l->nr_pes; i++)
			put_input(l->u, l->pes[i], round);
		l->wrong += pimdimm_run(l->u->sys, l->pes, l->nr_pes, NULL) != 0;
		for (uint32_t i = 0; i < l->nr_pes; i++)
			l->wrong += !right(l->u, l->pes[i], round);
	}
	return NULL;
}

/* PEs dealt out so that every group has some of each thread's */
static void test_threads(void **state)
{
	struct launcher launchers[4] = { 0 };
	pthread_t threads[4];
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 48);
	for (uint32_t t = 0; t < 4; t++) {
		launchers[t].u = &u;
		launchers[t].nr_pes = 12;
		for (uint32_t i = 0; i < 12; i++)
			launchers[t].pes[i] = 4 * i + t;
		assert_int_equal(pthread_create(&threads[t], NULL, launch_often,
						&launchers[t]), 0);
	}
	for (uint32_t t = 0; t < 4; t++) {
		pthread_join(threads[t], NULL);
		assert_int_equal(launchers[t].wrong, 0);
	}
	pe_unit_close(&u);
}

static void *launch_once(void *arg)
{
	struct pe_unit *u = arg;

	pe_unit_run(u);
	return NULL;
}

/* a PE that runs is busy; it does not end, so there is time to see it */
static void test_busy(void **state)
{
	const uint32_t pe = 1;
	uint32_t over = 0;
	uint64_t word;
	struct pe_unit u;
	pthread_t thread;
	int ret = 0;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "tasklets", 8);
	pe_set32(&u, 1, "act", 6);
	/* until the other part of the launch, which is here, says that it is over */
	u.run.timeout_ms = 60000;
	u.run.over = &over;
	assert_int_equal(pthread_create(&thread, NULL, launch_once, &u), 0);
	for (int i = 0; i < 30000 && !ret; i++) {
		ret = pimdimm_wram_read(u.sys, pe, 0, &word, 8);
		usleep(1000);
	}
	assert_int_equal(ret, -EBUSY);
	assert_refused(pimdimm_run(u.sys, &pe, 1, NULL), EBUSY, "PE 1 runs");
	assert_refused(pimdimm_load(u.sys, &pe, 1, u.program), EBUSY, "PE 1");
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_non_null(strstr(u.run.first.text, "were stopped"));
	pe_unit_close(&u);
}

static volatile sig_atomic_t signals;

static void on_child(int sig)
{
	(void)sig;
	signals++;
}

/* Workers are nobody's business: wait() and SIGCHLD are the program's own. */
static void test_unseen(void **state)
{
	struct sigaction action = { .sa_handler = on_child }, old;
	struct pe_unit u;
	pid_t pid;
	int status;

	(void)state;
	sigaction(SIGCHLD, &action, &old);
	signals = 0;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "faults", 16);
	pe_set32(&u, 0, "act", 10);
	assert_int_equal(pe_unit_run(&u), -EFAULT);
	assert_int_equal(wait(&status), -1);
	assert_int_equal(errno, ECHILD);
	pid = fork();
	if (!pid)
		_exit(pe_unit_run(&u) == -EAGAIN ? 42 : 1);
	assert_int_equal(wait(&status), pid);
	assert_int_equal(WEXITSTATUS(status), 42);
	assert_int_equal(signals, 1);
	pe_unit_close(&u);
	assert_int_equal(signals, 1);
	sigaction(SIGCHLD, &old, NULL);
}

/* What the program closes is closed, though a worker was started before. */
static void test_descriptors(void **state)
{
	struct pe_unit u;
	int pipes[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 16);
	assert_ok(pe_unit_run(&u));
	close(pipes[1]);
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 1000 && read(pipes[0], &byte, 1) < 0; i++)
		usleep(1000);
	assert_int_equal(read(pipes[0], &byte, 1), 0);
	close(pipes[0]);
	pe_unit_close(&u);
}

/* A program that just ends, or is killed, leaves nobody behind. */
static void orphans(bool kill_it)
{
	pid_t pid = fork();
	int left = -1;

	if (!pid) {
		struct pe_unit u;

		pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 16);
		assert_ok(pe_unit_run(&u));
		if (kill_it)
			raise(SIGKILL);
		_exit(0);
	}
	/* whoever loses its parent becomes ours */
	for (int i = 0; i < 5000 && left; i++) {
		left = waitpid(-1, NULL, __WALL | WNOHANG);
		left = left < 0 && errno == ECHILD ? 0 : -1;
		usleep(1000);
	}
	assert_int_equal(left, 0);
}

static void test_orphans(void **state)
{
	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	orphans(false);
	orphans(true);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

static uint64_t cycles_of(const char *cost)
{
	uint64_t cycles = 0;
	int pipes[2], status;

	assert_int_equal(pipe(pipes), 0);
	if (!fork()) {
		struct pe_unit u;

		if (cost)
			setenv("PIMDIMM_COST", cost, 1);
		pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 8);
		assert_ok(pe_unit_run(&u));
		if (write(pipes[1], &u.run.cycles, 8) != 8)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(pipes[0], &cycles, 8), 8);
	assert_int_not_equal(wait(&status), -1);
	close(pipes[0]);
	close(pipes[1]);
	return cycles;
}

/* two transfers of 2 KiB, and parameters of one's own */
static void test_cost(void **state)
{
	char path[] = "/tmp/pimdimm-cost-XXXXXX";
	const char text[] = "# slower\ndma_read_cycles = 1000\n"
			    "dma_write_byte_millicycles=2000 # each\n\n";
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(cycles_of(NULL), 55 + 39 + 2129);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(cycles_of(path), 1000 + 1064 + 39 + 4096);
	unlink(path);
	assert_int_equal(cycles_of("450mhz"), 59 + 43 + 2129);
	assert_int_equal(cycles_of("450mhz,dma_write_cycles=100,dma_write_byte_millicycles=250"),
			 59 + 1064 + 100 + 512);
}

static void *open_and_run(void *arg)
{
	struct pe_unit *u = arg;
	const uint32_t pe = 0;

	pthread_cancel(pthread_self());
	u->program = pe_program("hello");
	assert_ok(pimdimm_load(u->sys, &pe, 1, u->program));
	assert_ok(pimdimm_run(u->sys, &pe, 1, NULL));
	u->nr_pes = 1;
	pthread_testcancel();
	return NULL;
}

struct opened {
	struct pe_image image;
	struct pimdimm_program *program;
};

static void *open_image(void *arg)
{
	struct opened *o = arg;

	pthread_cancel(pthread_self());
	assert_ok(pimdimm_program_open_memory(o->image.bytes, o->image.size, &o->program));
	pthread_testcancel();
	return NULL;
}

/* A thread that is cancelled meanwhile ends after its calls. */
static void test_cancelled(void **state)
{
	struct pe_unit u = { .sys = unit_open("mem:ranks=1,mram=64K") };
	struct opened o = { .image = pe_image_read("hello") };
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, open_and_run, &u), 0);
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(u.nr_pes, 1);
	pimdimm_close(u.sys);
	pimdimm_program_close(u.program);
	assert_int_equal(pthread_create(&thread, NULL, open_image, &o), 0);
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_non_null(o.program);
	pimdimm_program_close(o.program);
	free(o.image.bytes);
}

static long page_bytes;		/* that the kernel is said to have; 0: what it has */

long __real_sysconf(int name);
long __wrap_sysconf(int name);

long __wrap_sysconf(int name)
{
	return name == _SC_PAGESIZE && page_bytes ? page_bytes : __real_sysconf(name);
}

static void test_large_pages(void **state)
{
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 8);
	page_bytes = 16384;
	assert_refused(pe_unit_run(&u), EOPNOTSUPP, "pages have 16384 bytes");
	page_bytes = 0;
	assert_ok(pe_unit_run(&u));
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	/* before anything: a process reads its parameters once */
	cmocka_unit_test(test_cost),
	cmocka_unit_test(test_orphans),
	cmocka_unit_test(test_descriptors),
	cmocka_unit_test(test_launch),
	cmocka_unit_test(test_state),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_large_pages),
	cmocka_unit_test(test_two_programs),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_busy),
	cmocka_unit_test(test_unseen),
	cmocka_unit_test(test_cancelled),
};

UNIT_MAIN(tests)
