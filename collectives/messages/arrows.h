/* SPDX-License-Identifier: MIT */
/* Messages in the timeline: arrows from where they were sent to where they met their receive. */
#ifndef PM_ARROWS_H
#define PM_ARROWS_H

#include "collectives/messages/world.h"

/*
 * The world's nodes draw from here on, if the timeline is on. `own` names the track of the node
 * that is no PE's, until pm_arrows_close(); a constant. The numbers of arrows come from `seed`,
 * which both processes of a pair have, and no other world; 0: the world is of this one alone.
 */
void pm_arrows_open(struct pm_world *world, const char *own, uint64_t seed);
void pm_arrows_close(struct pm_world *world);

void pm_arrow_begins(const struct pimmsg_end *end, const struct me_send *send);
/* the port's met(): see struct me_port */
void pm_arrow_ends(struct me_node *node, const struct me_frame *frame);

/* a send is about to begin */
static inline void pm_arrow_send(const struct pimmsg_end *end, const struct me_send *send)
{
	if (__builtin_expect(end->node->node.draws, 0))
		pm_arrow_begins(end, send);
}

#endif /* PM_ARROWS_H */
