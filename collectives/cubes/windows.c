// SPDX-License-Identifier: MIT
/* Hosts hand each other their ranks' descriptors, and map those of the others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/fixed.h"
#include "runtime/ranks/backend.h"
#include "collectives/cubes/windows.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/links.h"

/* descriptors of a message: the kernel passes 253 at most */
#define WINDOWS_AT_ONCE	128u

static uint32_t all_ranks(const struct pc_cubes *c)
{
	return c->nr_pes / PIMDIMM_RANK_PES;
}

static bool is_own(const struct pc_cubes *c, uint32_t rank)
{
	const struct pc_cubes_part *own = &c->parts[c->crew.host];

	return rank >= own->first_rank && rank - own->first_rank < own->ranks;
}

/* All ranks as one system; those of others are mapped later. */
static int make_view(struct pc_cubes *c)
{
	const struct pc_cubes_part *own = &c->parts[c->crew.host];
	struct pimdimm *v = &c->view;

	*v = *c->sys;
	v->file = NULL;
	v->owners = NULL;
	v->injector = NULL;
	v->strict = false;
	v->tracks = NULL;
	v->pe = NULL;
	v->nr_ranks = all_ranks(c);
	v->geometry.channels = 1;
	v->geometry.ranks_per_channel = v->nr_ranks;
	v->geometry.nr_pes = c->nr_pes;
	v->cache_bytes = c->hosts->cache;
	v->ranks = calloc(v->nr_ranks, sizeof(*v->ranks));
	v->windows = calloc(v->nr_ranks, sizeof(*v->windows));
	if (!v->ranks || !v->windows)
		return pd_error(ENOMEM, "no memory for %u ranks of all hosts", v->nr_ranks);
	for (uint32_t i = 0; i < v->nr_ranks; i++) {
		v->ranks[i].fd = -1;
		v->ranks[i].bytes = c->sys->ranks[0].bytes;
	}
	for (uint32_t i = 0; i < own->ranks; i++)
		v->ranks[own->first_rank + i] = c->sys->ranks[i];
	return 0;
}

static int map_window(struct pc_cubes *c, uint32_t host, uint32_t rank, int fd)
{
	struct pd_rank *r = &c->view.ranks[rank];
	off_t end = lseek(fd, 0, SEEK_END);
	void *at;

	if (!pd_fd_has_fixed_size(fd))
		return pd_error(EIO, "host %u hands over what is neither a dma-buf nor a sealed file",
				host);
	if (end < 0 || (uint64_t)end != r->bytes)
		return pd_error(EIO, "host %u hands over a window of %lld bytes, expected %zu", host,
				(long long)end, r->bytes);
	at = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (at == MAP_FAILED)
		return pd_error(errno == ENOMEM ? ENOMEM : EIO,
				"a window of host %u cannot be mapped: %s", host, strerror(errno));
	if (c->view.geometry.layout == PIMDIMM_LAYOUT_LINEAR)
		madvise(at, r->bytes, MADV_HUGEPAGE);
	r->window = r->host = at;
	c->hosts->stats.handles_mapped++;
	return 0;
}

static uint32_t at_once(const struct pc_cubes_part *part, uint32_t from)
{
	return part->ranks - from < WINDOWS_AT_ONCE ? part->ranks - from : WINDOWS_AT_ONCE;
}

/* Descriptors of this host's ranks from `from` on. */
static int export_ranks(struct pc_cubes *c, uint32_t from, uint32_t count, int fds[])
{
	if (c->sys->strict && c->sys->backend->export_holds)
		return pd_error(EOPNOTSUPP,
				"with strict=1 a rank of %s: that others have mapped could not be handed to its PEs",
				c->sys->backend->name);
	for (uint32_t i = 0; i < count; i++) {
		fds[i] = pimdimm_export(c->sys, from + i, 0, c->sys->ranks[from + i].bytes);
		if (fds[i] < 0) {
			int ret = fds[i];

			pc_wire_close(fds, i);
			return ret;
		}
	}
	return 0;
}

/* From the keeper to all but who has them already. */
static int pass_on(struct pc_cubes *c, uint32_t from, int code, const int fds[], uint32_t count)
{
	struct pimdimm_hosts *h = c->hosts;
	int ret = 0;

	for (uint32_t to = 0; !ret && to < h->hosts; to++) {
		if (to == from || to == h->host)
			continue;
		ret = from == h->host ? pc_hosts_hand(h, to, PC_WIRE_RANKS, code, fds, count) :
					pc_hosts_hand_on(h, to, PC_WIRE_RANKS, code, fds, count);
	}
	return ret;
}

/*
 * A host that hands no descriptor over is no failure, which all know of: what the hypercube
 * does without is remembered. One that is not what it should be is.
 */
static int take_refusal(struct pc_cubes *c, int code)
{
	if (!code || code == -EIO || c->hosts->broken)
		return code;
	if (c->crew.mapped)
		snprintf(c->unmapped, sizeof(c->unmapped), "%s", pimdimm_errmsg());
	c->crew.mapped = false;
	return 0;
}

/* A message of this host's ranks: to the keeper, or if it is that to all. */
static int hand_own(struct pc_cubes *c, uint32_t from, uint32_t count)
{
	struct pimdimm_hosts *h = c->hosts;
	int fds[WINDOWS_AT_ONCE], code = export_ranks(c, from, count, fds), ret;

	ret = h->host == h->keeper ? pass_on(c, h->host, code, fds, count) :
				     pc_hosts_hand(h, h->keeper, PC_WIRE_RANKS, code, fds, count);
	if (!code)
		pc_wire_close(fds, count);
	return ret ? ret : c->hosts->broken ? -c->hosts->broken : take_refusal(c, code);
}

/* A message of another host's; the keeper passes on what it got, whatever it is. */
static int take_others(struct pc_cubes *c, uint32_t host, uint32_t from, uint32_t count)
{
	struct pimdimm_hosts *h = c->hosts;
	int fds[PC_WIRE_FDS], ret, passed = 0;
	uint64_t before = h->stats.handles_mapped;
	bool refused;
	size_t got = 0;

	ret = pc_hosts_take_from(h, h->host == h->keeper ? host : h->keeper, PC_WIRE_RANKS, fds,
				 &got);
	h->stats.handles_mapped = before;
	refused = ret && !got;
	if (!ret && got != count)
		ret = pd_error(EIO, "host %u hands over %zu descriptors, expected %u", host, got,
			       count);
	if (h->host == h->keeper)
		passed = pass_on(c, host, ret, fds, count);
	for (uint32_t i = 0; !ret && c->view.ranks && i < count; i++)
		ret = map_window(c, host, c->parts[host].first_rank + from + i, fds[i]);
	pc_wire_close(fds, got);
	if (refused)
		ret = take_refusal(c, ret);
	return ret ? ret : passed;
}

/* All messages are waited for, so that none is taken for a later call's. */
static int hand_all(struct pc_cubes *c, int first)
{
	struct pd_error_text kept;

	pd_error_save(&kept);
	for (uint32_t host = 0; host < c->crew.hosts && !c->hosts->broken; host++) {
		const struct pc_cubes_part *part = &c->parts[host];

		for (uint32_t from = 0; from < part->ranks && !c->hosts->broken;
		     from += WINDOWS_AT_ONCE) {
			int ret = host == c->crew.host ?
				  hand_own(c, from, at_once(part, from)) :
				  take_others(c, host, from, at_once(part, from));

			if (ret && !first)
				pd_error_save(&kept);
			first = first ? first : ret;
		}
	}
	pd_error_restore(&kept);
	return first;
}

int pc_cubes_map(struct pc_cubes *c)
{
	uint64_t begin = pd_now_ns();
	int ret = make_view(c);

	c->crew.mapped = !c->crew.mail;
	pc_hosts_doing(c->hosts, PC_HOSTS_HANDING);
	if (c->crew.mapped)
		ret = hand_all(c, ret);
	else
		snprintf(c->unmapped, sizeof(c->unmapped), "they are on several machines");
	for (uint32_t i = 0; !ret && i < c->view.nr_ranks; i++)
		c->view.windows[i] = (struct pd_range){
			c->view.ranks[i].window,
			c->view.ranks[i].window ? c->view.ranks[i].bytes : 0,
		};
	c->hosts->stats.ns_handles = pd_now_ns() - begin;
	return ret;
}

void pc_cubes_unmap(struct pc_cubes *c)
{
	for (uint32_t i = 0; c->view.ranks && i < c->view.nr_ranks; i++) {
		if (!is_own(c, i) && c->view.ranks[i].window)
			munmap(c->view.ranks[i].window, c->view.ranks[i].bytes);
	}
	free(c->view.ranks);
	free(c->view.windows);
	c->view.ranks = NULL;
	c->view.windows = NULL;
}
