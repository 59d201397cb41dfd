/* SPDX-License-Identifier: MIT */
/* A PE that has stopped, for who looks at it: memory, and where its tasklets are. */
#ifndef PD_SCENE_H
#define PD_SCENE_H

#include "runtime/pe/process/registers.h"
#include "runtime/pe/process/slot.h"

/* the most of a tasklet in words, with what it waits for */
#define PD_SCENE_WORDS	64

struct pd_scene {
	struct pd_slot *slot;
	uint32_t pe;
	bool begun;		/* else no tasklet has taken a step */
};

uint32_t pd_scene_tasklets(const struct pd_scene *scene);
/* the one that runs */
uint32_t pd_scene_current(const struct pd_scene *scene);
/* As pd_tasklet_registers(); of one that is at its beginning or end: the entry. */
void pd_scene_registers(const struct pd_scene *scene, uint32_t tasklet,
			struct pd_registers *r);
/* what a tasklet does: a constant */
const char *pd_scene_state(const struct pd_scene *scene, uint32_t tasklet);

/* How many bytes could be read from an address of the worker's memory. */
uint64_t pd_scene_read(const struct pd_scene *scene, uint64_t address, uint8_t *bytes,
		       uint64_t nr_bytes);
/* false: not all of it is memory that can be written; none of it has been */
bool pd_scene_write(const struct pd_scene *scene, uint64_t address, const uint8_t *bytes,
		    uint64_t nr_bytes);

#endif /* PD_SCENE_H */
