/* SPDX-License-Identifier: MIT */
/* What ports to this process's buffers and threads have in common: see struct me_port. */
#ifndef PM_PORT_H
#define PM_PORT_H

#include "collectives/messages/engine/port.h"

bool pm_port_agree(struct me_node *node, const struct me_buffer *to, uint64_t bytes,
		   uint64_t signature);
void pm_port_done(struct me_node *node, struct me_request *request);
void pm_port_wake(struct me_node *node, void *waiter);

#endif /* PM_PORT_H */
