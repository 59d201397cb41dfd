/* SPDX-License-Identifier: MIT */
/* Hosts of several machines, and parts of them, as one of them makes and ends them. */
#ifndef PC_ACROSS_WORLD_OPEN_H
#define PC_ACROSS_WORLD_OPEN_H

#include "collectives/across/machines.h"

/* beyond the deadline: so long a machine's own hosts are waited for first, whose names are known */
#define PC_WORLD_GRACE_MS	500

/* The first one of a transport, and a part of one that has tags of its own; NULL: no memory. */
struct pc_world *pc_world_new(const struct pimdimm_transport *transport);
struct pc_world *pc_world_new_part(struct pc_world *of, uint32_t base);
/* What a transport's worlds at this host have of its tags. */
void pc_world_bases(const struct pc_world *w, uint8_t used[PC_NET_BASES / 8]);
/* Where it is known who is where: the hosts, as callers have them, whose calls do what `beyond`
 * says. NULL: no memory. */
struct pimdimm_hosts *pc_world_open(struct pc_world *w, uint32_t host, uint32_t hosts,
				    const pid_t pids[], const struct pc_hosts_beyond *beyond);
/* It, and what it has of the transport, but not the machine's hosts. */
void pc_world_free(struct pc_world *w);

/*
 * An abort, which any thread may make: where that one may not send, the one that makes calls
 * does. What others tell of breaks, likewise. Who is where; and the end of all, which never waits.
 */
void pc_world_abort(struct pimdimm_hosts *h, const char *words);
void pc_world_hear(const struct pimdimm_hosts *h);
void pc_world_info(const struct pimdimm_hosts *h, struct pimdimm_hosts_info *info);
void pc_world_drop(struct pimdimm_hosts *h);

#endif /* PC_ACROSS_WORLD_OPEN_H */
