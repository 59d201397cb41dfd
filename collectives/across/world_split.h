/* SPDX-License-Identifier: MIT */
/* Parts of hosts on several machines. */
#ifndef PC_ACROSS_WORLD_SPLIT_H
#define PC_ACROSS_WORLD_SPLIT_H

#include "collectives/across/machines.h"

/* As pimdimm_hosts_split(); refused: 0, or why this host does not. */
int pc_world_split(struct pimdimm_hosts *h, const struct pc_hosts_said *said, int refused,
		   struct pimdimm_hosts **part);

#endif /* PC_ACROSS_WORLD_SPLIT_H */
