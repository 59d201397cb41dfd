// SPDX-License-Identifier: MIT
/*
 * Notes of two processes over their socket, with descriptors and credentials. No call here
 * ends a thread that is cancelled: it may hold its node's lock, have a request that others
 * know, or descriptors in hand.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectives/messages/pair/pair.h"
#include "runtime/base/threads.h"

union socket_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

static void socket_add(struct cmsghdr *c, int type, const void *data, size_t bytes)
{
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(c), data, bytes);
}

void pm_pair_close(int fd)
{
	int cancel = pd_cancel_off();

	close(fd);
	pd_cancel_restore(cancel);
}

int pm_pair_note_send(int socket, const struct pair_note *note, int fd)
{
	const struct ucred own = { getpid(), geteuid(), getegid() };
	union socket_control control = { .bytes = { 0 } };
	struct iovec data = { (void *)(uintptr_t)note, sizeof(*note) };
	struct msghdr header = { .msg_iov = &data, .msg_iovlen = 1 };
	ssize_t sent;
	int cancel;

	/* what says who one is goes with the first note, which the kernel vouches for */
	if (note->kind == PAIR_HELLO) {
		header.msg_control = control.bytes;
		header.msg_controllen = sizeof(control.bytes);
		socket_add(CMSG_FIRSTHDR(&header), SCM_RIGHTS, &fd, sizeof(fd));
		socket_add(CMSG_NXTHDR(&header, CMSG_FIRSTHDR(&header)), SCM_CREDENTIALS, &own,
			   sizeof(own));
	} else if (fd >= 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(sizeof(int));
		socket_add(CMSG_FIRSTHDR(&header), SCM_RIGHTS, &fd, sizeof(fd));
	}
	cancel = pd_cancel_off();
	sent = sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
	pd_cancel_restore(cancel);
	if (sent < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return 0;
}

/* whether one descriptor at most came, and what the kernel says of the sender */
static bool socket_controls(struct msghdr *header, int *fd, struct ucred *who)
{
	bool one = true;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS && bytes == sizeof(*who))
			memcpy(who, CMSG_DATA(c), sizeof(*who));
		for (size_t at = 0; c->cmsg_type == SCM_RIGHTS && at + sizeof(int) <= bytes;
		     at += sizeof(int)) {
			int got;

			memcpy(&got, CMSG_DATA(c) + at, sizeof(got));
			if (*fd >= 0) {
				pm_pair_close(got);
				one = false;
			} else {
				*fd = got;
			}
		}
	}
	return one;
}

int pm_pair_note_take(int socket, struct pair_note *note, int *fd, pid_t *pid, uid_t *uid)
{
	union socket_control control;
	struct iovec data = { note, sizeof(*note) };
	struct msghdr header = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	struct ucred who = { 0, (uid_t)-1, (gid_t)-1 };
	int cancel = pd_cancel_off();
	ssize_t length = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	pd_cancel_restore(cancel);
	*fd = -1;
	if (length < 0)
		return errno == EINTR || errno == EAGAIN ? -EAGAIN :
		       errno == ECONNRESET ? -EPIPE : -errno;
	if (socket_controls(&header, fd, &who) && length == sizeof(*note) &&
	    note->magic == PAIR_MAGIC && !(header.msg_flags & MSG_TRUNC) &&
	    (!(header.msg_flags & MSG_CTRUNC) || note->kind == PAIR_SEGMENT ||
	     note->kind == PAIR_RANK)) {
		if (pid)
			*pid = who.pid;
		if (uid)
			*uid = who.uid;
		return 0;
	}
	if (*fd >= 0)
		pm_pair_close(*fd);
	*fd = -1;
	return length ? -EBADMSG : -EPIPE;
}

bool pm_pair_sleep(int socket, int pidfd, int ms)
{
	struct pollfd fds[2] = { { .fd = socket, .events = POLLIN },
				 { .fd = pidfd, .events = POLLIN } };
	int cancel = pd_cancel_off();
	bool any = poll(fds, pidfd >= 0 ? 2 : 1, ms) > 0;

	pd_cancel_restore(cancel);
	return any;
}
