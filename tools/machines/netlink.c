// SPDX-License-Identifier: MIT
/* Requests of rtnetlink: a message at a time, each of which the kernel answers. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/machines/netlink.h"

int netlink_open(struct netlink *n)
{
	const struct sockaddr_nl self = { .nl_family = AF_NETLINK };

	*n = (struct netlink){
		.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE),
	};
	if (n->fd < 0)
		return -errno;
	if (!bind(n->fd, (const struct sockaddr *)&self, sizeof(self)))
		return 0;
	close(n->fd);
	return -errno;
}

void netlink_close(struct netlink *n)
{
	close(n->fd);
}

/* The next so many bytes; requests are known here, and none is longer than the room. */
static void *more(struct netlink *n, size_t bytes)
{
	uint8_t *at = n->message.bytes + n->message.head.nlmsg_len;

	n->message.head.nlmsg_len += (uint32_t)NLMSG_ALIGN(bytes);
	return at;
}

void *netlink_begin(struct netlink *n, uint16_t type, uint16_t flags, size_t bytes)
{
	memset(&n->message, 0, sizeof(n->message));
	n->message.head = (struct nlmsghdr){
		.nlmsg_len = NLMSG_HDRLEN,
		.nlmsg_type = type,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags),
		.nlmsg_seq = ++n->sequence,
	};
	return more(n, bytes);
}

void netlink_add(struct netlink *n, uint16_t type, const void *value, size_t bytes)
{
	struct nlattr *attribute = more(n, NLA_HDRLEN + bytes);

	attribute->nla_type = type;
	attribute->nla_len = (uint16_t)(NLA_HDRLEN + bytes);
	memcpy((uint8_t *)attribute + NLA_HDRLEN, value, bytes);
}

void netlink_add_text(struct netlink *n, uint16_t type, const char *text)
{
	netlink_add(n, type, text, strlen(text) + 1);
}

void netlink_add_number(struct netlink *n, uint16_t type, uint32_t number)
{
	netlink_add(n, type, &number, sizeof(number));
}

struct nlattr *netlink_enter(struct netlink *n, uint16_t type, size_t fixed)
{
	struct nlattr *outer = more(n, NLA_HDRLEN + fixed);

	outer->nla_type = type;
	return outer;
}

void netlink_leave(struct netlink *n, struct nlattr *outer)
{
	const uint8_t *end = n->message.bytes + n->message.head.nlmsg_len;

	outer->nla_len = (uint16_t)(end - (uint8_t *)outer);
}

int netlink_send(struct netlink *n)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	union {
		struct nlmsghdr head;
		uint8_t bytes[4096];
	} answer;
	struct nlmsgerr error;
	ssize_t got;

	if (sendto(n->fd, &n->message, n->message.head.nlmsg_len, 0,
		   (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	do {
		got = recv(n->fd, &answer, sizeof(answer), 0);
		if (got < 0 && errno != EINTR)
			return -errno;
	} while (got < 0 || answer.head.nlmsg_seq != n->sequence);
	if (got < (ssize_t)NLMSG_LENGTH(sizeof(error)) ||
	    answer.head.nlmsg_type != NLMSG_ERROR)
		return -EBADMSG;
	memcpy(&error, NLMSG_DATA(&answer.head), sizeof(error));
	return error.error;
}
