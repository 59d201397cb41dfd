// SPDX-License-Identifier: MIT
/* Hands descriptors from the keeper to other hosts while both make the same call. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "collectives/hosts/links.h"
#include "collectives/hosts/waiting.h"

#define LINK_LOOK_MS	50

/* Wait for a connection; 0, or what broke. */
static int link_wait(struct pimdimm_hosts *h, uint32_t peer, short events,
		     struct pc_hosts_waiting *waiting)
{
	struct pollfd fd = { h->links[peer], events, 0 };

	if (poll(&fd, 1, LINK_LOOK_MS) > 0 && fd.revents & events)
		return 0;
	pc_hosts_tell_long(h, peer, waiting);
	return pc_hosts_trouble(h, peer);
}

static struct pc_wire message_of(const struct pimdimm_hosts *h, enum pc_wire_kind kind, int code)
{
	return (struct pc_wire){
		.magic = PC_WIRE_MAGIC,
		.version = PC_HOSTS_VERSION,
		.kind = kind,
		.host = h->host,
		.hosts = h->hosts,
		.code = -code,
		.number = h->number,
	};
}

static int link_send(struct pimdimm_hosts *h, uint32_t to, const struct pc_wire *message,
		     const int fds[], size_t count)
{
	struct pc_hosts_waiting waiting = { .begun = pd_now_ns() };
	int ret;

	for (;;) {
		ret = pc_wire_send(h->links[to], message, fds, message->code ? 0 : count);
		if (ret == -ECONNRESET && (ret = pc_hosts_trouble(h, to)))
			return ret;
		if (!ret || ret != -EAGAIN)
			break;
		ret = link_wait(h, to, POLLOUT, &waiting);
		if (ret)
			return ret;
	}
	h->stats.handles_made += count;
	return ret ? pd_error(-ret, "descriptors cannot be handed to host %u: %s", to,
			      strerror(-ret)) : 0;
}

int pc_hosts_hand(struct pimdimm_hosts *h, uint32_t to, enum pc_wire_kind kind, int code,
		  const int fds[], size_t count)
{
	struct pc_wire message = message_of(h, kind, code);

	if (code)
		snprintf(message.words, sizeof(message.words), "host %u (pid %d): %s", h->host,
			 (int)h->pid, pimdimm_errmsg());
	return link_send(h, to, &message, fds, count);
}

int pc_hosts_hand_on(struct pimdimm_hosts *h, uint32_t to, enum pc_wire_kind kind, int code,
		     const int fds[], size_t count)
{
	struct pc_wire message = message_of(h, kind, code);

	if (code)
		snprintf(message.words, sizeof(message.words), "%s", pimdimm_errmsg());
	return link_send(h, to, &message, fds, count);
}

/* 1: it is for this call; 0: for one that has failed; negative: it makes no sense */
static int message_fits(struct pimdimm_hosts *h, uint32_t from, const struct pc_wire *m,
			enum pc_wire_kind kind)
{
	if (m->number < h->number)
		return 0;
	if (m->number == h->number && m->kind == kind && m->code >= 0 && m->code < 4096)
		return 1;
	return pc_hosts_break(h, EIO, "the hosts' connection is corrupt: host %u sends what makes no sense",
			      from);
}

int pc_hosts_take_from(struct pimdimm_hosts *h, uint32_t from, enum pc_wire_kind kind, int fds[],
		       size_t *count)
{
	struct pc_hosts_waiting waiting = { .begun = pd_now_ns() };
	struct pc_wire message;
	int ret;

	for (;;) {
		ret = pc_wire_receive(h->links[from], &message, fds, count);
		if (!ret) {
			ret = message_fits(h, from, &message, kind);
			if (ret > 0)
				break;
			pc_wire_close(fds, *count);
			*count = 0;
		} else if (ret == -EAGAIN || ret == -ECONNRESET) {
			ret = link_wait(h, from, ret == -EAGAIN ? POLLIN : 0, &waiting);
		} else {
			ret = pc_hosts_break(h, EIO, "the hosts' connection is corrupt");
		}
		if (ret)
			return ret;
	}
	h->stats.handles_mapped += *count;
	return message.code ? pd_error(message.code, "%s", message.words) : 0;
}

int pc_hosts_take(struct pimdimm_hosts *h, enum pc_wire_kind kind, int fds[], size_t *count)
{
	return pc_hosts_take_from(h, h->keeper, kind, fds, count);
}
