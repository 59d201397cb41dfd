// SPDX-License-Identifier: MIT
/*
 * Messages in the timeline. Whoever sends and whoever receives draw an end of the arrow each, so
 * that nothing travels for it: both know who sent the message, in which group, and the how many-th
 * of the sender's it is.
 */
#include <unistd.h>

#include "collectives/messages/arrows.h"
#include "runtime/ranks/system.h"

/* what readers of JSON keep of a number */
#define NUMBER_BITS	53

static uint64_t arrow_number(const struct pm_world *w, uint32_t from, uint32_t context,
			     uint64_t serial)
{
	return me_mix(me_mix(w->arrows_seed, (uint64_t)from << 32 | context), serial) >>
	       (64 - NUMBER_BITS);
}

/* the track of a node of this process */
static struct pd_timeline_place arrow_place(struct pm_world *w, uint32_t node)
{
	if (w->apart || node == w->host_node)
		return (struct pd_timeline_place){ .own = &w->track };
	return (struct pd_timeline_place){ .tracks = w->sys->tracks, .pe = w->first_pe + node };
}

void pm_arrows_open(struct pm_world *w, const char *own, uint64_t seed)
{
	if (!pd_timeline_on())
		return;
	pd_timeline_track_open(&w->track, own);
	w->arrows_seed = seed ? seed : (uint64_t)getpid() << 32 | w->track.number;
	for (uint32_t i = 0; i < w->nr_nodes; i++)
		w->nodes[i].node.draws = true;
}

void pm_arrows_close(struct pm_world *w)
{
	pd_timeline_track_close(&w->track);
}

/* a message to oneself is no arrow */
void pm_arrow_begins(const struct pimmsg_end *end, const struct me_send *send)
{
	const uint32_t from = end->node->node.id;
	struct pd_timeline_place at = arrow_place(end->world, from);

	if (send->to != from)
		pd_timeline_arrow_end(&at, "message",
				      arrow_number(end->world, from, send->context, send->serial),
				      true);
}

void pm_arrow_ends(struct me_node *node, const struct me_frame *frame)
{
	struct pm_world *w = node->world;
	struct pd_timeline_place at = arrow_place(w, node->id);

	if (frame->from != node->id)
		pd_timeline_arrow_end(&at, "message",
				      arrow_number(w, frame->from, frame->context, frame->serial),
				      false);
}
