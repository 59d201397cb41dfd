// SPDX-License-Identifier: MIT
/* A process that opens rank 0 as soon as its node appears. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/opener.h"

enum { RESTS, GOES, STARTS };

/* In memory that both processes share. */
struct opener {
	pid_t pid;
	_Atomic int order, state;
	atomic_bool seen, opened;
};

static void try_to_open(struct opener *opener, int *fd)
{
	if (*fd >= 0)
		return;
	*fd = open("/dev/pimdimm0", O_RDWR | O_CLOEXEC);
	if (*fd >= 0)
		opener->opened = true;
	if (*fd >= 0 || errno != ENOENT)
		opener->seen = true;
}

static void run_opener(struct opener *opener)
{
	int fd = -1;

	for (;;) {
		int order = opener->order;

		if (order == GOES) {
			try_to_open(opener, &fd);
		} else if (fd >= 0) {
			close(fd);
			fd = -1;
		}
		opener->state = order;
		if (order == RESTS)
			usleep(100);
		else
			sched_yield();
	}
}

static void order(struct opener *opener, int what)
{
	opener->order = what;
	while (opener->state != what) {
		ASSERT_EQ(0, waitpid(opener->pid, NULL, WNOHANG));
		usleep(100);
	}
}

struct opener *opener_start(void)
{
	struct opener *opener = mmap(NULL, sizeof(*opener),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	pid_t pid;

	ASSERT_TRUE(opener != MAP_FAILED);
	opener->state = STARTS;
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		run_opener(opener);
	opener->pid = pid;
	order(opener, RESTS);
	return opener;
}

void opener_go(struct opener *opener)
{
	opener->seen = opener->opened = false;
	order(opener, GOES);
}

bool opener_rest(struct opener *opener, bool *seen)
{
	order(opener, RESTS);
	*seen = opener->seen;
	return opener->opened;
}

void opener_end(struct opener *opener)
{
	ASSERT_EQ(0, kill(opener->pid, SIGKILL));
	ASSERT_EQ(opener->pid, waitpid(opener->pid, NULL, 0));
	munmap(opener, sizeof(*opener));
}
