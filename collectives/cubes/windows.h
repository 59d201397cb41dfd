/* SPDX-License-Identifier: MIT */
/* The windows of all hosts' ranks, as one of them maps them. */
#ifndef PC_CUBES_WINDOWS_H
#define PC_CUBES_WINDOWS_H

#include "collectives/cubes/state.h"

/*
 * Make this host's view of all ranks. All hosts do so in one call: 0, -ENOMEM, -EIO for
 * descriptors that are not what they should be, or what broke.
 */
int pc_cubes_map(struct pc_cubes *c);
void pc_cubes_unmap(struct pc_cubes *c);

#endif /* PC_CUBES_WINDOWS_H */
