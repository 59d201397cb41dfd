// SPDX-License-Identifier: MIT
/* The public functions of hosts: joining, splitting, looking after them, leaving. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <fcntl.h>

#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/machine/topology.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/cores.h"
#include "collectives/hosts/hosts.h"
#include "collectives/hosts/launcher.h"
#include "collectives/hosts/links.h"
#include "collectives/hosts/meet.h"
#include "collectives/hosts/copy_pieces.h"
#include "collectives/hosts/traced.h"

static struct pimdimm_hosts *hosts_new(uint32_t host, uint32_t hosts)
{
	struct pimdimm_hosts *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->host = host;
	h->hosts = hosts;
	h->pid = getpid();
	for (unsigned int i = 0; i < PC_HOSTS_MOST; i++)
		h->lives[i] = h->links[i] = -1;
	for (uint32_t i = 0; i < PC_HOSTS_MOST; i++)
		h->names[i] = i;
	return h;
}

static int check_options(const struct pimdimm_hosts_options *options)
{
	if (!options)
		return 0;
	if (options->size != sizeof(*options) || options->reserved)
		return pd_error(EINVAL, "options: size=%u reserved=%u, expected %zu and 0",
				options->size, options->reserved, sizeof(*options));
	if (options->sockets > PC_HOSTS_MOST)
		return pd_error(EINVAL, "options: sockets=%u, expected %d at most",
				options->sockets, PC_HOSTS_MOST);
	return 0;
}

static int check_join(uint32_t host, uint32_t count,
		      const struct pimdimm_hosts_options *options, struct pimdimm_hosts **hosts)
{
	if (!hosts)
		return pd_error(EINVAL, "hosts is NULL");
	if (!count || count > PC_HOSTS_MOST)
		return pd_error(EINVAL, "count=%u, expected 1 to %d", count, PC_HOSTS_MOST);
	if (host >= count)
		return pd_error(EINVAL, "host=%u, expected less than count=%u", host, count);
	return check_options(options);
}

/* What the loops and the caches of this machine are. */
static int hosts_machine(struct pimdimm_hosts *h)
{
	struct pd_placement *placement;
	enum pd_isa isa;
	int ret = pd_isa_choose(&isa);

	if (ret)
		return ret;
	h->folds = pc_isa_folds(isa);
	h->piece = pc_pieces_measured();
	ret = pd_placement_make(h->hosts, NULL, 0, &placement);
	if (ret)
		return ret;
	h->cache = placement->cache_bytes;
	pd_placement_free(placement);
	return 0;
}

/* Sockets that nobody has given are those that host 0 sees. */
static void choose_sockets(struct pimdimm_hosts *h)
{
	uint32_t seen = (uint32_t)h->peers[0].key;

	if (!h->sockets)
		h->sockets = seen && seen <= PC_HOSTS_MOST ? seen : 1;
}

/* All have mapped the page. */
static int hosts_begin(struct pimdimm_hosts *h)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_JOIN,
						      .bytes = h->sockets },
					    .key = (int32_t)pd_sockets() };
	cpu_set_t pus;
	int ret;

	pc_hosts_own_pus(&pus);
	ret = pc_hosts_arrive(h, &said, 0, &pus, sizeof(pus));
	if (!ret) {
		choose_sockets(h);
		ret = pc_hosts_share_cores(h);
	}
	return pc_hosts_over(h, ret);
}

static int read_settings(struct pimdimm_hosts *h, const struct pimdimm_hosts_options *options)
{
	struct pd_env_log log;
	int ret = pd_env_log(&log);

	h->sockets = options ? options->sockets : 0;
	h->timeout_ms = options ? options->timeout_ms : 0;
	if (!ret && !h->timeout_ms)
		ret = pd_env_timeout(&h->timeout_ms);
	h->logs = !ret && log.hosts;
	return ret;
}

int pc_hosts_join(const char *meeting, uint32_t host, uint32_t count,
		  const struct pimdimm_hosts_options *options, struct pimdimm_hosts **hosts)
{
	struct pimdimm_hosts *h;
	int ret = check_join(host, count, options, hosts);

	if (ret)
		return ret;
	h = hosts_new(host, count);
	if (!h)
		return pd_error(ENOMEM, "no memory for %u hosts", count);
	ret = read_settings(h, options);
	if (!ret)
		ret = hosts_machine(h);
	if (!ret)
		ret = pc_hosts_meet(h, meeting, pc_hosts_deadline(h->timeout_ms));
	if (!ret)
		ret = hosts_begin(h);
	if (ret) {
		/* others that have joined are not to wait for this one */
		if (h->page)
			atomic_store(&h->page->line[h->host].left, 1);
		pc_hosts_drop(h);
		return ret;
	}
	*hosts = h;
	return 0;
}

static int join_traced(const char *meeting, uint32_t host, uint32_t count,
		       const struct pimdimm_hosts_options *options, struct pimdimm_hosts **hosts)
{
	struct pc_hosts_launched launched = { host, count, "" };
	int ret = meeting ? 0 : pc_hosts_launched(&launched);
	struct pd_span span;

	if (!meeting)
		meeting = launched.meeting;
	if (!ret)
		ret = check_join(launched.host, launched.count, options, hosts);
	if (!ret)
		ret = pd_timeline_open();
	if (ret)
		return ret;
	pc_hosts_trace_role(launched.host, launched.count, 0);
	span = pc_hosts_trace_begin(PC_HOSTS_JOIN);
	ret = pc_hosts_join(meeting, launched.host, launched.count, options, hosts);
	pc_hosts_trace_end(&span, 0, ret);
	return ret;
}

int pimdimm_hosts_join(const char *meeting, uint32_t host, uint32_t count,
		       const struct pimdimm_hosts_options *options,
		       struct pimdimm_hosts **hosts)
{
	int cancel = pd_cancel_off();
	int ret = join_traced(meeting, host, count, options, hosts);

	pd_cancel_restore(cancel);
	return ret;
}

int pimdimm_hosts_info(const struct pimdimm_hosts *h, struct pimdimm_hosts_info *info)
{
	if (!h || !info)
		return pd_error(EINVAL, "%s is NULL", h ? "info" : "hosts");
	if (info->size != sizeof(*info))
		return pd_error(EINVAL, "info->size=%u, expected %zu", info->size, sizeof(*info));
	*info = (struct pimdimm_hosts_info){
		.size = sizeof(*info),
		.host = h->host,
		.hosts = h->hosts,
		.machines = 1,
		.local = h->host,
		.locals = h->hosts,
	};
	if (h->machine)
		h->beyond->info(h, info);
	return 0;
}

int pimdimm_hosts_stats(const struct pimdimm_hosts *h, struct pimdimm_hosts_stats *last_call)
{
	if (!h || !last_call)
		return pd_error(EINVAL, "%s is NULL", h ? "last_call" : "hosts");
	if (last_call->size != sizeof(*last_call))
		return pd_error(EINVAL, "last_call->size=%u, expected %zu", last_call->size,
				sizeof(*last_call));
	*last_call = h->stats;
	return 0;
}

int pimdimm_hosts_check(const struct pimdimm_hosts *h)
{
	char words[2 * PC_HOSTS_WORDS], name[PC_HOSTS_WORDS];
	uint32_t dead;
	int err;

	if (!h)
		return pd_error(EINVAL, "hosts is NULL");
	if (pc_hosts_is_child(h))
		return pd_error(EBUSY, "pid %d has not joined: it is a child of host %u (pid %d)",
				(int)getpid(), h->host, (int)h->pid);
	if (h->machine) {
		h->beyond->hear(h);
		h = h->machine;
	}
	err = pc_hosts_broken_yet(h, words);
	dead = err ? PC_HOSTS_MOST : pc_hosts_dead(h);
	if (dead < h->hosts) {
		pc_hosts_name(h, dead, name, sizeof(name));
		snprintf(words, sizeof(words), "a host has died: %s", name);
		pc_hosts_break_page(h, ECONNRESET, words);
		err = pc_hosts_broken_yet(h, words);
	}
	return err ? pd_error(err, "%s", words) : 0;
}

int pimdimm_hosts_abort(struct pimdimm_hosts *h, const char *why)
{
	char words[2 * PC_HOSTS_WORDS];

	if (!h || !why)
		return pd_error(EINVAL, "%s is NULL", h ? "why" : "hosts");
	if (pc_hosts_is_child(h))
		return pd_error(EBUSY, "pid %d has not joined: it is a child of host %u (pid %d)",
				(int)getpid(), h->host, (int)h->pid);
	snprintf(words, sizeof(words), "host %u (pid %d) aborts: %.400s", h->host, (int)h->pid, why);
	if (h->machine)
		h->beyond->abort(h, words);
	else
		pc_hosts_break_page(h, ECANCELED, words);
	pc_hosts_break_parts(h, ECANCELED, words);
	return 0;
}

/* A thread that ended halfway would leave the rest open, and what it has closed in h. */
void pimdimm_hosts_leave(struct pimdimm_hosts *h)
{
	int cancel = pd_cancel_off();

	if (h && !h->machine && getpid() == h->pid)
		atomic_store(&h->page->line[h->host].left, 1);
	pc_hosts_drop(h);
	pd_cancel_restore(cancel);
}

int pimdimm_hosts_barrier(struct pimdimm_hosts *h)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_BARRIER } };
	struct pd_span span;
	int ret, cancel;

	if (!h)
		return pd_error(EINVAL, "hosts is NULL");
	h->brief = !h->machine;
	cancel = pd_cancel_off();
	span = pc_hosts_trace_begin(PC_HOSTS_BARRIER);
	ret = pc_hosts_over(h, pc_hosts_arrive(h, &said, 0, NULL, 0));
	pc_hosts_trace_end(&span, 0, ret);
	pd_cancel_restore(cancel);
	return ret;
}
