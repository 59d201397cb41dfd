/* SPDX-License-Identifier: MIT */
/* Requests of rtnetlink, built attribute by attribute, and what the kernel answers. */
#ifndef PIMDIMM_MACHINES_NETLINK_H
#define PIMDIMM_MACHINES_NETLINK_H

#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

struct netlink {
	int fd;
	uint32_t sequence;
	/* the request that is being built */
	union {
		struct nlmsghdr head;
		uint8_t bytes[1024];
	} message;
};

/* Of the network namespace of the caller; a negative errno. */
int netlink_open(struct netlink *n);
void netlink_close(struct netlink *n);

/*
 * Begins a request, whose fixed part is `bytes` long; returns that, zeroed, to be filled in.
 * Flags are those of NLM_F_* beside the ones that all have.
 */
void *netlink_begin(struct netlink *n, uint16_t type, uint16_t flags, size_t bytes);
void netlink_add(struct netlink *n, uint16_t type, const void *value, size_t bytes);
void netlink_add_text(struct netlink *n, uint16_t type, const char *text);
void netlink_add_number(struct netlink *n, uint16_t type, uint32_t number);
/* What is added until netlink_leave() lies within; `fixed` bytes come first, zeroed. */
struct nlattr *netlink_enter(struct netlink *n, uint16_t type, size_t fixed);
void netlink_leave(struct netlink *n, struct nlattr *outer);

/* Sends it; 0 or a negative errno, the kernel's own. */
int netlink_send(struct netlink *n);

#endif /* PIMDIMM_MACHINES_NETLINK_H */
