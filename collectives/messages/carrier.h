/* SPDX-License-Identifier: MIT */
/* The port of the engine to threads of this process. */
#ifndef PM_CARRIER_H
#define PM_CARRIER_H

#include "collectives/messages/world.h"

extern const struct me_port pm_port;

/* parcels that nobody has and that nobody will hand over */
void pm_node_empty(struct pm_node *node);

#endif /* PM_CARRIER_H */
