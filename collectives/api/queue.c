/* SPDX-License-Identifier: MIT */
/*
 * Requests of a hypercube: a queue, and one thread that runs them in order. All
 * of a call's parallelism is inside the call.
 *
 * A child after fork() has the queue's memory and not its thread, and the lock
 * in whatever state it was: it begins a queue of its own in the same place, which
 * knows its parent's requests and refuses to tell how they ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "collectives/call/ops.h"
#include "runtime/ranks/owner.h"
#include "collectives/api/plan.h"
#include "collectives/api/run.h"
#include "runtime/base/threads.h"

struct pc_queue {
	pid_t pid;
	bool runs;		/* its thread has been started */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;	/* a request came or ended, or it is to stop */
	bool stop;
	/* all that are outstanding, in order: those that have ended come first */
	struct pidcomm_request *first;
};

static void queue_begin(struct pc_queue *q)
{
	q->pid = getpid();
	q->runs = false;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->moved, NULL);
}

/* the hypercube's queue in this process; NULL before the first request */
static struct pc_queue *queue_of(const struct pidcomm *hc)
{
	struct pc_queue *q = hc->queue;

	if (!q || q->pid == getpid())
		return q;
	for (struct pidcomm_request *r = q->first; r; r = r->next) {
		if (r->state == PC_REQUEST_WAITING)
			r->state = PC_REQUEST_LOST;
	}
	queue_begin(q);
	return q;
}

static struct pidcomm_request *first_waiting(const struct pc_queue *q)
{
	struct pidcomm_request *r = q->first;

	while (r && r->state != PC_REQUEST_WAITING)
		r = r->next;
	return r;
}

static int check_op(const struct pc_args *args)
{
	return pc_traits[args->id].reduces ? pc_op_check(args->type, args->op)
					   : 0;
}

static void run_request(struct pidcomm_request *r)
{
	struct pidcomm_plan *plan = r->plan;

	/* the operation may have been freed since */
	r->result = check_op(&plan->args);
	if (!r->result)
		r->result = pc_run(plan->hc, &plan->args, &plan->shape,
				   plan->algorithm, &r->stats);
	if (r->result)
		strcpy(r->message, pimdimm_errmsg());
}

static void *run_requests(void *arg)
{
	struct pc_queue *q = arg;
	struct pidcomm_request *r;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!(r = first_waiting(q)) && !q->stop)
			pthread_cond_wait(&q->moved, &q->lock);
		if (!r)
			break;
		pthread_mutex_unlock(&q->lock);
		run_request(r);
		pthread_mutex_lock(&q->lock);
		r->state = PC_REQUEST_ENDED;
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
static int queue_start(struct pidcomm *hc)
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
	err = pd_thread_start(&q->thread, run_requests, q);
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
		struct pidcomm_request *r = q->first;

		q->first = r->next;
		r->state = PC_REQUEST_IDLE;
		if (r->temporary)
			pidcomm_plan_free(r->plan);
	}
	queue_free(q);
}

static bool meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
	return a_bytes && b_bytes && a < b + b_bytes && b < a + a_bytes;
}

/* whether one writes what the other reads or writes */
static bool collide(const struct pc_ranges *a, const struct pc_ranges *b)
{
	return meet(a->written, a->written_bytes, b->read, b->read_bytes) ||
	       meet(a->written, a->written_bytes, b->written,
		    b->written_bytes) ||
	       meet(a->read, a->read_bytes, b->written, b->written_bytes);
}

/* lock held */
static int check_free(const struct pc_queue *q, const struct pc_args *args,
		      uint32_t members)
{
	struct pc_ranges mine, theirs;

	pc_args_ranges(args, members, &mine);
	for (const struct pidcomm_request *r = q->first; r; r = r->next) {
		const struct pc_args *other = &r->plan->args;

		if (r->state == PC_REQUEST_LOST)
			continue;
		pc_args_ranges(other, r->plan->shape.members, &theirs);
		if (collide(&mine, &theirs))
			return pd_error(EBUSY,
					"%s of src=%" PRIu64 " dst=%" PRIu64
					" bytes=%" PRIu64
					" meets an outstanding %s of src=%" PRIu64
					" dst=%" PRIu64 " bytes=%" PRIu64
					", expected disjoint ranges",
					pc_collective_name(args->id), args->src,
					args->dst, args->bytes,
					pc_collective_name(other->id),
					other->src, other->dst, other->bytes);
	}
	return 0;
}

int pc_queue_wait(struct pidcomm *hc, const struct pc_args *args,
		  uint32_t members)
{
	struct pc_queue *q = queue_of(hc);
	int ret, before;

	before = pd_cancel_off();
	pthread_mutex_lock(&q->lock);
	ret = check_free(q, args, members);
	if (!ret)
		wait_idle(q);
	pthread_mutex_unlock(&q->lock);
	pd_cancel_restore(before);
	return ret;
}

/* lock held */
static void append(struct pc_queue *q, struct pidcomm_request *r)
{
	struct pidcomm_request **end = &q->first;

	while (*end)
		end = &(*end)->next;
	r->next = NULL;
	r->state = PC_REQUEST_WAITING;
	*end = r;
	pthread_cond_broadcast(&q->moved);
}

bool pc_plan_outstanding(const struct pidcomm_plan *plan)
{
	struct pc_queue *q = plan->hc ? queue_of(plan->hc) : NULL;
	bool outstanding;

	if (!q)
		return false;
	pthread_mutex_lock(&q->lock);
	outstanding = plan->request.state != PC_REQUEST_IDLE;
	pthread_mutex_unlock(&q->lock);
	return outstanding;
}

int pidcomm_plan_start(struct pidcomm_plan *plan,
		       struct pidcomm_request **request)
{
	struct pc_queue *q;
	int ret;

	if (!plan || !request)
		return pd_error(EINVAL, "%s is NULL", plan ? "request" : "plan");
	ret = check_op(&plan->args);
	if (!ret && plan->args.bytes)
		ret = pd_check_host(plan->hc->sys);
	if (!ret && pc_plan_outstanding(plan))
		ret = pd_error(EBUSY, "the plan's own request is outstanding");
	if (!ret)
		ret = queue_start(plan->hc);
	if (ret)
		return ret;
	q = plan->hc->queue;
	pthread_mutex_lock(&q->lock);
	ret = check_free(q, &plan->args, plan->shape.members);
	if (!ret)
		append(q, &plan->request);
	pthread_mutex_unlock(&q->lock);
	if (!ret)
		*request = &plan->request;
	return ret;
}

/* lock held; the request is no longer outstanding. Whether it was lost. */
static bool take_out(struct pc_queue *q, struct pidcomm_request *r)
{
	bool lost = r->state == PC_REQUEST_LOST;
	struct pidcomm_request **at = &q->first;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	r->state = PC_REQUEST_IDLE;
	return lost;
}

/*
 * Tell the end of a request: its result, its sentence, its counters. lost: it is
 * another process's to tell.
 */
static int finish(struct pidcomm_request **request, bool lost)
{
	struct pidcomm_request *r = *request;
	int ret = r->result;

	*request = NULL;
	if (lost)
		ret = pd_error(EINVAL,
			       "the request is the parent's, expected one that was made after fork()");
	else if (ret)
		ret = pd_error(-ret, "%s", r->message);
	else
		r->plan->hc->stats = r->stats;
	if (r->temporary)
		pidcomm_plan_free(r->plan);
	return ret;
}

int pidcomm_test(struct pidcomm_request **request, int *done)
{
	struct pc_queue *q;
	bool lost = false;

	if (!request || !done)
		return pd_error(EINVAL, "%s is NULL",
				request ? "done" : "request");
	*done = 1;
	if (!*request)
		return 0;
	q = queue_of((*request)->plan->hc);
	pthread_mutex_lock(&q->lock);
	*done = (*request)->state != PC_REQUEST_WAITING;
	if (*done)
		lost = take_out(q, *request);
	pthread_mutex_unlock(&q->lock);
	return *done ? finish(request, lost) : 0;
}

int pidcomm_wait(struct pidcomm_request **request)
{
	struct pc_queue *q;
	bool lost;
	int before;

	if (!request)
		return pd_error(EINVAL, "request is NULL");
	if (!*request)
		return 0;
	q = queue_of((*request)->plan->hc);
	before = pd_cancel_off();
	pthread_mutex_lock(&q->lock);
	while ((*request)->state == PC_REQUEST_WAITING)
		pthread_cond_wait(&q->moved, &q->lock);
	lost = take_out(q, *request);
	pthread_mutex_unlock(&q->lock);
	pd_cancel_restore(before);
	return finish(request, lost);
}

int pidcomm_waitall(size_t count, struct pidcomm_request *requests[])
{
	char message[sizeof(requests[0]->message)];
	int first = 0;

	if (count && !requests)
		return pd_error(EINVAL, "requests is NULL");
	for (size_t i = 0; i < count; i++) {
		int ret = pidcomm_wait(&requests[i]);

		if (ret && !first) {
			first = ret;
			strcpy(message, pimdimm_errmsg());
		}
	}
	return first ? pd_error(-first, "%s", message) : 0;
}

static int begin(struct pidcomm *hc, struct pc_args args,
		 struct pidcomm_request **request)
{
	struct pidcomm_plan *plan;
	int ret;

	if (!request)
		return pd_error(EINVAL, "request is NULL");
	ret = pc_plan_make(hc, args, &plan);
	if (ret)
		return ret;
	plan->request.temporary = true;
	ret = pidcomm_plan_start(plan, request);
	if (ret)
		pidcomm_plan_free(plan);
	return ret;
}

int pidcomm_ialltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst,
		      struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_move(PC_ALLTOALL, axes, bytes, src, dst), request);
}

int pidcomm_ireduce_scatter(struct pidcomm *hc, const char *axes,
			    uint64_t bytes, uint64_t src, uint64_t dst,
			    enum pidcomm_type type, pidcomm_op op,
			    struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_reduce(PC_REDUCE_SCATTER, axes, bytes, src, dst,
				    type, op), request);
}

int pidcomm_iallreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst, enum pidcomm_type type,
		       pidcomm_op op, struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_reduce(PC_ALLREDUCE, axes, bytes, src, dst, type,
				    op), request);
}

int pidcomm_iallgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst,
		       struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_move(PC_ALLGATHER, axes, bytes, src,
				  dst), request);
}

int pidcomm_iscatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
		     const void *const bufs[], uint64_t dst,
		     struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_rooted(PC_SCATTER, axes, bytes, dst,
				    bufs), request);
}

int pidcomm_igather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    uint64_t src, void *const bufs[],
		    struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_rooted(PC_GATHER, axes, bytes, src,
				    bufs), request);
}

int pidcomm_ireduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    uint64_t src, void *const bufs[], enum pidcomm_type type,
		    pidcomm_op op, struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_reduce_rooted(axes, bytes, src, bufs, type,
					   op), request);
}

int pidcomm_ibroadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       const void *const bufs[], uint64_t dst,
		       struct pidcomm_request **request)
{
	return begin(hc,
		     pc_args_rooted(PC_BROADCAST, axes, bytes, dst,
				    bufs), request);
}
