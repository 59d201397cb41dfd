// SPDX-License-Identifier: MIT
/*
 * The namespaces around the machines have a first process, whose children are the machines'
 * first processes and the command: all of them end with it, and it ends with its parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/machines/door.h"
#include "tools/machines/launchers.h"
#include "tools/machines/machines.h"
#include "tools/machines/namespaces.h"
#include "tools/machines/network.h"
#include "tools/tool.h"

#define SIGNALLED	128

/* The first process of a machine: goes on when it has been connected, then answers. */
static _Noreturn void be_machine(uint32_t number, uint64_t rate, int listener, int parent)
{
	static char variable[32];
	char name[16], byte;
	int ret;

	snprintf(name, sizeof(name), "m%u", number);
	snprintf(variable, sizeof(variable), "PIMDIMM_MACHINE=%s", name);
	if (read(parent, &byte, 1) != 1)
		_exit(MACHINES_FAILED);
	ret = network_arrive(number, rate);
	if (!ret && sethostname(name, strlen(name))) {
		ret = -errno;
		tool_error("sethostname: %s", strerror(errno));
	}
	if (!ret)
		ret = namespaces_settle(LAUNCHERS_FOLDER);
	if (ret || write(parent, "", 1) != 1)
		_exit(MACHINES_FAILED);
	close(parent);
	door_serve(listener, (char *const[]){ variable, NULL });
}

/* One machine is made after the other: what goes wrong is told once. */
static int make_machine(const struct machines *m, uint32_t number)
{
	char path[64], byte = 0;
	int pair[2], listener;
	pid_t pid;

	snprintf(path, sizeof(path), LAUNCHERS_FOLDER "/m%u", number);
	listener = door_open(path);
	if (listener < 0)
		return tool_error("%s: %s", path, strerror(-listener));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return tool_error("socketpair: %s", strerror(errno));
	pid = namespaces_fork();
	if (!pid) {
		close(pair[0]);
		be_machine(number, m->rate, listener, pair[1]);
	}
	close(pair[1]);
	close(listener);
	if (pid < 0)
		namespaces_tell(pid);
	if (pid < 0 || network_connect(number, pid) || write(pair[0], "", 1) != 1 ||
	    read(pair[0], &byte, 1) != 1)
		return TOOL_FAILED;
	close(pair[0]);
	return TOOL_OK;
}

static _Noreturn void become_command(char **command)
{
	execvp(command[0], command);
	tool_error("%s: %s", command[0], strerror(errno));
	_exit(errno == ENOENT ? MACHINES_NOT_FOUND : MACHINES_CANNOT);
}

/* Orphans of the command come to the first process, which waits for them, too. */
static int run_command(char **command)
{
	pid_t pid = fork(), ended;
	int status = 0;

	if (!pid)
		become_command(command);
	if (pid < 0) {
		tool_error("fork: %s", strerror(errno));
		return MACHINES_FAILED;
	}
	do
		ended = wait(&status);
	while (ended != pid && (ended > 0 || errno == EINTR));
	return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static int be_first(const struct machines *m)
{
	if (namespaces_settle(NULL) || launchers_prepare(m->count, m->slots) ||
	    launchers_name_hosts() || network_bridge())
		return MACHINES_FAILED;
	for (uint32_t i = 0; i < m->count; i++) {
		if (make_machine(m, i))
			return MACHINES_FAILED;
	}
	return run_command(m->command);
}

int machines_run(const struct machines *machines)
{
	pid_t pid = namespaces_fork();
	int status;

	if (pid < 0) {
		namespaces_tell(pid);
		return MACHINES_FAILED;
	}
	if (!pid)
		_exit(be_first(machines));
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			tool_error("waitpid: %s", strerror(errno));
			return MACHINES_FAILED;
		}
	}
	return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

int machines_on(const char *machine, char *const words[])
{
	const char *folder = getenv(LAUNCHERS_VARIABLE);
	char path[128];

	if (!folder) {
		tool_error("--on %s: there are no machines around this process; `pimdimm machines` makes them",
			   machine);
		return MACHINES_FAILED;
	}
	snprintf(path, sizeof(path), "%s/%s", folder, machine);
	return door_knock(path, words);
}
