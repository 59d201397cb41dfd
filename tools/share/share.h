/* SPDX-License-Identifier: MIT */
/* How a part of a rank is handed over a UNIX socket: one message, one descriptor. */
#ifndef PIMDIMM_SHARE_H
#define PIMDIMM_SHARE_H

#include <stdint.h>

#define SHARE_MAGIC "pimdimm"
#define SHARE_VERSION 1

/* between processes of one machine: their byte order and alignment are one */
struct share_message {
	char magic[8];
	uint32_t version;
	uint32_t rank;		/* of the sender's system */
	uint32_t layout;
	uint32_t reserved;	/* 0 */
	uint64_t mram_size;
	uint64_t offset;	/* of the part in the rank's window */
	uint64_t bytes;
};

/*
 * A socket that only this user can connect to, or that connects to one. Both
 * return a descriptor, or -1 after a message.
 */
int share_listen(const char *path);
int share_connect(const char *path);

/* 0, or TOOL_FAILED after a message */
int share_send(int socket, int fd, const struct share_message *message);
/*
 * 0, or TOOL_FAILED after a message; trusts the sender in nothing. *fd is then the
 * caller's.
 */
int share_receive(int socket, int *fd, struct share_message *message);

#endif /* PIMDIMM_SHARE_H */
