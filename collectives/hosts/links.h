/* SPDX-License-Identifier: MIT */
/* Descriptors that the keeper hands to the other hosts in the course of a call. */
#ifndef PC_HOSTS_LINKS_H
#define PC_HOSTS_LINKS_H

#include "collectives/hosts/machine.h"
#include "collectives/hosts/wire.h"

/*
 * To one host, for this call; or why there is nothing for it: a negative errno in `code`,
 * its sentence kept, which is told as this host's. 0 or a negative errno.
 */
int pc_hosts_hand(struct pimdimm_hosts *h, uint32_t to, enum pc_wire_kind kind, int code,
		  const int fds[], size_t count);
/* The same of what another host has handed to this one, or why there is nothing. */
int pc_hosts_hand_on(struct pimdimm_hosts *h, uint32_t to, enum pc_wire_kind kind, int code,
		     const int fds[], size_t count);
/* As pc_hosts_take(), from any host that this one is connected with. */
int pc_hosts_take_from(struct pimdimm_hosts *h, uint32_t from, enum pc_wire_kind kind, int fds[],
		       size_t *count);
/*
 * From the keeper: descriptors of this call, in fds of PC_WIRE_FDS, which are the caller's
 * then. 0, the keeper's error, or what broke.
 */
int pc_hosts_take(struct pimdimm_hosts *h, enum pc_wire_kind kind, int fds[], size_t *count);

#endif /* PC_HOSTS_LINKS_H */
