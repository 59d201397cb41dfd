/* SPDX-License-Identifier: MIT */
/*
 * A host's waits for others. With PIMDIMM_LOG=hosts long ones are told on standard error. In the
 * timeline, one that takes long is there as it goes on, since it may never end; others are from
 * their ends on, and those who did not sleep never.
 */
#ifndef PC_HOSTS_WAITING_H
#define PC_HOSTS_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/watch/timeline.h"
#include "collectives/hosts/machine.h"

struct pc_hosts_waiting {
	uint64_t begun;
	uint64_t tell;		/* it is told when it has taken so long; 0: as at first */
	bool slept;		/* else it is no event */
	struct pd_span span;	/* of one that takes long */
	char name[32];		/* the span's */
};

/*
 * Wait until another host has come so far in this call, or has ended it. 0, or what
 * broke: a negative errno, its sentence kept.
 */
int pc_hosts_wait(struct pimdimm_hosts *h, uint32_t peer, uint32_t step);
/* The same of all hosts. */
int pc_hosts_wait_all(struct pimdimm_hosts *h, uint32_t step);

/* Whether a wait is to be told now: the seconds that it has taken, or 0. */
uint64_t pc_hosts_tell_now(bool logs, struct pc_hosts_waiting *waiting);
/* A wait for a host goes on: it is told where it is time to. */
void pc_hosts_tell_long(const struct pimdimm_hosts *h, uint32_t peer,
			struct pc_hosts_waiting *waiting);
/* A wait for a host goes on for long; it is over. Both tell the timeline, if it is on. */
void pc_hosts_waits_long(const struct pimdimm_hosts *h, uint32_t peer,
			 struct pc_hosts_waiting *waiting);
void pc_hosts_waited(const struct pimdimm_hosts *h, uint32_t peer,
		     struct pc_hosts_waiting *waiting);

#endif /* PC_HOSTS_WAITING_H */
