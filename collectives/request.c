/* SPDX-License-Identifier: MIT */
/*
 * Requests of a hypercube: a queue, and one thread that runs them in order. All
 * of a call's parallelism is inside the call.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "ops.h"
#include "plan.h"
#include "run.h"
#include "signals.h"

struct pc_queue {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;	/* a request came or ended, or it is to stop */
	bool stop;
	/* all that are outstanding, in order: those that have ended come first */
	struct pidcomm_request *first;
};

static struct pidcomm_request *first_waiting(const struct pc_queue *q)
{
	struct pidcomm_request *r = q->first;

	while (r && r->state != PC_REQUEST_WAITING)
		r = r->next;
	return r;
}

static int check_op(const struct pc_args *args)
{
	return pc_rules[args->id].reduces ? pc_op_check(args->type, args->op) :
					    0;
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

static int queue_create(struct pidcomm *hc)
{
	struct pc_queue *q = calloc(1, sizeof(*q));
	sigset_t old;
	int err;

	if (!q)
		return pd_error(ENOMEM, "no memory for requests");
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->moved, NULL);
	pd_signals_block(&old);
	err = pthread_create(&q->thread, NULL, run_requests, q);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		free(q);
		return pd_error(err, "cannot start a thread for requests");
	}
	hc->queue = q;
	return 0;
}

/* lock held */
static void wait_idle(struct pc_queue *q)
{
	while (first_waiting(q))
		pthread_cond_wait(&q->moved, &q->lock);
}

void pc_queue_destroy(struct pidcomm *hc)
{
	struct pc_queue *q = hc->queue;

	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->moved);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	while (q->first) {
		struct pidcomm_request *r = q->first;

		q->first = r->next;
		r->state = PC_REQUEST_IDLE;
		if (r->temporary)
			pidcomm_plan_free(r->plan);
	}
	pthread_cond_destroy(&q->moved);
	pthread_mutex_destroy(&q->lock);
	free(q);
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

int pc_queue_enter(struct pidcomm *hc, const struct pc_args *args,
		   uint32_t members)
{
	struct pc_queue *q = hc->queue;
	int ret;

	if (!q)
		return 0;
	pthread_mutex_lock(&q->lock);
	ret = check_free(q, args, members);
	if (!ret)
		wait_idle(q);
	pthread_mutex_unlock(&q->lock);
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
	struct pc_queue *q = plan->hc ? plan->hc->queue : NULL;
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
	if (!ret && pc_plan_outstanding(plan))
		ret = pd_error(EBUSY, "the plan's own request is outstanding");
	if (!ret && !plan->hc->queue)
		ret = queue_create(plan->hc);
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

/* lock held; the request is no longer outstanding */
static void take_out(struct pc_queue *q, struct pidcomm_request *r)
{
	struct pidcomm_request **at = &q->first;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	r->state = PC_REQUEST_IDLE;
}

/* Tell the end of a request: its result, its sentence, its counters. */
static int finish(struct pidcomm_request **request)
{
	struct pidcomm_request *r = *request;
	int ret = r->result;

	*request = NULL;
	if (ret)
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

	if (!request || !done)
		return pd_error(EINVAL, "%s is NULL",
				request ? "done" : "request");
	*done = 1;
	if (!*request)
		return 0;
	q = (*request)->plan->hc->queue;
	pthread_mutex_lock(&q->lock);
	*done = (*request)->state == PC_REQUEST_ENDED;
	if (*done)
		take_out(q, *request);
	pthread_mutex_unlock(&q->lock);
	return *done ? finish(request) : 0;
}

int pidcomm_wait(struct pidcomm_request **request)
{
	struct pc_queue *q;

	if (!request)
		return pd_error(EINVAL, "request is NULL");
	if (!*request)
		return 0;
	q = (*request)->plan->hc->queue;
	pthread_mutex_lock(&q->lock);
	while ((*request)->state != PC_REQUEST_ENDED)
		pthread_cond_wait(&q->moved, &q->lock);
	take_out(q, *request);
	pthread_mutex_unlock(&q->lock);
	return finish(request);
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
