// SPDX-License-Identifier: MIT
/* Framing of packets: $text#checksum, acknowledged by a + until both sides agree on none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/pe/debug/packets.h"

#define INTERRUPT	3

void pd_packets_close(struct pd_packets *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* false: nothing has come that can be had now, or never will */
static bool receive(struct pd_packets *p, int flags)
{
	ssize_t n;

	if (p->fd < 0)
		return false;
	do {
		n = recv(p->fd, p->in, sizeof(p->in), flags);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && flags)
		return false;
	if (n <= 0) {
		pd_packets_close(p);
		return false;
	}
	p->at = 0;
	p->end = (size_t)n;
	return true;
}

/* -1: the other end is gone */
static int take_byte(struct pd_packets *p)
{
	if (p->at == p->end && !receive(p, 0))
		return -1;
	return p->in[p->at++];
}

static void send_bytes(struct pd_packets *p, const char *bytes, size_t nr)
{
	while (nr && p->fd >= 0) {
		ssize_t n = send(p->fd, bytes, nr, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			pd_packets_close(p);
			return;
		}
		bytes += n;
		nr -= (size_t)n;
	}
}

bool pd_packets_read(struct pd_packets *p, char text[PD_PACKET_BYTES])
{
	size_t used = 0;
	int c;

	/* the socket holds what was sent whole and in order: sums need no check */
	while ((c = take_byte(p)) != '$') {
		if (c < 0)
			return false;
		if (c == INTERRUPT) {
			strcpy(text, "\003");
			return true;
		}
	}
	while ((c = take_byte(p)) != '#') {
		if (c < 0)
			return false;
		if (used < PD_PACKET_BYTES - 1)
			text[used++] = (char)c;
	}
	text[used] = '\0';
	if (take_byte(p) < 0 || take_byte(p) < 0)
		return false;
	if (!p->plain)
		send_bytes(p, "+", 1);
	return true;
}

void pd_packets_write(struct pd_packets *p, const char *text)
{
	size_t bytes = strlen(text);
	uint8_t sum = 0;
	char end[4];

	for (size_t i = 0; i < bytes; i++)
		sum = (uint8_t)(sum + (uint8_t)text[i]);
	snprintf(end, sizeof(end), "#%02x", sum);
	send_bytes(p, "$", 1);
	send_bytes(p, text, bytes);
	send_bytes(p, end, 3);
}

bool pd_packets_interrupted(struct pd_packets *p)
{
	bool interrupted = false;

	while (p->at < p->end || receive(p, MSG_DONTWAIT))
		interrupted |= p->in[p->at++] == INTERRUPT;
	return interrupted || p->fd < 0;
}
