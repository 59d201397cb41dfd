// SPDX-License-Identifier: MIT
/* Opens the socket that hosts meet at, under a lock, so that one of them listens. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "collectives/hosts/meet_door.h"

#define DOOR_PAUSE_US	2000

struct door {
	struct sockaddr_un address;
	char lock[sizeof(((struct sockaddr_un *)0)->sun_path) + 8];
	int lock_fd;
};

static int door_name(struct door *door, const char *path)
{
	size_t len = strlen(path);

	*door = (struct door){ .address.sun_family = AF_UNIX, .lock_fd = -1 };
	if (!len || len >= sizeof(door->address.sun_path))
		return pd_error(EINVAL, "meeting=\"%s\", expected a path of 1 to %zu bytes", path,
				sizeof(door->address.sun_path) - 1);
	memcpy(door->address.sun_path, path, len + 1);
	snprintf(door->lock, sizeof(door->lock), "%s.lock", path);
	return 0;
}

/*
 * The lock is a file that exists while somebody holds it: who has waited for it finds
 * another file at the path, or none, and tries again.
 */
static int door_lock(struct door *door, uint64_t deadline)
{
	for (;;) {
		int fd = open(door->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		struct stat mine, there;

		if (fd < 0 && errno == EACCES)
			return pd_error(EACCES, "meeting: %s: another user's, or in a folder that this one may not write",
					door->lock);
		if (fd < 0)
			return pd_error(errno, "meeting: %s: %s", door->lock, strerror(errno));
		if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &mine) &&
		    !stat(door->lock, &there) && mine.st_ino == there.st_ino &&
		    mine.st_dev == there.st_dev) {
			door->lock_fd = fd;
			return 0;
		}
		close(fd);
		if (pd_now_ns() >= deadline)
			return pd_error(ETIMEDOUT, "meeting: another host keeps %s locked",
					door->lock);
		usleep(DOOR_PAUSE_US);
	}
}

static void door_unlock(struct door *door)
{
	unlink(door->lock);
	close(door->lock_fd);
}

/* 0 and *fd; -EAGAIN: too many connect at once; -ENOENT: nobody listens */
static int door_connect(const struct door *door, int *fd)
{
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (s < 0)
		return -errno;
	if (!connect(s, (const struct sockaddr *)&door->address, sizeof(door->address))) {
		*fd = s;
		return 0;
	}
	err = errno;
	close(s);
	return err == ECONNREFUSED ? -ENOENT : -err;
}

static int door_listen(const struct door *door, int *fd)
{
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;
	const char *path = door->address.sun_path;
	struct stat st;

	if (s < 0)
		return pd_error(errno, "meeting: socket: %s", strerror(errno));
	if (!lstat(path, &st)) {
		if (!S_ISSOCK(st.st_mode)) {
			close(s);
			return pd_error(EINVAL, "meeting=\"%s\" is a file, expected a path where none is",
					path);
		}
		unlink(path);
	}
	/* the mode of the socket is that of the file which bind() makes */
	if (!fchmod(s, 0600) &&
	    !bind(s, (const struct sockaddr *)&door->address, sizeof(door->address)) &&
	    !listen(s, SOMAXCONN)) {
		*fd = s;
		return 0;
	}
	err = errno;
	close(s);
	return pd_error(err, "meeting: %s: %s", path, strerror(err));
}

/* One attempt; -EAGAIN: try again later */
static int door_try(struct door *door, uint64_t deadline, bool *listens)
{
	int fd = -1, ret = door_lock(door, deadline);

	if (ret)
		return ret;
	*listens = false;
	ret = door_connect(door, &fd);
	if (ret == -ENOENT) {
		*listens = true;
		ret = door_listen(door, &fd);
	} else if (ret && ret != -EAGAIN) {
		ret = pd_error(-ret, "meeting: %s: %s", door->address.sun_path, strerror(-ret));
	}
	door_unlock(door);
	return ret ? ret : fd;
}

int pc_hosts_door_open(const char *path, uint64_t deadline, bool *listens)
{
	struct door door;
	int ret = door_name(&door, path);

	if (ret)
		return ret;
	do {
		ret = door_try(&door, deadline, listens);
		if (ret != -EAGAIN)
			return ret;
		usleep(DOOR_PAUSE_US);
	} while (pd_now_ns() < deadline);
	return pd_error(ETIMEDOUT, "meeting: nobody takes connections at %s", path);
}

void pc_hosts_door_close(const char *path)
{
	struct pd_error_text kept;
	struct door door;

	pd_error_save(&kept);
	/* the lock keeps others from connecting in vain; without it, nothing stays all the same */
	if (!door_name(&door, path))
		door_lock(&door, pd_now_ns() + 5 * PD_NS_PER_S);
	unlink(path);
	if (door.lock_fd >= 0)
		door_unlock(&door);
	pd_error_restore(&kept);
}

void pc_hosts_door_sweep(const char *path)
{
	struct pd_error_text kept;
	struct door door;
	struct stat st;
	int fd = -1;

	pd_error_save(&kept);
	if (!door_name(&door, path) && !door_lock(&door, pd_now_ns() + PD_NS_PER_S)) {
		if (door_connect(&door, &fd) == -ENOENT && !lstat(path, &st) &&
		    S_ISSOCK(st.st_mode))
			unlink(path);
		if (fd >= 0)
			close(fd);
		door_unlock(&door);
	}
	pd_error_restore(&kept);
}

int pc_hosts_door_user(int connection, pid_t *pid)
{
	struct ucred other;
	socklen_t bytes = sizeof(other);

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &bytes))
		return pd_error(EIO, "meeting: SO_PEERCRED: %s", strerror(errno));
	*pid = other.pid;
	if (other.uid == geteuid())
		return 0;
	return pd_error(EACCES, "meeting: the host on the other side (pid %d) is of user %u, this one of user %u",
			(int)other.pid, (unsigned int)other.uid, (unsigned int)geteuid());
}
