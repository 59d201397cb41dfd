/* SPDX-License-Identifier: MIT */
/*
 * Worker processes. Each has a keeper between it and the host: a process that
 * shares the host's memory and only waits for its worker's end, so that the host
 * program's wait() and SIGCHLD never see a worker. They die with the host.
 */
#ifndef PD_CHILD_H
#define PD_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/pe/shared/shared.h"

struct pd_nursery;
struct pd_child;

int pd_nursery_create(struct pd_nursery **nursery);
/* every child must have been ended */
void pd_nursery_destroy(struct pd_nursery *nursery);

/*
 * Start a worker with these descriptors, which stay the caller's. `call` is
 * woken when it dies. Returns 0, or -EAGAIN, -ENOMEM and a sentence.
 */
int pd_child_start(struct pd_nursery *nursery, const int fds[PE_NR_FDS],
		   volatile uint32_t *call, struct pd_child **child);
bool pd_child_dead(const struct pd_child *child);
/* its process's number; 0: it has none any more, or that may be another's */
pid_t pd_child_number(const struct pd_child *child);
/*
 * Whether it has something to do and may have been kept from it, being runnable or
 * stopped by somebody; and the processor time that it has had. One that sleeps, or
 * nothing is known of, has not.
 */
bool pd_child_kept(const struct pd_child *child, uint64_t *cpu_ns);
/* how it died, in a few words */
void pd_child_death(const struct pd_child *child, char *buf, size_t bytes);
/* the signal that it died of, or 0 */
int pd_child_signal(const struct pd_child *child);
/* kill it if it lives; returns when it can touch nothing any more */
void pd_child_end(struct pd_child *child);

#endif /* PD_CHILD_H */
