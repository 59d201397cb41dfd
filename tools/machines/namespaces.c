// SPDX-License-Identifier: MIT
/* Namespaces, made by clone(2): of root's right, or in a user namespace. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/machines/namespaces.h"
#include "tools/tool.h"

#define MEMORY	"/dev/shm"
#define GROUPS	"/sys/fs/cgroup"
#define NAMESPACES (CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC)

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t length = (ssize_t)strlen(text);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)length) != length)
		err = -errno;
	close(fd);
	return err;
}

/* The user stays who it is: files and processes show no other one. */
static int keep_user(uid_t user, gid_t group)
{
	char map[64];
	int ret = write_file("/proc/self/setgroups", "deny");

	snprintf(map, sizeof(map), "%u %u 1", user, user);
	if (!ret || ret == -ENOENT)
		ret = write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", group, group);
	return ret ? ret : write_file("/proc/self/gid_map", map);
}

/* The signal comes when the parent ends; a pipe of its tells whether it has before. */
static int end_with_parent(const int alive[2])
{
	struct pollfd end = { .fd = alive[0], .events = POLLIN };

	close(alive[1]);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	if (poll(&end, 1, 0) > 0)
		_exit(1);
	close(alive[0]);
	return 0;
}

static pid_t clone_process(unsigned long flags)
{
	long pid = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);

	return pid < 0 ? -errno : (pid_t)pid;
}

pid_t namespaces_fork(void)
{
	uid_t user = geteuid();
	gid_t group = getegid();
	bool mapped = false;
	int alive[2], ret;
	pid_t pid;

	if (pipe2(alive, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	pid = clone_process(NAMESPACES);
	if (pid == -EPERM) {
		mapped = true;
		pid = clone_process(NAMESPACES | CLONE_NEWUSER);
	}
	if (pid) {
		/* the write end stays open as long as this process lives */
		close(alive[0]);
		return pid;
	}
	ret = mapped ? keep_user(user, group) : 0;
	if (!ret)
		ret = end_with_parent(alive);
	if (ret) {
		namespaces_tell(ret);
		_exit(TOOL_FAILED);
	}
	return 0;
}

/* Shared memory of its own, in which a folder of the old one is to be seen. */
static int own_memory(const char *keep)
{
	int old = keep ? open(keep, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int ret = mount("tmpfs", MEMORY, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", old);
	if (!ret && keep && (mkdir(keep, 0700) || namespaces_replace(keep, path)))
		ret = -1;
	if (old >= 0)
		close(old);
	return ret;
}

/*
 * The kernel's files as the network namespace has them: UCX looks for devices there. Where
 * that is refused, as in containers that hide some of them, the old ones stay.
 */
static void own_system(void)
{
	int groups = open(GROUPS, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", groups);
	if (!mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) &&
	    groups >= 0)
		mount(path, GROUPS, NULL, MS_BIND | MS_REC, NULL);
	if (groups >= 0)
		close(groups);
}

int namespaces_settle(const char *keep)
{
	const char *what = "/";
	int ret = mount(NULL, what, NULL, MS_REC | MS_PRIVATE, NULL);

	if (!ret) {
		what = "/proc";
		ret = mount("proc", what, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	}
	if (!ret) {
		what = MEMORY;
		ret = own_memory(keep);
	}
	if (!ret) {
		own_system();
		return 0;
	}
	ret = -errno;
	tool_error("the kernel refuses machines a %s of their own: %s", what, strerror(-ret));
	return ret;
}

int namespaces_replace(const char *path, const char *by)
{
	return mount(by, path, NULL, MS_BIND, NULL) ? -errno : 0;
}

void namespaces_tell(int err)
{
	tool_error("the kernel refuses namespaces: %s; root may make them, others where kernel.unprivileged_userns_clone, user.max_user_namespaces and kernel.apparmor_restrict_unprivileged_userns let them",
		   strerror(err < 0 ? -err : err));
}
