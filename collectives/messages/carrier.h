/* SPDX-License-Identifier: MIT */
/* The port of the engine to threads of this process. */
#ifndef PM_CARRIER_H
#define PM_CARRIER_H

#include "collectives/messages/world.h"

extern const struct me_port pm_port;

/*
 * The calling thread is in the node for a moment, and takes what comes: whether something did.
 * Otherwise its sender would enter the node, and fetch all that it needs there from another CPU.
 */
bool pm_linger(struct pm_node *n);

/* of a world, cleared, with nobody in them; NULL: no memory */
struct pm_node *pm_nodes_new(uint32_t nr);
/* messages, requests and ends of all nodes of a world are dropped, and the nodes */
void pm_nodes_close(struct pm_world *world);

#endif /* PM_CARRIER_H */
