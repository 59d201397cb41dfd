// SPDX-License-Identifier: MIT
/* A program may end without dpu_free(), with jobs under way. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int leave(bool busy)
{
	uint64_t loops = 50000000, never = 0xdead;
	struct dpu_set_t set;

	DPU_ASSERT(dpu_alloc(64, NULL, &set));
	DPU_ASSERT(dpu_load(set, "jobs.dpu", NULL));
	DPU_ASSERT(dpu_copy_to(set, "fault_if", 0, &never, 8));
	if (busy)
		DPU_ASSERT(dpu_copy_to(set, "loops", 0, &loops, 8));
	DPU_ASSERT(dpu_launch(set, busy ? DPU_ASYNCHRONOUS : DPU_SYNCHRONOUS));
	return 0;
}

/* in a process of its own; returns how it ended */
static int apart(int what)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		exit(what < 2 ? leave(what) : 9);
	waitpid(pid, &status, 0);
	return status;
}

/* DPU_ASSERT says where and what on standard error, and exits with 1 */
static void assertion(void)
{
	char text[4096] = "", *at = text;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	CHECK(!pipe(fds));
	pid = fork();
	if (!pid) {
		struct dpu_set_t set;

		dup2(fds[1], 2);
		DPU_ASSERT(dpu_alloc(0, NULL, &set));
		exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], at, (size_t)(text + 4095 - at))) > 0)
		at += n;
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE);
	at = strstr(text, "(assertion): DPU Error (dpu allocation error)\n");
	CHECK(at && strstr(at, "nr_dpus=0"));
}

static int checked(void)
{
	int seen = 0;
	struct dpu_set_t set;

	DPU_CHECK(dpu_alloc(0, NULL, &set), seen = 1; goto out);
	return 0;
out:
	return seen;
}

int main(void)
{
	CHECK(apart(0) == 0);
	CHECK(apart(1) == 0);
	assertion();
	fclose(stderr);
	CHECK(checked());
	return check_result();
}
