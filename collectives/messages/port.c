// SPDX-License-Identifier: MIT
/* Calls of the engine that are the same whatever carries messages: see struct me_port. */
#include "collectives/messages/payload.h"
#include "collectives/messages/port.h"
#include "collectives/messages/waits.h"

bool pm_port_agree(struct me_node *node, const struct me_buffer *to, uint64_t bytes,
		   uint64_t signature)
{
	(void)node;
	return pm_agree(to, bytes, signature);
}

void pm_port_done(struct me_node *node, struct me_request *request)
{
	(void)node;
	pm_buffer_release(&request->buffer);
	pm_request_done(request);
}

void pm_port_wake(struct me_node *node, void *waiter)
{
	(void)node;
	pm_wake(waiter);
}
