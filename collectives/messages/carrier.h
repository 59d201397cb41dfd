/* SPDX-License-Identifier: MIT */
/* The port of the engine to threads of this process. */
#ifndef PM_CARRIER_H
#define PM_CARRIER_H

#include "collectives/messages/world.h"

extern const struct me_port pm_port;

/* messages, requests and ends of all nodes of a world are dropped, and the nodes */
void pm_nodes_close(struct pm_world *world);

#endif /* PM_CARRIER_H */
