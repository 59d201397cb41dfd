/* SPDX-License-Identifier: MIT */
/* Copies between MRAMs, collected while kernels run, for entangled groups to be whole. */
#ifndef PM_COLLECTED_H
#define PM_COLLECTED_H

#include "collectives/messages/world.h"

/* whether the copy of a send was collected: else there was no memory for it */
bool pm_collect(struct pm_world *world, struct me_node *node, struct me_request *send,
		const struct me_buffer *to);
/* does all that was; whether there was something. The caller is in no node. */
bool pm_copy_collected(struct pm_world *world);
/* kernels run: copies that wait for too long are done */
void pm_copy_overdue(struct pm_world *world);

#endif /* PM_COLLECTED_H */
