/* SPDX-License-Identifier: MIT */
/* Groups' buffers in memory that all hosts map, which all of them then work on. */
#ifndef PC_CUBES_VECTORS_H
#define PC_CUBES_VECTORS_H

#include "collectives/call/args.h"
#include "collectives/cubes/state.h"

/*
 * Before the arrival: say where this host's groups' buffers of a rooted call lie. false: not all
 * of them are of pimdimm_hosts_alloc().
 */
bool pc_cubes_say_buffers(struct pc_cubes *c, const struct pc_args *a, const struct pc_shape *s);
/*
 * After it: c->crew.bufs are all groups' buffers, mapped here, where all hosts have said so;
 * else NULL. 0, or what broke.
 */
int pc_cubes_map_buffers(struct pc_cubes *c, const struct pc_args *a, const struct pc_shape *s);

#endif /* PC_CUBES_VECTORS_H */
