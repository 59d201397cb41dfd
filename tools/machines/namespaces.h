/* SPDX-License-Identifier: MIT */
/* Processes in namespaces of their own, which end with the first one in them. */
#ifndef PIMDIMM_MACHINES_NAMESPACES_H
#define PIMDIMM_MACHINES_NAMESPACES_H

#include <sys/types.h>

/*
 * fork() into new network, process, mount, name and IPC namespaces, within a new user
 * namespace, too, where the caller may not make them otherwise. The child is the first process
 * there: when it ends, whatever else runs there is killed; it ends when its parent does.
 * Returns 0 in it, the child's process in the parent, a negative errno.
 */
pid_t namespaces_fork(void);

/*
 * In the child: mounts are its own from now on, processes those of its namespace, shared
 * memory an empty folder but for one that is kept there, or NULL. 0, or a negative errno after
 * a message.
 */
int namespaces_settle(const char *keep);

/* Another file in the place of one, for who is in the namespace. 0 or a negative errno. */
int namespaces_replace(const char *path, const char *by);

/* why the kernel refuses namespaces, and what decides it, for people */
void namespaces_tell(int err);

#endif /* PIMDIMM_MACHINES_NAMESPACES_H */
