/* SPDX-License-Identifier: MIT */
/* What hosts do that share no memory: what they have for each other goes in messages. */
#ifndef PC_MAILED_H
#define PC_MAILED_H

#include "collectives/call/call.h"

int pc_mailed_run(struct pc_call *call);
/* The same by the domain transfer and in host memory, in one step after the other. */
int pc_mailed_conventional_run(struct pc_call *call);

#endif /* PC_MAILED_H */
