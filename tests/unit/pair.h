/* SPDX-License-Identifier: MIT */
/* Two processes of a test that exchange messages; each ends with what it found. */
#ifndef TESTS_PAIR_H
#define TESTS_PAIR_H

#include <dirent.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <pimdimm/messages.h>
#include <pimdimm/types.h>

#include "tests/unit/unit.h"

/* in a process of the two: what must hold, else it ends as having failed */
#define pair_expect(cond)							\
	do {									\
		if (!(cond)) {							\
			printf("# rank %d, %s line %d: %s: %s\n", pair_rank,	\
			       __FILE__, __LINE__, #cond, pimdimm_errmsg());	\
			fflush(stdout);						\
			_exit(1);						\
		}								\
	} while (0)
#define pair_ok(call)	pair_expect((call) == 0)
#define pair_refused(call, err, word)						\
	do {									\
		int pair_ret = (call);						\
										\
		if (pair_ret != -(err) || !strstr(pimdimm_errmsg(), word)) {	\
			printf("# rank %d, %s line %d: %s: %d: %s\n", pair_rank, \
			       __FILE__, __LINE__, #call, pair_ret,		\
			       pimdimm_errmsg());				\
			fflush(stdout);						\
			_exit(1);						\
		}								\
	} while (0)

static int pair_rank;

static inline const struct pimtype *byte(void)
{
	return pimtype_basic(PIMTYPE_BYTE);
}

static inline struct pimmsg_buf memory(void *ptr, uint64_t bytes)
{
	return (struct pimmsg_buf){ .ptr = ptr, .part = { 0, bytes, byte() } };
}

typedef void (*pair_fn)(int socket, const void *arg);

static inline pid_t pair_fork(int rank, int socket, int other, pair_fn fn, const void *arg)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	/* none outlives a test that has gone wrong */
	alarm(900);
	close(other);
	pair_rank = rank;
	fn(socket, arg);
	fflush(stdout);
	_exit(0);
}

static inline int pair_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return status;
}

static inline void pair_start(int type, pair_fn zero, pair_fn one, const void *arg,
			      pid_t pids[2])
{
	int fds[2];

	fflush(stdout);
	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds), 0);
	pids[0] = pair_fork(0, fds[0], fds[1], zero, arg);
	pids[1] = pair_fork(1, fds[1], fds[0], one, arg);
	close(fds[0]);
	close(fds[1]);
}

/* both end by themselves, having found nothing wrong */
static inline void pair_run(int type, pair_fn zero, pair_fn one, const void *arg)
{
	pid_t pids[2];
	int first, second;

	pair_start(type, zero, one, arg, pids);
	first = pair_status(pids[0]);
	second = pair_status(pids[1]);
	if (first || second)
		fail_msg("rank 0 ended with status %#x, rank 1 with %#x", (unsigned int)first,
			 (unsigned int)second);
}

static inline struct pimmsg_end *pair_join(int socket, struct pimdimm *sys)
{
	struct pimmsg_end *end;

	pair_ok(pimmsg_join(socket, pair_rank, sys, &end));
	close(socket);
	return end;
}

/* descriptors and mappings of this process */
static inline unsigned int count_of(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned int n = 0;

	pair_expect(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static inline unsigned int shared_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned int n = 0;

	pair_expect(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "pimdimm-pair") != NULL;
	fclose(f);
	return n;
}

#endif /* TESTS_PAIR_H */
