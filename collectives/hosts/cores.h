/* SPDX-License-Identifier: MIT */
/* Which processors the hosts may run on, and which of them are whose. */
#ifndef PC_HOSTS_CORES_H
#define PC_HOSTS_CORES_H

#include <sched.h>

#include "collectives/hosts/machine.h"

/* This thread's affinity mask, as the others are told of it; empty where it is too long. */
void pc_hosts_own_pus(cpu_set_t *pus);
/*
 * All have arrived with their masks: whether waiters may spin, and this host's cores where
 * others have the same mask. Systems that this process opens from now on keep to them, until
 * pc_hosts_drop(). 0 or -ENOMEM.
 */
int pc_hosts_share_cores(struct pimdimm_hosts *h);

#endif /* PC_HOSTS_CORES_H */
