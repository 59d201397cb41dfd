/* SPDX-License-Identifier: MIT */
/* What all calls of collectives that return when they are done have in common. */
#ifndef PC_CALLS_H
#define PC_CALLS_H

#include "collectives/call/args.h"

/* Check the arguments, run the algorithm that is set: 0 or a negative errno. */
int pc_call_now(struct pidcomm *hc, struct pc_args args);

#endif /* PC_CALLS_H */
