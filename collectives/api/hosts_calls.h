/* SPDX-License-Identifier: MIT */
/* What calls on hypercubes over several hosts do before and after. */
#ifndef PC_HOSTS_CALLS_H
#define PC_HOSTS_CALLS_H

#include "collectives/call/args.h"
#include "collectives/call/crew.h"

/* 0, or -EOPNOTSUPP and a sentence for an algorithm that does not serve the hypercube. */
int pc_hosts_serves(const struct pidcomm *hc, const struct pc_algorithm *algorithm);

/*
 * All hosts begin a call, of the algorithm that is set, or refuse it with a sentence: 0, this
 * host's own refusal, -EPROTO for another's, or what broke.
 */
int pc_hosts_begin(struct pidcomm *hc, const struct pc_args *args, const struct pc_shape *shape,
		   const struct pc_algorithm *chosen, int refused);
/* The call ends when it does for all; ret as pc_hosts_leave_call(). */
int pc_hosts_end(struct pidcomm *hc, int ret);
/*
 * This host refuses a call, after all that it has started: the others are to learn of it.
 * Returns ret, or what broke. Nothing happens on hypercubes of one process, or where one of
 * its own requests is in the way, as at all hosts.
 */
int pc_hosts_refuse(struct pidcomm *hc, enum pc_collective id, int ret);
/* The same in a job of the queue itself. */
int pc_hosts_refuse_job(struct pidcomm *hc, enum pc_collective id, int ret);
/* What the hypercube has of other hosts. */
void pc_hosts_forget(struct pidcomm *hc);

#endif /* PC_HOSTS_CALLS_H */
