/* SPDX-License-Identifier: MIT */
/* Packets of gdb's remote protocol on a socket. */
#ifndef PD_PACKETS_H
#define PD_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PD_PACKET_BYTES	16384u

struct pd_packets {
	int fd;			/* -1: the other end is gone */
	bool plain;		/* nobody acknowledges what has come */
	uint8_t in[1024];
	size_t at, end;
};

/* The next packet's text; false: the other end is gone. An interrupt is "\003". */
bool pd_packets_read(struct pd_packets *p, char text[PD_PACKET_BYTES]);
void pd_packets_write(struct pd_packets *p, const char *text);
/* whether an interrupt has come, or the end; no packet is expected. Does not wait */
bool pd_packets_interrupted(struct pd_packets *p);
void pd_packets_close(struct pd_packets *p);

#endif /* PD_PACKETS_H */
