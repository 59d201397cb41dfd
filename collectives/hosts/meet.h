/* SPDX-License-Identifier: MIT */
/*
 * How hosts find each other: at a socket, which the first one to come opens. It hears
 * the others, refuses whom it must, and hands all of them the same memory and the means
 * to learn of each other's end.
 */
#ifndef PC_HOSTS_MEET_H
#define PC_HOSTS_MEET_H

#include "collectives/hosts/machine.h"

/*
 * Host h->host of h->hosts meets the others at a path until the deadline: h's page,
 * processes and connections are then there, and nothing is left at the path. 0 or a
 * negative errno, as pimdimm_hosts_join().
 */
int pc_hosts_meet(struct pimdimm_hosts *h, const char *path, uint64_t deadline);

#endif /* PC_HOSTS_MEET_H */
