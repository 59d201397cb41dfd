/* SPDX-License-Identifier: MIT */
/* The socket that hosts meet at, and who opens and removes it. */
#ifndef PC_HOSTS_MEET_DOOR_H
#define PC_HOSTS_MEET_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A connection to the host that listens at a path or, where nobody does, the socket at
 * which this one now listens; what a dead host has left there is replaced. Returns the
 * descriptor or a negative errno, its sentence kept.
 */
int pc_hosts_door_open(const char *path, uint64_t deadline, bool *listens);
/* Nobody can connect any more, and nothing is left there: for who listens. */
void pc_hosts_door_close(const char *path);
/* Remove what a host has left that listened and is dead; if another one listens now, not. */
void pc_hosts_door_sweep(const char *path);
/* Who is on the other side: 0; -EACCES where it is another user. */
int pc_hosts_door_user(int connection, pid_t *pid);

#endif /* PC_HOSTS_MEET_DOOR_H */
