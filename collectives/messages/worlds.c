// SPDX-License-Identifier: MIT
/* Worlds are made and ended, and threads get their ends of them. */
#include <errno.h>
#include <stdlib.h>

#include "collectives/messages/arrows.h"
#include "collectives/messages/payload.h"
#include "collectives/messages/carrier.h"
#include "collectives/messages/collected.h"
#include "collectives/messages/memory.h"
#include "collectives/messages/waits.h"
#include "collectives/messages/world.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/ranks/system.h"

/* all worlds of the process, of which there are few */
static pthread_mutex_t worlds_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pm_world *worlds;

PD_FORK_SAFE(&worlds_lock);

/* ends of whoever has no messages */
static struct pimmsg_end end_launched = { .refused = EOPNOTSUPP };
static struct pimmsg_end end_outside = { .refused = ENOTCONN };
static struct pimmsg_end end_without_memory = { .refused = ENOMEM };

static void world_free(struct pm_world *w)
{
	if (w->nodes)
		pm_nodes_close(w);
	free(w->copies);
	pthread_mutex_destroy(&w->lock);
	pthread_mutex_destroy(&w->copies_lock);
	pthread_mutex_destroy(&w->spares_lock);
	pthread_cond_destroy(&w->host_woken);
	pm_segments_close(w);
	free(w);
}

static bool world_keeps(const struct me_request *request)
{
	return pm_is_mram(&request->buffer);
}

static void world_begin(void *ctx, struct pd_run *run)
{
	pm_run_begin(ctx, run);
}

/* the run's threads are gone, and what they had */
static void world_end(void *ctx, struct pd_run *run, int ret)
{
	struct pm_world *w = ctx;

	(void)run;
	pm_run_end(w, ret);
	pm_call_for(NULL);
	for (uint32_t i = 0; i < w->nr_pes; i++)
		me_node_leave(&w->nodes[i].node, world_keeps);
	while (pm_copy_collected(w))
		;
	for (uint32_t i = 0; i < w->nr_pes; i++) {
		while (w->nodes[i].ends) {
			struct pimmsg_end *end = w->nodes[i].ends;

			w->nodes[i].ends = end->next;
			pm_end_free(end);
		}
	}
}

static void world_progress(void *ctx, struct pimdimm_pe *pe)
{
	pm_call_for(pe);
	pm_copy_overdue(ctx);
}

static bool world_idle(void *ctx, struct pd_run *run)
{
	bool did;

	pm_call_for(NULL);
	pd_resident_hold(run);
	did = pm_copy_collected(ctx);
	pd_resident_release(run);
	return did;
}

static void world_nodes(struct pm_world *w, const struct pd_env_messages *env)
{
	for (uint32_t i = 0; i <= w->nr_pes; i++) {
		struct me_node *node = &w->nodes[i].node;

		node->port = &pm_port;
		node->world = w;
		node->id = i;
		node->size = w->nr_pes + 1;
		node->eager_bytes = env->eager;
		node->poll = env->poll;
		node->notes_matches = true;
		me_node_open(node);
	}
	w->host = (struct pimmsg_end){
		.world = w,
		.node = &w->nodes[w->nr_pes],
		.comm = { .size = w->nr_pes },
		.rank = PIMMSG_HOST,
	};
}

static struct pm_world *world_make(struct pimdimm *sys, uint32_t first_pe,
				   uint32_t nr_pes, const struct pd_env_messages *env)
{
	struct pm_world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->sys = sys;
	w->first_pe = first_pe;
	w->nr_pes = nr_pes;
	w->nr_nodes = nr_pes + 1;
	w->host_node = nr_pes;
	w->room = env->pool;
	w->next_context = 2;
	w->host_thread = pthread_self();
	pthread_mutex_init(&w->lock, NULL);
	pthread_mutex_init(&w->copies_lock, NULL);
	pthread_mutex_init(&w->spares_lock, NULL);
	pthread_cond_init(&w->host_woken, NULL);
	w->nodes = pm_nodes_new(nr_pes + 1);
	if (!w->nodes) {
		world_free(w);
		return NULL;
	}
	world_nodes(w, env);
	return w;
}

/* one world a system */
static int world_add(struct pm_world *w)
{
	const struct pm_world *other;

	w->hooks = (struct pd_resident_hooks){
		.ctx = w,
		.begin = world_begin,
		.end = world_end,
		.progress = world_progress,
		.idle = world_idle,
	};
	pthread_mutex_lock(&worlds_lock);
	for (other = worlds; other && other->sys != w->sys; other = other->next)
		;
	if (!other) {
		w->next = worlds;
		worlds = w;
		pd_resident_set_hooks(w->sys, &w->hooks);
	}
	pthread_mutex_unlock(&worlds_lock);
	if (other)
		return pd_error(EBUSY,
				"sys has a world of PEs %u to %u, expected one at a time",
				other->first_pe, other->first_pe + other->nr_pes - 1);
	return 0;
}

int pimmsg_world(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 struct pimmsg_end **host)
{
	struct pd_env_messages env;
	struct pm_world *w;
	int ret = pm_check_world(sys, first_pe, nr_pes, host);

	if (!ret)
		ret = pd_env_messages(&env);
	if (ret)
		return ret;
	w = world_make(sys, first_pe, nr_pes, &env);
	if (!w)
		return pd_error(ENOMEM, "no memory for a world of %u PEs", nr_pes);
	ret = world_add(w);
	if (ret) {
		world_free(w);
		return ret;
	}
	pm_arrows_open(w, "messages of the host", 0);
	*host = &w->host;
	return 0;
}

static void world_remove(struct pm_world *w)
{
	struct pm_world **at = &worlds;

	pm_arrows_close(w);
	pthread_mutex_lock(&worlds_lock);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	pd_resident_set_hooks(w->sys, NULL);
	pthread_mutex_unlock(&worlds_lock);
	world_free(w);
}

static void end_close(struct pimmsg_end *end)
{
	struct pimmsg_end **at = &end->node->ends;

	me_lock(&end->node->node);
	while (*at != end)
		at = &(*at)->next;
	*at = end->next;
	me_unlock(&end->node->node);
	pm_end_free(end);
}

void pimmsg_close(struct pimmsg_end *end)
{
	int cancel;

	if (!end || end->refused)
		return;
	cancel = pd_cancel_off();
	pm_call_for(end->pe);
	if (end->comm.nodes) {
		end_close(end);
	} else if (end->world->apart) {
		end->world->apart->close(end->world);
	} else if (!end->pe) {
		pm_host_ends(end->world);
		world_remove(end->world);
	}
	pd_cancel_restore(cancel);
}

static struct pm_world *world_of_run(const struct pd_run *run)
{
	struct pm_world *w;

	pthread_mutex_lock(&worlds_lock);
	for (w = worlds; w && w->run != run; w = w->next)
		;
	pthread_mutex_unlock(&worlds_lock);
	return w;
}

static struct pimmsg_end *end_new(struct pm_world *w, struct pm_node *n,
				  struct pimdimm_pe *pe)
{
	struct pimmsg_end *end = calloc(1, sizeof(*end));

	if (!end)
		return NULL;
	*end = (struct pimmsg_end){
		.world = w,
		.node = n,
		.pe = pe,
		.comm = { .size = w->nr_pes },
		.rank = (int)n->node.id,
		.wram = pimdimm_wram(pe),
		.wram_size = w->sys->geometry.wram_size,
		/* tasklets of one PE number theirs apart, and so do runs where it is drawn */
		.first_serial = (uint64_t)pimdimm_tasklet_id(pe) << 48 |
				(n->node.draws ? (uint64_t)(uint16_t)w->runs << 32 : 0),
	};
	return end;
}

static struct pimmsg_end *end_of_thread(struct pm_world *w, struct pm_node *n,
					struct pimdimm_pe *pe)
{
	struct pimmsg_end *end;

	me_lock(&n->node);
	for (end = n->ends; end && (end->pe != pe || end->comm.nodes); end = end->next)
		;
	if (!end) {
		end = end_new(w, n, pe);
		if (end) {
			end->next = n->ends;
			n->ends = end;
		}
	}
	me_unlock(&n->node);
	return end ? end : &end_without_memory;
}

struct pimmsg_end *pimmsg_self(struct pimdimm_pe *pe)
{
	const struct pd_run *run = pe ? pd_resident_run(pe) : NULL;
	struct pm_world *w;
	uint32_t node;

	if (!run)
		return &end_launched;
	w = world_of_run(run);
	if (!w)
		return &end_outside;
	node = pimdimm_pe_id(pe) - w->first_pe;
	if (node >= w->nr_pes)
		return &end_outside;
	pm_call_for(pe);
	return end_of_thread(w, &w->nodes[node], pe);
}

int pimmsg_rank(const struct pimmsg_end *end)
{
	int ret = pm_check_end(end);

	return ret ? ret : end->rank;
}

int pimmsg_size(const struct pimmsg_end *end)
{
	int ret = pm_check_end(end);

	return ret ? ret : (int)end->comm.size;
}
