/* SPDX-License-Identifier: MIT */
/* Children after fork() of a process whose other threads are inside the library. */
#ifndef TESTS_FORKED_H
#define TESTS_FORKED_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"

/* the longest that a child may take before it counts as hanging */
#define FORKED_SECONDS	300

/* what busy() of forked_beside() goes on until */
static _Atomic bool forked_stop;

/* that of the child's first step that failed, 0 if none did */
static inline int forked_step_failed(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGALRM ? -1 : -2;
	return WEXITSTATUS(status);
}

/* children that do what another thread of the parent is doing all the while */
static inline void forked_beside(void *(*busy)(void *), int (*in_child)(void), int children)
{
	pthread_t thread;
	int failed = 0;

	forked_stop = false;
	assert_int_equal(pthread_create(&thread, NULL, busy, NULL), 0);
	for (int i = 0; i < children && !failed; i++) {
		pid_t child = fork();

		if (!child) {
			alarm(FORKED_SECONDS);
			_exit(in_child());
		}
		failed = forked_step_failed(child);
	}
	forked_stop = true;
	pthread_join(thread, NULL);
	assert_int_equal(failed, 0);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORKED_MAIN(tests)							\
	int main(void)								\
	{									\
		(void)tests;							\
		unit_start();							\
		printf("1..0 # SKIP a sanitizer's locks are what they were at the fork\n"); \
		return 0;							\
	}
#else
#define FORKED_MAIN(tests)	UNIT_MAIN(tests)
#endif

#endif /* TESTS_FORKED_H */
