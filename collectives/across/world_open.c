// SPDX-License-Identifier: MIT
/*
 * Worlds: hosts of several machines, and parts of them, which share a transport and have tags
 * of their own. They are made and ended here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/threads.h"
#include "collectives/across/letters.h"
#include "collectives/across/network.h"
#include "collectives/across/world_open.h"

/* of all transports' users and tags */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_SAFE(&shared_lock);

static void shared_release(struct pc_net_shared *s, uint32_t base, bool child)
{
	bool last;

	pthread_mutex_lock(&shared_lock);
	s->used[base / 8] &= (uint8_t)~(1u << base % 8);
	last = !--s->users;
	pthread_mutex_unlock(&shared_lock);
	if (!last)
		return;
	if (!child)
		s->t.release(s->t.ctx);
	free(s);
}

static size_t add_request(void **requests, size_t count, void *request)
{
	requests[count] = request;
	return count + (request != NULL);
}

/* What a transport may write to is its own until it has ended. */
static void forget_requests(struct pc_world *w)
{
	void *requests[4 * PC_HOSTS_MOST + PC_NET_CHANNELS * PC_NET_MOST + 1];
	size_t count = add_request(requests, 0, w->break_in);

	for (uint32_t i = 0; i < PC_HOSTS_MOST; i++) {
		count = add_request(requests, count, w->breaks_out[i]);
		count = add_request(requests, count, w->summaries_in[i]);
		count = add_request(requests, count, w->summaries_out[i]);
	}
	for (uint32_t i = 0; i < PC_NET_CHANNELS; i++) {
		for (uint32_t s = 0; s < PC_NET_MOST; s++)
			count = add_request(requests, count, w->channels[i].requests[s]);
	}
	if (count)
		w->t.forget(w->t.ctx, requests, count, w->memory);
	else
		free(w->memory);
}

/* The requests of a child of fork() are its parent's, who goes on: it has copies of memory. */
void pc_world_free(struct pc_world *w)
{
	const bool child = w->all && pc_hosts_is_child(w->all);

	if (child)
		free(w->memory);
	else
		forget_requests(w);
	pc_letters_free(w->mail, child ? NULL : &w->t);
	shared_release(w->shared, w->base, child);
	free(w->vector);
	free(w);
}

void pc_world_drop(struct pimdimm_hosts *h)
{
	struct pc_world *w = pc_world_of(h);

	if (!pc_hosts_is_child(h))
		pc_net_tell_left(w);
	w->machine->look = NULL;
	pimdimm_hosts_leave(w->machine);
	pc_world_free(w);
}

static void world_look(void *world)
{
	pc_net_hear_breaks(world);
}

/* Whether this thread may use the transport: any, or the one that makes the calls. */
static bool transport_is_mine(struct pc_world *w)
{
	return w->t.mine(w->t.ctx) || pthread_equal(atomic_load(&w->thread), pthread_self());
}

void pc_world_abort(struct pimdimm_hosts *h, const char *words)
{
	struct pc_world *w = pc_world_of(h);

	pc_hosts_break_page(w->machine, ECANCELED, words);
	if (transport_is_mine(w))
		pc_net_tell_break(w);
}

void pc_world_hear(const struct pimdimm_hosts *h)
{
	if (transport_is_mine(pc_world_of(h)))
		pc_net_hear_breaks(pc_world_of(h));
}

void pc_world_info(const struct pimdimm_hosts *h, struct pimdimm_hosts_info *info)
{
	const struct pc_world *w = pc_world_of(h);

	info->machine = w->me;
	info->machines = w->machines;
	info->local = w->local[h->host];
	info->locals = w->locals[w->me];
}

struct pimdimm_hosts *pc_world_open(struct pc_world *w, uint32_t host, uint32_t hosts,
				    const pid_t pids[], const struct pc_hosts_beyond *beyond)
{
	struct pimdimm_hosts *h = calloc(1, sizeof(*h));

	w->mail = pc_letters_new(w);
	if (!h || !w->mail) {
		free(h);
		return NULL;
	}
	h->host = host;
	h->hosts = hosts;
	h->pid = getpid();
	h->timeout_ms = w->machine->timeout_ms;
	h->sockets = w->machine->sockets;
	h->logs = w->machine->logs;
	h->cache = w->machine->cache;
	h->folds = w->machine->folds;
	h->piece = w->machine->piece;
	for (uint32_t i = 0; i < PC_HOSTS_MOST; i++) {
		h->lives[i] = h->links[i] = -1;
		h->names[i] = i;
		h->pids[i] = i < hosts ? pids[i] : 0;
	}
	h->machine = w->machine;
	h->beyond = beyond;
	h->world = w;
	w->all = h;
	w->grace_ms = PC_WORLD_GRACE_MS;
	atomic_store(&w->thread, pthread_self());
	w->machine->look = world_look;
	w->machine->look_at = w;
	pc_net_await_breaks(w);
	return h;
}

static struct pc_world *world_new(struct pc_net_shared *shared)
{
	struct pc_world *w = calloc(1, sizeof(*w));

	if (w)
		w->memory = calloc(1, sizeof(*w->memory));
	if (!w || !w->memory) {
		free(w);
		return NULL;
	}
	w->shared = shared;
	w->t = shared->t;
	return w;
}

struct pc_world *pc_world_new(const struct pimdimm_transport *transport)
{
	struct pc_net_shared *shared = calloc(1, sizeof(*shared));
	struct pc_world *w = NULL;

	if (shared) {
		*shared = (struct pc_net_shared){ .t = *transport, .users = 1, .used = { 1 } };
		w = world_new(shared);
	}
	if (!w)
		free(shared);
	return w;
}

struct pc_world *pc_world_new_part(struct pc_world *of, uint32_t base)
{
	struct pc_world *w = world_new(of->shared);

	if (!w)
		return NULL;
	w->base = base;
	pthread_mutex_lock(&shared_lock);
	of->shared->users++;
	of->shared->used[base / 8] |= (uint8_t)(1u << base % 8);
	pthread_mutex_unlock(&shared_lock);
	return w;
}

void pc_world_bases(const struct pc_world *w, uint8_t used[PC_NET_BASES / 8])
{
	pthread_mutex_lock(&shared_lock);
	memcpy(used, w->shared->used, PC_NET_BASES / 8);
	pthread_mutex_unlock(&shared_lock);
}
