/* SPDX-License-Identifier: MIT */
/* How a call begins: every host says what it is about to do, and hears the others. */
#ifndef PC_HOSTS_AGREE_H
#define PC_HOSTS_AGREE_H

#include "collectives/hosts/machine.h"

/* the step of a call that a host has reached who has arrived; later ones are the call's */
#define PC_HOSTS_ARRIVED	1

/*
 * Arrive at the next call and wait for all others, before a byte is moved. refused: 0, or
 * the negative errno with which this host refuses to make it, its sentence kept. With
 * `cell`, `bytes` of it are handed to the others on the way.
 *
 * 0: all make the same call, and h->peers has what each said. The host's own refusal;
 * -EPROTO where another one refuses, with its sentence, or for good where calls differ;
 * -EBUSY in a child of fork(); or what broke.
 */
int pc_hosts_arrive(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused,
		    const void *cell, size_t bytes);
/*
 * The same at the end of a call that hands something over in between: all have it, or none keeps
 * it. What the call has counted stays, and its last wait is that for the others to be done.
 */
int pc_hosts_arrive_again(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused);
/* What a host has handed over on its arrival, so many bytes. */
const uint8_t *pc_hosts_cell(const struct pimdimm_hosts *h, uint32_t host, size_t bytes);
/* the last step of calls that others work on for a host, too */
#define PC_HOSTS_LEFT		UINT32_MAX
/*
 * Leave such a call when all do, with what this host says of it: 0, or a negative errno, its
 * sentence kept. Returns what broke, or ret, or -EIO where another host has failed, with its
 * sentence; the call is over. h->faulted is said on leaving, and then of all hosts.
 */
int pc_hosts_leave_call(struct pimdimm_hosts *h, int ret);
/* "allreduce of 64 bytes ..." */
void pc_hosts_describe(const struct pc_hosts_args *args, char *text, size_t bytes);
/* The call is over for this host; returns ret. */
int pc_hosts_over(struct pimdimm_hosts *h, int ret);

#endif /* PC_HOSTS_AGREE_H */
