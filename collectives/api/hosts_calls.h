/* SPDX-License-Identifier: MIT */
/* What calls on hypercubes over several hosts do before and after. */
#ifndef PC_HOSTS_CALLS_H
#define PC_HOSTS_CALLS_H

#include "collectives/call/args.h"
#include "collectives/call/crew.h"
#include "collectives/call/phases.h"

struct pc_request;

/* 0, or -EOPNOTSUPP and a sentence for an algorithm that does not serve the hypercube. */
int pc_hosts_serves(const struct pidcomm *hc, const struct pc_algorithm *algorithm);

/* 0, or -EOPNOTSUPP and a sentence where a thread of the library may not make calls. */
int pc_hosts_may_start(const struct pidcomm *hc);

/*
 * How this host would have a call go that touches so many bytes: which counts of host 0, who
 * has tried. What it is, is in hc->crew->way when the call has begun.
 */
struct pc_way pc_hosts_propose(struct pidcomm *hc, const struct pc_args *args,
			       const struct pc_shape *shape, const struct pc_algorithm *chosen,
			       uint64_t bytes);
/* What `auto` runs of a call that has begun. */
const struct pc_algorithm *pc_hosts_choose(const struct pidcomm *hc, const struct pc_args *args);
/* Why, for the trace. */
const char *pc_hosts_why(const struct pidcomm *hc);

/* Take what a call needs that goes by messages: see pc_mailed_reserve(). */
int pc_hosts_reserve(struct pc_request *req, const struct pc_algorithm *chosen);
/*
 * All hosts begin a call, of the algorithm that is set, or refuse it with a sentence: 0, this
 * host's own refusal, -EPROTO for another's, or what broke.
 */
int pc_hosts_begin(struct pidcomm *hc, const struct pc_args *args, const struct pc_shape *shape,
		   const struct pc_algorithm *chosen, struct pc_way way, int refused);
/* What a collective does that works in no phases: all of it is one. */
enum pc_phase pc_hosts_only_phase(enum pc_collective id);
/* The call, begun at `begun`, ends when it does for all; ret as pc_hosts_leave_call(). */
int pc_hosts_end(const struct pc_call *call, uint64_t begun, int ret);
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
