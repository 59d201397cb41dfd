// SPDX-License-Identifier: MIT
/* pimdimm_hosts_split(): the keeper makes a page and connections for each group. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/links.h"
#include "collectives/hosts/traced.h"

/* the hosts of a color, in the order of their new numbers */
struct part {
	uint32_t hosts;
	uint32_t of[PC_HOSTS_MOST];
};

static void part_find(const struct pimdimm_hosts *h, int color, struct part *part)
{
	part->hosts = 0;
	for (uint32_t i = 0; i < h->hosts; i++) {
		uint32_t at = part->hosts;

		if (h->peers[i].color != color)
			continue;
		for (; at && h->peers[part->of[at - 1]].key > h->peers[i].key; at--)
			part->of[at] = part->of[at - 1];
		part->of[at] = i;
		part->hosts++;
	}
}

/* What each host of a part gets: the page, and connections; the first one all of them. */
struct part_fds {
	int page;
	int to[PC_HOSTS_MOST], from[PC_HOSTS_MOST];
};

static int part_make(const struct part *part, struct part_fds *fds)
{
	int ends[2], ret;

	for (uint32_t i = 0; i < PC_HOSTS_MOST; i++)
		fds->to[i] = fds->from[i] = -1;
	fds->page = ret = pc_hosts_make_page(part->hosts);
	for (uint32_t i = 1; ret >= 0 && i < part->hosts; i++) {
		ret = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
		if (ret) {
			ret = pd_error(errno, "socketpair: %s", strerror(errno));
			break;
		}
		fds->to[i] = ends[0];
		fds->from[i] = ends[1];
	}
	return ret < 0 ? ret : 0;
}

static void part_close(struct part_fds *fds)
{
	if (fds->page >= 0)
		close(fds->page);
	for (uint32_t i = 0; i < PC_HOSTS_MOST; i++) {
		if (fds->to[i] >= 0)
			close(fds->to[i]);
		if (fds->from[i] >= 0)
			close(fds->from[i]);
	}
}

/* Descriptors for number `i` of a part, copied where this host is that one. */
static int part_hand(struct pimdimm_hosts *h, const struct part *part, uint32_t i, int code,
		     const struct part_fds *fds, int own[], size_t *nr_own)
{
	int list[1 + PC_HOSTS_MOST] = { fds->page };
	size_t count = 1;

	if (i)
		list[count++] = fds->from[i];
	for (uint32_t j = 1; !i && j < part->hosts; j++)
		list[count++] = fds->to[j];
	if (part->of[i] != h->host)
		return pc_hosts_hand(h, part->of[i], PC_WIRE_PART, code, list, count);
	for (*nr_own = 0; !code && *nr_own < count; (*nr_own)++) {
		own[*nr_own] = fcntl(list[*nr_own], F_DUPFD_CLOEXEC, 0);
		if (own[*nr_own] < 0)
			return pd_error(errno, "no descriptor: %s", strerror(errno));
	}
	return code;
}

/* The keeper: one part after the other. */
static int split_hand_all(struct pimdimm_hosts *h, int own[], size_t *nr_own)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->hosts; i++) {
		struct part_fds fds;
		struct part part;
		int code;

		part_find(h, h->peers[i].color, &part);
		if (h->peers[i].color < 0 || part.of[0] != i)
			continue;
		code = part_make(&part, &fds);
		for (uint32_t j = 0; j < part.hosts; j++) {
			int sent = part_hand(h, &part, j, code, &fds, own, nr_own);

			ret = ret ? ret : sent;
		}
		part_close(&fds);
	}
	return ret;
}

/* This host's own, from what it was given. */
static int part_begin(struct pimdimm_hosts *h, const struct part *part, uint32_t me, int fds[],
		      size_t count, struct pimdimm_hosts *made)
{
	int ret;

	if (count != (me ? 2 : part->hosts))
		return pd_error(EIO, "expected %u descriptors from host %u", me ? 2 : part->hosts,
				h->keeper);
	for (uint32_t i = 1; i < count; i++) {
		made->links[me ? 0 : i] = fds[i];
		fds[i] = -1;
	}
	for (uint32_t i = 0; i < part->hosts; i++) {
		made->pids[i] = h->pids[part->of[i]];
		made->lives[i] = fcntl(h->lives[part->of[i]], F_DUPFD_CLOEXEC, 0);
		if (made->lives[i] < 0)
			return pd_error(errno, "no descriptor: %s", strerror(errno));
	}
	ret = pc_hosts_map(made, fds[0]);
	return ret;
}

static struct pimdimm_hosts *part_new(const struct pimdimm_hosts *h)
{
	struct pimdimm_hosts *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->pid = h->pid;
	made->timeout_ms = h->timeout_ms;
	made->sockets = h->sockets;
	made->cache = h->cache;
	made->pus = h->pus;
	made->spins = h->spins;
	made->logs = h->logs;
	made->folds = h->folds;
	made->piece = h->piece;
	for (uint32_t i = 0; i < PC_HOSTS_MOST; i++)
		made->lives[i] = made->links[i] = -1;
	for (uint32_t i = 0; i < PC_HOSTS_MOST; i++)
		made->names[i] = i;
	return made;
}

static int split_take(struct pimdimm_hosts *h, int color, struct pimdimm_hosts *made)
{
	uint64_t begin = pd_now_ns();
	int fds[PC_WIRE_FDS], ret;
	struct part part;
	size_t count = 0;

	pc_hosts_doing(h, PC_HOSTS_HANDING);
	part_find(h, color, &part);
	if (h->host == h->keeper)
		ret = split_hand_all(h, fds, &count);
	else if (color < 0)
		return 0;
	else
		ret = pc_hosts_take(h, PC_WIRE_PART, fds, &count);
	if (!ret && color >= 0) {
		made->hosts = part.hosts;
		while (part.of[made->host] != h->host)
			made->host++;
		ret = part_begin(h, &part, made->host, fds, count, made);
	}
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	h->stats.ns_handles = pd_now_ns() - begin;
	return ret;
}

static int hosts_split(struct pimdimm_hosts *h, int color, int key, struct pimdimm_hosts **part)
{
	struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_SPLIT }, .color = color,
				      .key = key };
	struct pimdimm_hosts *made = NULL;
	int ret = 0;

	if (!part)
		ret = pd_error(EINVAL, "part is NULL");
	else if (!h->machine && !(made = part_new(h)))
		ret = pd_error(ENOMEM, "no memory for a part of the hosts");
	if (h->machine)
		return h->beyond->split(h, &said, ret, part);
	ret = pc_hosts_arrive(h, &said, ret, NULL, 0);
	if (!ret) {
		ret = split_take(h, color, made);
		ret = pc_hosts_arrive_again(h, &said, ret);
		pc_hosts_over(h, 0);
	}
	if (ret || color < 0) {
		pc_hosts_drop(made);
		made = NULL;
	}
	if (!ret)
		*part = made;
	return ret;
}

int pimdimm_hosts_split(struct pimdimm_hosts *h, int color, int key, struct pimdimm_hosts **part)
{
	struct pd_span span;
	int ret, cancel;

	if (!h)
		return pd_error(EINVAL, "hosts is NULL");
	cancel = pd_cancel_off();
	span = pc_hosts_trace_begin(PC_HOSTS_SPLIT);
	ret = hosts_split(h, color, key, part);
	pc_hosts_trace_end(&span, 0, ret);
	pd_cancel_restore(cancel);
	return ret;
}
