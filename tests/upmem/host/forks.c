// SPDX-License-Identifier: MIT
/*
 * Children after fork(): their ranks are not their parent's. While other threads of their
 * parent allocate and run jobs, they transfer by a set of their own and by their parent's, as
 * jobs and at once, and launch their own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define CHILDREN	40
#define SECONDS		300

static atomic_bool stop;

/* mostly holds the locks of sets, of ranks and of queues */
static void *allocate(void *arg)
{
	struct dpu_set_t set;

	while (!stop) {
		OK(dpu_alloc(1, NULL, &set));
		OK(dpu_sync(set));
		OK(dpu_free(set));
	}
	return arg;
}

static void *run_jobs(void *arg)
{
	struct dpu_set_t set;
	uint64_t word = 7;

	OK(dpu_alloc(64, NULL, &set));
	OK(dpu_load(set, "jobs.dpu", NULL));
	while (!stop) {
		for (int i = 0; i < 8; i++)
			OK(dpu_broadcast_to(set, "word", 0, &word, 8, DPU_XFER_ASYNC));
		OK(dpu_sync(set));
	}
	OK(dpu_free(set));
	return arg;
}

static void there_and_back(struct dpu_set_t set, uint64_t word, dpu_xfer_flags_t flags)
{
	struct dpu_set_t dpu;
	uint64_t back = 0;

	OK(dpu_broadcast_to(set, "word", 0, &word, 8, flags));
	OK(dpu_sync(set));
	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from(dpu, "word", 0, &back, 8));
		CHECK(back == word);
	}
}

static int child(struct dpu_set_t inherited)
{
	struct dpu_set_t own;

	alarm(SECONDS);
	there_and_back(inherited, 11, DPU_XFER_ASYNC);
	there_and_back(inherited, 12, DPU_XFER_DEFAULT);
	OK(dpu_alloc(2, NULL, &own));
	OK(dpu_load(own, "jobs.dpu", NULL));
	there_and_back(own, 13, DPU_XFER_ASYNC);
	OK(dpu_launch(own, DPU_SYNCHRONOUS));
	OK(dpu_free(own));
	/* its parent's workers are not its own */
	FAILS(DPU_ERR_SYSTEM, dpu_launch(inherited, DPU_SYNCHRONOUS));
	return failures != 0;
}

static void tell(int fd)
{
	CHECK(write(fd, "", 1) == 1);
}

static void await(int fd)
{
	char byte;

	CHECK(read(fd, &byte, 1) == 1);
}

/* a set that says, when the other process has one as well, whose word it holds */
static void hold_word(uint64_t word, int has_mine, int other_has)
{
	struct dpu_set_t set, dpu;
	uint64_t back = 0;

	OK(dpu_alloc(64, NULL, &set));
	OK(dpu_load(set, "jobs.dpu", NULL));
	OK(dpu_broadcast_to(set, "word", 0, &word, 8, DPU_XFER_DEFAULT));
	tell(has_mine);
	await(other_has);
	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from(dpu, "word", 0, &back, 8));
		CHECK(back == word);
	}
	OK(dpu_free(set));
}

/* Both take the first rank that is free when they are one, and none has the other's. */
static void take_apart(void)
{
	int to_child[2], to_parent[2], status;
	pid_t pid;

	CHECK(!pipe(to_child) && !pipe(to_parent));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(SECONDS);
		close(to_child[1]);
		close(to_parent[0]);
		hold_word(21, to_parent[1], to_child[0]);
		fflush(stdout);
		_exit(failures != 0);
	}
	close(to_child[0]);
	close(to_parent[1]);
	hold_word(22, to_child[1], to_parent[0]);
	close(to_child[1]);
	close(to_parent[0]);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

int main(void)
{
	struct dpu_set_t set;
	pthread_t threads[2];

	OK(dpu_alloc(3, NULL, &set));
	OK(dpu_load(set, "jobs.dpu", NULL));
	there_and_back(set, 1, DPU_XFER_ASYNC);
	take_apart();
	CHECK(!pthread_create(&threads[0], NULL, allocate, NULL));
	CHECK(!pthread_create(&threads[1], NULL, run_jobs, NULL));
	for (int i = 0; i < CHILDREN && !failures; i++) {
		pid_t pid;
		int status;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			status = child(set);
			fflush(stdout);
			_exit(status);
		}
		CHECK(waitpid(pid, &status, 0) == pid && !status);
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	OK(dpu_free(set));
	return check_result();
}
