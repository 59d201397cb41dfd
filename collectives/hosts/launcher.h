/* SPDX-License-Identifier: MIT */
/* Which host this process is, as who started it says in the environment. */
#ifndef PC_HOSTS_LAUNCHER_H
#define PC_HOSTS_LAUNCHER_H

#include <stdint.h>

/* bytes of a meeting's path, with the end */
#define PC_HOSTS_PATH	108

struct pc_hosts_launched {
	uint32_t host, count;
	char meeting[PC_HOSTS_PATH];
};

/*
 * 0; -EINVAL where nobody says so, or what makes no sense; -EOPNOTSUPP where the processes are
 * of several machines.
 */
int pc_hosts_launched(struct pc_hosts_launched *launched);

#endif /* PC_HOSTS_LAUNCHER_H */
