/* SPDX-License-Identifier: MIT */
/* Messages of one size over UNIX sockets, with descriptors; the other side is not trusted. */
#ifndef PC_HOSTS_WIRE_H
#define PC_HOSTS_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "collectives/hosts/page.h"

#define PC_WIRE_FDS	(2 * PC_HOSTS_MOST)
#define PC_WIRE_MAGIC	UINT64_C(0x3174656d6d697064)	/* "dpimmet1" */

enum pc_wire_kind {
	PC_WIRE_HELLO,		/* to who listens: I am host `host` of `hosts` */
	PC_WIRE_SEATED,		/* from who listens, which is host `host`: others are awaited */
	PC_WIRE_WELCOME,	/* all have come: the page, then each host's process */
	PC_WIRE_REFUSED,	/* `code` and `words` say why */
	PC_WIRE_SEGMENT,	/* memory for call `number` */
	PC_WIRE_PART,		/* a split's page for call `number`, then connections */
	PC_WIRE_RANKS,		/* a host's ranks for call `number`, as many as go into one */
};

struct pc_wire {
	uint64_t magic;
	uint32_t version, kind;
	uint32_t host, hosts;
	int32_t pid, code;
	uint64_t number, cache;
	int32_t pids[PC_HOSTS_MOST];
	char words[PC_HOSTS_WORDS];
};

/* 0, -EAGAIN where the other side takes no more now, or a negative errno, without words */
int pc_wire_send(int socket, const struct pc_wire *message, const int fds[], size_t count);
/*
 * What has come: the message, and `*count` descriptors in fds, of PC_WIRE_FDS, which are
 * the caller's then. 0; -EAGAIN: nothing yet; -ECONNRESET: the other side has gone; -EIO:
 * it says what makes no sense; without words.
 */
int pc_wire_receive(int socket, struct pc_wire *message, int fds[], size_t *count);
void pc_wire_close(int fds[], size_t count);

#endif /* PC_HOSTS_WIRE_H */
