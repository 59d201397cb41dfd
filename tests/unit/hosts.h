/* SPDX-License-Identifier: MIT */
/*
 * Hosts of a test: processes that are forked, and end with what they found. Under the thread
 * sanitizer, which sees one process, hosts of one machine are threads that share each mapping
 * (one_mapping.c).
 */
#ifndef TESTS_HOSTS_H
#define TESTS_HOSTS_H

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <pimdimm/hosts.h>

#include "tests/conformance/sockets.h"
#include "tests/unit/unit.h"

#define HOSTS_TEST_MOST	9
/* long enough for a machine that does much else */
#define HOSTS_PATIENCE	120000

/* in a host: what must hold, else it ends as having failed */
#define host_expect(cond)							\
	do {									\
		if (!(cond)) {							\
			printf("# host, %s line %d: %s: %s\n", __FILE__,	\
			       __LINE__, #cond, pimdimm_errmsg());		\
			fflush(stdout);						\
			_exit(1);						\
		}								\
	} while (0)
#define host_ok(call)	host_expect((call) == 0)

static char hosts_path[64];

/* a path of this test alone, where nothing is */
static inline const char *hosts_meeting(void)
{
	static unsigned int made;

	snprintf(hosts_path, sizeof(hosts_path), "/tmp/pimdimm-test-%d.%u", (int)getpid(), made++);
	return hosts_path;
}

struct hosts_test {
	uint32_t host, hosts, timeout_ms, sockets;
	/* a digit for each host: its machine; NULL: one machine, and no transport */
	const char *machines;
	const void *ctx;
};

static inline struct pimdimm_hosts *hosts_joined(const struct hosts_test *t)
{
	const struct pimdimm_hosts_options options = {
		.size = sizeof(options),
		.timeout_ms = t->timeout_ms ? t->timeout_ms : HOSTS_PATIENCE,
		.sockets = t->sockets,
	};
	struct pimdimm_hosts *h;

	if (t->machines) {
		struct pimdimm_transport transport = sockets_transport(t->host, t->hosts);
		const char name[] = { t->machines[t->host], 0 };

		setenv("PIMDIMM_MACHINE", name, 1);
		host_ok(pimdimm_hosts_from_transport(&transport, &options, &h));
		return h;
	}
	host_ok(pimdimm_hosts_join(hosts_path, t->host, t->hosts, &options, &h));
	return h;
}

/* How often a host is killed at a random moment: as HOSTS_KILLS says, or so often. */
static inline unsigned int hosts_kills(unsigned int usual)
{
	const char *many = getenv("HOSTS_KILLS");
	const unsigned int kills = many ? (unsigned int)atoi(many) : usual;

	assert_true(kills);
	return kills;
}

typedef void (*hosts_fn)(const struct hosts_test *t);

static inline pid_t hosts_fork(hosts_fn fn, const struct hosts_test *t)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	/* none outlives a test that has gone wrong */
	alarm(900);
	fn(t);
	fflush(stdout);
	_exit(0);
}

/* it ended by itself, having found nothing wrong */
static inline bool hosts_ended_well(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		printf("# host ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

#ifdef __SANITIZE_THREAD__
#define HOSTS_ARE_THREADS	1

struct hosts_thread {
	pthread_t id;
	hosts_fn fn;
	struct hosts_test test;
};

static void *hosts_thread(void *arg)
{
	struct hosts_thread *self = arg;

	self->fn(&self->test);
	return NULL;
}

static inline void hosts_run_all(uint32_t hosts, hosts_fn fn, const struct hosts_test *like)
{
	struct hosts_thread threads[HOSTS_TEST_MOST];

	for (uint32_t i = 0; i < hosts; i++) {
		threads[i] = (struct hosts_thread){ .fn = fn, .test = *like };
		threads[i].test.host = i;
		threads[i].test.hosts = hosts;
		assert_int_equal(pthread_create(&threads[i].id, NULL, hosts_thread, &threads[i]), 0);
	}
	for (uint32_t i = 0; i < hosts; i++)
		assert_int_equal(pthread_join(threads[i].id, NULL), 0);
}
#else
#define HOSTS_ARE_THREADS	0

static inline void hosts_run_all(uint32_t hosts, hosts_fn fn, const struct hosts_test *like)
{
	struct hosts_test t = *like;
	pid_t pids[HOSTS_TEST_MOST];
	bool well = true;

	if (t.machines)
		sockets_open(hosts);
	t.hosts = hosts;
	fflush(stdout);
	for (t.host = 0; t.host < hosts; t.host++)
		pids[t.host] = hosts_fork(fn, &t);
	if (t.machines)
		sockets_close(hosts, UINT32_MAX);
	for (uint32_t i = 0; i < hosts; i++)
		well = hosts_ended_well(pids[i]) && well;
	assert_true(well);
}
#endif

/* all hosts run fn() to its end, and nothing is left where they met */
static inline void hosts_run(uint32_t hosts, hosts_fn fn, const struct hosts_test *like)
{
	hosts_meeting();
	hosts_run_all(hosts, fn, like);
	assert_true(access(hosts_path, F_OK) && errno == ENOENT);
}

#endif /* TESTS_HOSTS_H */
