/* SPDX-License-Identifier: MIT */
/* A checked call is prepared and handed to its algorithm. */
#ifndef PC_RUN_H
#define PC_RUN_H

#include "collectives/call/args.h"

/*
 * chosen: the algorithm that the caller set, NULL for `auto`. After 0, stats
 * holds what the call moved.
 */
int pc_run(struct pidcomm *hc, const struct pc_args *args,
	   const struct pc_shape *shape, const struct pc_algorithm *chosen,
	   struct pidcomm_stats *stats);

#endif /* PC_RUN_H */
