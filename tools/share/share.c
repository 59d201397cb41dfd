// SPDX-License-Identifier: MIT
/* Hands a dma-buf and its description over a UNIX socket. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <pimdimm/pimdimm.h>

#include "tools/share/share.h"
#include "tools/tool.h"

/* more than one is refused, but must have been received to be closed */
#define MAX_DESCRIPTORS 4

static int make_address(struct sockaddr_un *address, const char *path)
{
	if (strlen(path) >= sizeof(address->sun_path)) {
		tool_error("%s: a socket's path has at most %zu bytes", path,
			   sizeof(address->sun_path) - 1);
		return -1;
	}
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	strcpy(address->sun_path, path);
	return 0;
}

/* SOCK_SEQPACKET: a message is whole or not there, and its end can be told */
static int make_socket(const char *path, struct sockaddr_un *address)
{
	int fd;

	if (make_address(address, path))
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		tool_error("socket: %s", strerror(errno));
	return fd;
}

int share_listen(const char *path)
{
	struct sockaddr_un address;
	int fd = make_socket(path, &address);
	mode_t mask;
	int ret;

	if (fd < 0)
		return -1;
	/* nobody else may connect in the time between bind() and a chmod() */
	mask = umask(0177);
	ret = bind(fd, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	if (ret) {
		tool_error("%s: %s%s", path, strerror(errno),
			   errno != EADDRINUSE ? "" :
			   ": a file is there; if no other `pimdimm share` runs, one that was killed has left it: remove it");
		close(fd);
		return -1;
	}
	if (listen(fd, SOMAXCONN)) {
		tool_error("%s: %s", path, strerror(errno));
		unlink(path);
		close(fd);
		return -1;
	}
	return fd;
}

int share_connect(const char *path)
{
	struct sockaddr_un address;
	int fd = make_socket(path, &address);

	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		tool_error("%s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

int share_send(int socket, int fd, const struct share_message *message)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(fd))];
	} control = { .bytes = { 0 } };
	struct iovec data = { (void *)message, sizeof(*message) };
	struct msghdr header = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
	if (sendmsg(socket, &header, MSG_NOSIGNAL) < 0)
		return tool_error("sending the descriptor: %s",
				  strerror(errno));
	return TOOL_OK;
}

/* The descriptors of a message; returns how many. */
static size_t take_descriptors(struct msghdr *header, int fds[MAX_DESCRIPTORS])
{
	size_t count = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c;
	     c = CMSG_NXTHDR(header, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= bytes &&
				    count < MAX_DESCRIPTORS; at += sizeof(int))
			memcpy(&fds[count++], CMSG_DATA(c) + at, sizeof(int));
	}
	return count;
}

/*
 * Whoever can shorten a file kills those who touch its mapping by it; so does he who
 * makes a hole in one of huge pages, when there is none left to fill it.
 */
static bool has_fixed_size(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;

	if (fstatfs(fd, &fs) || fs.f_type == HUGETLBFS_MAGIC)
		return false;
	return seals >= 0 ? seals & F_SEAL_SHRINK : fs.f_type == DMA_BUF_MAGIC;
}

static const char *what_is_wrong(const struct share_message *message,
				 ssize_t length, int flags, size_t descriptors)
{
	if (!length)
		return "the other side has left";
	if (length != sizeof(*message) || flags & (MSG_TRUNC | MSG_CTRUNC) ||
	    memcmp(message->magic, SHARE_MAGIC, sizeof(message->magic)))
		return "the other side is no `pimdimm share`";
	if (message->version != SHARE_VERSION)
		return "the other side is a `pimdimm share` of another version";
	if (descriptors != 1)
		return "expected exactly one descriptor";
	if (message->layout >= PIMDIMM_NR_LAYOUTS || message->reserved ||
	    !message->bytes)
		return "the message makes no sense";
	return NULL;
}

int share_receive(int socket, int *fd, struct share_message *message)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(MAX_DESCRIPTORS * sizeof(int))];
	} control;
	struct iovec data = { message, sizeof(*message) };
	struct msghdr header = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	int fds[MAX_DESCRIPTORS];
	ssize_t length = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
	const char *wrong;
	size_t count;

	if (length < 0)
		return tool_error("receiving the descriptor: %s",
				  strerror(errno));
	count = take_descriptors(&header, fds);
	wrong = what_is_wrong(message, length, header.msg_flags, count);
	if (!wrong && !has_fixed_size(fds[0]))
		wrong = "the descriptor is neither a dma-buf nor a sealed file";
	if (!wrong) {
		*fd = fds[0];
		return TOOL_OK;
	}
	while (count)
		close(fds[--count]);
	return tool_error("%s", wrong);
}
