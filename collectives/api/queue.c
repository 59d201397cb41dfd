// SPDX-License-Identifier: MIT
/*
 * Jobs of a hypercube: a queue, and one thread that runs them in order. All of a
 * call's parallelism is inside the call.
 *
 * A child after fork() has the queue's memory and not its thread, and the lock
 * in whatever state it was: it begins a queue of its own in the same place, which
 * knows its parent's jobs and refuses to tell how they ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectives/api/queue.h"
#include "collectives/call/ops.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"

struct pc_queue {
	pid_t pid;
	bool runs;		/* its thread has been started */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;	/* a job came or ended, or it is to stop */
	bool stop;
	/* all that are outstanding, in order: those that have ended come first */
	struct pc_job *first;
};

static void queue_begin(struct pc_queue *q)
{
	q->pid = getpid();
	q->runs = false;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->moved, NULL);
}

/* the hypercube's queue in this process; NULL before the first job */
static struct pc_queue *queue_of(const struct pidcomm *hc)
{
	struct pc_queue *q = hc->queue;

	if (!q || q->pid == getpid())
		return q;
	for (struct pc_job *job = q->first; job; job = job->next) {
		if (job->state == PC_JOB_WAITING)
			job->state = PC_JOB_LOST;
	}
	queue_begin(q);
	return q;
}

static struct pc_job *first_waiting(const struct pc_queue *q)
{
	struct pc_job *job = q->first;

	while (job && job->state != PC_JOB_WAITING)
		job = job->next;
	return job;
}

static void run_job(struct pc_job *job)
{
	job->result = job->run(job);
	if (job->result)
		strcpy(job->message, pimdimm_errmsg());
}

static void *run_jobs(void *arg)
{
	struct pc_queue *q = arg;
	struct pc_job *job;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!(job = first_waiting(q)) && !q->stop)
			pthread_cond_wait(&q->moved, &q->lock);
		if (!job)
			break;
		pthread_mutex_unlock(&q->lock);
		run_job(job);
		pthread_mutex_lock(&q->lock);
		job->state = PC_JOB_ENDED;
		pthread_cond_broadcast(&q->moved);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static void queue_free(struct pc_queue *q)
{
	pthread_cond_destroy(&q->moved);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* a queue with a thread that runs it */
static int queue_begin_thread(struct pidcomm *hc)
{
	struct pc_queue *q = queue_of(hc);
	bool fresh = !q;
	int err;

	if (q && q->runs)
		return 0;
	if (fresh) {
		q = calloc(1, sizeof(*q));
		if (!q)
			return pd_error(ENOMEM, "no memory for requests");
		queue_begin(q);
	}
	err = pd_thread_start(&q->thread, run_jobs, q);
	if (err) {
		if (fresh)
			queue_free(q);
		return pd_error(err, "cannot start a thread for requests");
	}
	q->runs = true;
	hc->queue = q;
	return 0;
}

/* lock held */
static void wait_idle(struct pc_queue *q)
{
	while (first_waiting(q))
		pthread_cond_wait(&q->moved, &q->lock);
}

/* what is waiting has its turn first */
static void queue_stop(struct pc_queue *q)
{
	int before = pd_cancel_off();

	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->moved);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	pd_cancel_restore(before);
}

void pc_queue_destroy(struct pidcomm *hc)
{
	struct pc_queue *q = queue_of(hc);

	if (!q)
		return;
	if (q->runs)
		queue_stop(q);
	while (q->first) {
		struct pc_job *job = q->first;

		q->first = job->next;
		job->state = PC_JOB_IDLE;
		job->forget(job);
	}
	queue_free(q);
}

static bool ranges_meet(uint64_t a, uint64_t a_bytes, uint64_t b,
			uint64_t b_bytes)
{
	return a_bytes && b_bytes && a < b + b_bytes && b < a + a_bytes;
}

/* whether one writes what the other reads or writes */
static bool ranges_collide(const struct pc_ranges *a, const struct pc_ranges *b)
{
	return ranges_meet(a->written, a->written_bytes, b->read,
			   b->read_bytes) ||
	       ranges_meet(a->written, a->written_bytes, b->written,
			   b->written_bytes) ||
	       ranges_meet(a->read, a->read_bytes, b->written,
			   b->written_bytes);
}

/* lock held */
static int check_free(const struct pc_queue *q, const struct pc_use *use)
{
	for (const struct pc_job *job = q->first; job; job = job->next) {
		const struct pc_use *other = &job->use;

		if (job->state == PC_JOB_LOST)
			continue;
		if (ranges_collide(&use->ranges, &other->ranges))
			return pd_error(EBUSY,
					"%s of src=%" PRIu64 " dst=%" PRIu64
					" bytes=%" PRIu64
					" meets an outstanding %s of src=%" PRIu64
					" dst=%" PRIu64 " bytes=%" PRIu64
					", expected disjoint ranges",
					use->name, use->src, use->dst,
					use->bytes, other->name, other->src,
					other->dst, other->bytes);
	}
	return 0;
}

struct pc_use pc_use_of(const struct pc_args *args, uint32_t members)
{
	struct pc_use use = { pc_collective_name(args->id), args->src,
			      args->dst, args->bytes, { 0 } };

	pc_args_ranges(args, members, &use.ranges);
	return use;
}

int pc_queue_wait(struct pidcomm *hc, const struct pc_use *use)
{
	struct pc_queue *q = queue_of(hc);
	int ret, before;

	before = pd_cancel_off();
	pthread_mutex_lock(&q->lock);
	ret = check_free(q, use);
	if (!ret)
		wait_idle(q);
	pthread_mutex_unlock(&q->lock);
	pd_cancel_restore(before);
	return ret;
}

void pc_queue_idle(struct pidcomm *hc)
{
	struct pc_queue *q = queue_of(hc);
	int before;

	if (!q)
		return;
	before = pd_cancel_off();
	pthread_mutex_lock(&q->lock);
	wait_idle(q);
	pthread_mutex_unlock(&q->lock);
	pd_cancel_restore(before);
}

/* lock held */
static void queue_append(struct pc_queue *q, struct pc_job *job)
{
	struct pc_job **end = &q->first;

	while (*end)
		end = &(*end)->next;
	job->next = NULL;
	job->state = PC_JOB_WAITING;
	*end = job;
	pthread_cond_broadcast(&q->moved);
}

int pc_queue_start(struct pidcomm *hc, struct pc_job *job)
{
	struct pc_queue *q;
	int ret = queue_begin_thread(hc);

	if (ret)
		return ret;
	job->hc = hc;
	q = hc->queue;
	pthread_mutex_lock(&q->lock);
	ret = check_free(q, &job->use);
	if (!ret)
		queue_append(q, job);
	pthread_mutex_unlock(&q->lock);
	return ret;
}

bool pc_queue_has(const struct pidcomm *hc, const struct pc_job *job)
{
	struct pc_queue *q = queue_of(hc);
	bool outstanding;

	if (!q)
		return false;
	pthread_mutex_lock(&q->lock);
	outstanding = job->state != PC_JOB_IDLE;
	pthread_mutex_unlock(&q->lock);
	return outstanding;
}

/* lock held; the job is no longer outstanding */
static void take_out(struct pc_queue *q, struct pc_job *job)
{
	struct pc_job **at = &q->first;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	job->state = PC_JOB_IDLE;
}

enum pc_job_state pc_queue_tell(const struct pidcomm *hc, struct pc_job *job,
				bool wait)
{
	struct pc_queue *q = queue_of(hc);
	int before = pd_cancel_off();
	enum pc_job_state state;

	pthread_mutex_lock(&q->lock);
	while (wait && job->state == PC_JOB_WAITING)
		pthread_cond_wait(&q->moved, &q->lock);
	state = job->state;
	if (state != PC_JOB_WAITING)
		take_out(q, job);
	pthread_mutex_unlock(&q->lock);
	pd_cancel_restore(before);
	return state;
}
