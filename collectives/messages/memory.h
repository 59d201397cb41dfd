/* SPDX-License-Identifier: MIT */
/* Memory of pimmsg_alloc(), of a world. */
#ifndef PM_MEMORY_H
#define PM_MEMORY_H

#include "collectives/messages/world.h"

struct pm_segment {
	struct pm_segment *next;
	uint8_t *base;
	uint64_t bytes, number;
	int fd;			/* of its file, as long as somebody is to be told; -1 */
	bool told;		/* the other process knows it */
};

/* which one has the bytes [lo, hi), or NULL */
struct pm_segment *pm_segment_of(struct pm_world *world, uintptr_t lo, uintptr_t hi);
/* all that are left go */
void pm_segments_close(struct pm_world *world);

#endif /* PM_MEMORY_H */
