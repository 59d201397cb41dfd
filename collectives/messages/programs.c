// SPDX-License-Identifier: MIT
/* The host's end of a launch of PE programs: opened before it, served while it runs. */
#include <errno.h>
#include <stdlib.h>

#include "collectives/messages/carrier.h"
#include "collectives/messages/memory.h"
#include "collectives/messages/programs_port.h"
#include "collectives/messages/waits.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/ranks/system.h"

/* eager data goes aboard one parcel */
#define EAGER_MAX	PE_PAYLOAD_MAX

static struct me_node *programs_node(struct pm_programs *p)
{
	return &p->world.nodes->node;
}

static int programs_over(void)
{
	return pd_error(EPIPE, "the launch has ended that the PEs of this end ran in");
}

static bool programs_is_own(const struct pm_programs *p, const struct me_request *r)
{
	uint32_t host = p->world.host_node;

	return r->kind == ME_SEND ? r->peer == host : r->entry.key.source == (int32_t)host;
}

/* the PEs are no more: what they had a part in ends */
static void programs_break(struct pm_programs *p)
{
	struct me_node *node = programs_node(p);
	struct me_request *r;

	for (uint32_t i = 0; (r = me_request_at(node, i)); i++) {
		if ((r->state != ME_ACTIVE && r->state != ME_CLAIMED) || programs_is_own(p, r))
			continue;
		if (r->kind == ME_RECEIVE && r->state == ME_ACTIVE) {
			me_queue_remove(&node->posted, &r->entry);
			r->status.source = r->entry.key.source == ME_ANY ?
					   0 : r->entry.key.source;
		}
		me_request_end(node, r, -EPIPE);
	}
}

static void programs_progress(struct pm_world *world)
{
	struct pm_programs *p = pm_programs_of(world);
	struct pd_parcel parcel;
	bool over = pd_guest_is_over(p->guest);

	me_lock(programs_node(p));
	while (pd_guest_take(p->guest, &parcel)) {
		pm_hop_arrive(p, &parcel);
		free(parcel.payload);
	}
	/* what came before the end has arrived */
	p->over |= over;
	if (p->over)
		programs_break(p);
	me_unlock(programs_node(p));
}

static int programs_wait(struct pm_wait *wait)
{
	struct pm_programs *p = pm_programs_of(wait->end->world);

	for (;;) {
		programs_progress(&p->world);
		if (wait->woken)
			return 0;
		if (p->over)
			return programs_over();
		pd_guest_wait(p->guest);
	}
}

static int programs_reaches(struct pm_world *world, uint32_t to)
{
	struct pm_programs *p = pm_programs_of(world);

	return to != world->host_node && p->over ? programs_over() : 0;
}

static void programs_share(struct pm_world *world, struct pm_segment *segment)
{
	(void)world;
	(void)segment;
}

static void programs_add_stats(struct pm_world *world, struct pimmsg_stats *stats)
{
	(void)world;
	(void)stats;
}

static void programs_free(struct pm_programs *p)
{
	while (p->inbox) {
		struct pm_hop_parcel *next = p->inbox->next;

		free(p->inbox);
		p->inbox = next;
	}
	if (p->world.nodes)
		me_node_close(programs_node(p));
	while (p->world.nodes && p->world.nodes->ends) {
		struct pimmsg_end *end = p->world.nodes->ends;

		p->world.nodes->ends = end->next;
		pm_end_free(end);
	}
	pd_inbox_free(&p->early);
	pm_segments_close(&p->world);
	free(p->world.nodes);
	free(p->programs);
	free(p);
}

static void programs_close(struct pm_world *world)
{
	struct pm_programs *p = pm_programs_of(world);

	pd_guest_close(p->guest);
	programs_free(p);
}

static const struct pm_apart programs_apart = {
	.progress = programs_progress,
	.wait = programs_wait,
	.reaches = programs_reaches,
	.share = programs_share,
	.unshare = programs_share,
	.add_stats = programs_add_stats,
	.close = programs_close,
};

static void programs_open_node(struct pm_programs *p, const struct pd_env_messages *env)
{
	struct me_node *node = programs_node(p);

	node->port = &pm_hop_port;
	node->world = &p->world;
	node->id = p->world.host_node;
	node->size = p->world.nr_pes + 1;
	node->eager_bytes = env->eager < EAGER_MAX ? env->eager : EAGER_MAX;
	node->poll = env->poll;
	me_node_open(node);
	p->world.host = (struct pimmsg_end){
		.world = &p->world,
		.node = p->world.nodes,
		.comm = { .size = p->world.nr_pes },
		.rank = PIMMSG_HOST,
	};
}

static struct pm_programs *programs_make(uint32_t first_pe, uint32_t nr_pes,
					 const struct pd_env_messages *env)
{
	struct pm_programs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->world.apart = &programs_apart;
	p->world.first_pe = first_pe;
	p->world.nr_pes = nr_pes;
	p->world.nr_nodes = 1;
	p->world.host_node = nr_pes;
	p->world.room = env->pool;
	p->world.next_context = 2;
	p->world.nodes = pm_nodes_new(1);
	p->programs = calloc(nr_pes, sizeof(*p->programs));
	if (!p->world.nodes || !p->programs) {
		free(p->world.nodes);
		free(p->programs);
		free(p);
		return NULL;
	}
	programs_open_node(p, env);
	return p;
}

int pimmsg_programs(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		    struct pimmsg_end **host)
{
	struct pd_env_messages env;
	struct pm_programs *p;
	int ret = pm_check_world(sys, first_pe, nr_pes, host);

	if (!ret)
		ret = pd_env_messages(&env);
	if (ret)
		return ret;
	p = programs_make(first_pe, nr_pes, &env);
	if (!p)
		return pd_error(ENOMEM, "no memory for an end of %u PEs", nr_pes);
	ret = pd_guest_open(sys, first_pe, nr_pes, &p->guest);
	if (ret)
		programs_free(p);
	if (ret == -EBUSY)
		return pd_error(EBUSY, "PEs %u to %u have an end of the host's, expected one at a time",
				first_pe, first_pe + nr_pes - 1);
	if (ret)
		return pd_error(-ret, "no memory for an end of %u PEs", nr_pes);
	*host = &p->world.host;
	return 0;
}
