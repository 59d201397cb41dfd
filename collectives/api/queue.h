/* SPDX-License-Identifier: MIT */
/* Jobs of a hypercube that run behind, one after the other. */
#ifndef PC_QUEUE_H
#define PC_QUEUE_H

#include "collectives/call/args.h"

/* where a job stands; guarded by its queue's lock */
enum pc_job_state {
	PC_JOB_IDLE,		/* not started, or its end has been told */
	PC_JOB_WAITING,
	PC_JOB_ENDED,		/* its end has not been told */
	PC_JOB_LOST,		/* outstanding in the process that forked this one */
};

/* what a call uses of each PE's MRAM, and what sentences say of it */
struct pc_use {
	const char *name;
	uint64_t src, dst, bytes;
	struct pc_ranges ranges;
};

/* a checked call, and how it ended */
struct pc_job {
	struct pc_use use;
	/* do what it asks for: 0, or a negative errno and a sentence */
	int (*run)(struct pc_job *job);
	/* called where the hypercube is destroyed before its end has been told */
	void (*forget)(struct pc_job *job);

	enum pc_job_state state;
	int result;
	char message[512];	/* pimdimm_errmsg() of a failure */
	struct pidcomm_stats stats;
	struct pidcomm *hc;
	struct pc_job *next;	/* outstanding, in order */
};

/* the outstanding jobs of a hypercube, and the thread that runs them */
struct pc_queue;

/*
 * -EBUSY and a sentence if the call touches what an outstanding job uses; else
 * wait until none is running, so that the caller may run its own.
 */
int pc_queue_wait(struct pidcomm *hc, const struct pc_use *use);

/* Wait until no job is running or about to. */
void pc_queue_idle(struct pidcomm *hc);

struct pc_use pc_use_of(const struct pc_args *args, uint32_t members);

static inline int pc_queue_enter(struct pidcomm *hc, const struct pc_args *args,
				 uint32_t members)
{
	struct pc_use use;

	if (!hc->queue)
		return 0;
	use = pc_use_of(args, members);
	return pc_queue_wait(hc, &use);
}

/* Start an idle job; -EBUSY as above, -ENOMEM, or no thread. */
int pc_queue_start(struct pidcomm *hc, struct pc_job *job);

/* whether the job has been started and its end has not been told */
bool pc_queue_has(const struct pidcomm *hc, const struct pc_job *job);

/*
 * Tell how an outstanding job stands, and where it has ended, or is lost, that is
 * its end: it is idle again. With `wait` it has ended.
 */
enum pc_job_state pc_queue_tell(const struct pidcomm *hc, struct pc_job *job,
				bool wait);

/* Wait for all jobs and forget them; for pidcomm_destroy(). */
void pc_queue_destroy(struct pidcomm *hc);

#endif /* PC_QUEUE_H */
