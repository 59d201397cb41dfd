// SPDX-License-Identifier: MIT
/* Sends and receives the hosts' messages, with the descriptors that go with them. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectives/hosts/wire.h"

union wire_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(PC_WIRE_FDS * sizeof(int))];
};

/* the kernel passes no more in one message (SCM_MAX_FD) */
#define WIRE_MOST_FDS	253

int pc_wire_send(int socket, const struct pc_wire *message, const int fds[], size_t count)
{
	union wire_control control = { .bytes = { 0 } };
	struct iovec data = { (void *)(uintptr_t)message, sizeof(*message) };
	struct msghdr header = { .msg_iov = &data, .msg_iovlen = 1 };

	if (count > WIRE_MOST_FDS)
		return -E2BIG;
	if (count) {
		struct cmsghdr *rights;

		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(count * sizeof(int));
		rights = CMSG_FIRSTHDR(&header);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
	}
	if (sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return errno == EPIPE ? -ECONNRESET : -errno;
	return 0;
}

static size_t take_fds(struct msghdr *header, int fds[])
{
	size_t count = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= bytes && count < PC_WIRE_FDS;
		     at += sizeof(int))
			memcpy(&fds[count++], CMSG_DATA(c) + at, sizeof(int));
	}
	return count;
}

int pc_wire_receive(int socket, struct pc_wire *message, int fds[], size_t *count)
{
	union wire_control control;
	struct iovec data = { message, sizeof(*message) };
	struct msghdr header = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t length = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	*count = 0;
	if (length < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	*count = take_fds(&header, fds);
	message->words[sizeof(message->words) - 1] = 0;
	if (length == sizeof(*message) && message->magic == PC_WIRE_MAGIC &&
	    !(header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return 0;
	pc_wire_close(fds, *count);
	*count = 0;
	return length ? -EIO : -ECONNRESET;
}

void pc_wire_close(int fds[], size_t count)
{
	while (count)
		close(fds[--count]);
}
