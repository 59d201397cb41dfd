// SPDX-License-Identifier: MIT
/* Starts a program with a pipe for what it prints, and waits for its end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/messages/launch.h"

extern char **environ;

/* 0, or an errno; out: where its output goes, -1: nowhere */
static int start(char *const argv[], int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int ret;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&actions, out, 1);
	else
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

static int wait_for(pid_t pid, char why[LAUNCH_WHY])
{
	int status;

	do {
		/* a launcher ends its processes then */
		if (perf_interrupted())
			kill(pid, SIGTERM);
	} while (waitpid(pid, &status, 0) < 0 && errno == EINTR);
	if (WIFSIGNALED(status)) {
		snprintf(why, LAUNCH_WHY, "its program has failed (signal %d)", WTERMSIG(status));
		return -1;
	}
	snprintf(why, LAUNCH_WHY, "its program has failed (status %d)", WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

/* with its output in the pipe, whose end is closed here */
static int run_piped(char *const argv[], int out, FILE *in, void (*read)(void *ctx, FILE *in),
		     void *ctx, char why[LAUNCH_WHY])
{
	pid_t pid;
	int ret = start(argv, out, &pid);

	if (out >= 0)
		close(out);
	if (ret) {
		snprintf(why, LAUNCH_WHY, "%.80s does not start: %s", argv[0], strerror(ret));
		return -1;
	}
	if (in)
		read(ctx, in);
	return wait_for(pid, why);
}

int launch_run(char *const argv[], void (*read)(void *ctx, FILE *in), void *ctx,
	       char why[LAUNCH_WHY])
{
	int fds[2] = { -1, -1 }, ret;
	FILE *in = NULL;

	if (read) {
		if (pipe2(fds, O_CLOEXEC)) {
			snprintf(why, LAUNCH_WHY, "no pipe to its program: %s", strerror(errno));
			return -1;
		}
		in = fdopen(fds[0], "r");
		if (!in) {
			snprintf(why, LAUNCH_WHY, "no memory to read of its program");
			close(fds[0]);
			close(fds[1]);
			return -1;
		}
	}
	ret = run_piped(argv, fds[1], in, read, ctx, why);
	if (in)
		fclose(in);
	return ret;
}
