/* SPDX-License-Identifier: MIT */
/* How hosts of several machines arrive at a call, and end it. */
#ifndef PC_ACROSS_VERDICT_H
#define PC_ACROSS_VERDICT_H

#include "collectives/across/machines.h"

/* As pc_hosts_arrive(); what others said is not handed on. */
int pc_world_arrive(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused);
/* As pc_hosts_leave_call(). */
int pc_world_leave_call(struct pimdimm_hosts *h, int ret);
/* As pc_hosts_over(). */
int pc_world_over(struct pimdimm_hosts *h, int ret);

#endif /* PC_ACROSS_VERDICT_H */
