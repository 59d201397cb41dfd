// SPDX-License-Identifier: MIT
/* Functions of the program's own, at their turn in the queues of ranks. */
#include <stdlib.h>

#include "tools/upmem/host/core/callback.h"
#include "tools/upmem/host/core/queue.h"

/* the calls of a synchronous callback, which end together */
struct calls {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	uint32_t left;
	dpu_error_t status;
	char detail[HOST_ERROR_TEXT];
};

struct callback_op {
	struct op op;
	struct callback callback;
	struct dpu_set_t set;
	uint32_t index;
	struct calls *calls;	/* NULL: nobody waits */
};

static void note_status(struct calls *calls, dpu_error_t status)
{
	pthread_mutex_lock(&calls->lock);
	if (calls->status == DPU_OK && status != DPU_OK) {
		calls->status = status;
		snprintf(calls->detail, sizeof(calls->detail), "%s",
			 dpu_error_detail());
	}
	pthread_mutex_unlock(&calls->lock);
}

static dpu_error_t run_callback(struct op *op)
{
	struct callback_op *call = (struct callback_op *)op;
	dpu_error_t status;

	host_set_detail("");
	status = call->callback.function(call->set, call->index,
					 call->callback.args);
	if (status != DPU_OK && !dpu_error_detail()[0])
		host_fail(status, "a callback returned it");
	if (!call->calls)
		return status;
	/* the caller's affair and not that of whoever syncs next */
	note_status(call->calls, status);
	return DPU_OK;
}

static void free_callback(struct op *op)
{
	struct callback_op *call = (struct callback_op *)op;
	struct calls *calls = call->calls;

	if (calls) {
		if (op->cancelled)
			note_status(calls, op->status);
		pthread_mutex_lock(&calls->lock);
		if (!--calls->left)
			pthread_cond_signal(&calls->ended);
		pthread_mutex_unlock(&calls->lock);
	}
	if (call->callback.release)
		call->callback.release(call->callback.args);
	free(call);
}

static struct callback_op *make_call(const struct callback_op *like)
{
	struct callback_op *call = malloc(sizeof(*call));

	if (!call) {
		host_fail(DPU_ERR_SYSTEM, "no memory for a callback");
		return NULL;
	}
	*call = *like;
	call->op.type = JOB_CALLBACK;
	call->op.run = run_callback;
	call->op.free = free_callback;
	call->op.async = true;
	call->op.callback = true;
	if (call->set.kind == DPU_SET_DPU)
		call->op.on.ranks = &call->op.on.one;
	if (call->callback.hold)
		call->callback.hold(call->callback.args);
	return call;
}

/* one call for each rank, or one of all ranks */
static dpu_error_t queue_calls(const struct callback_op *like, bool single)
{
	uint32_t nr = single ? 1 : like->op.on.nr_ranks;
	dpu_error_t status = DPU_OK;
	uint32_t i;

	for (i = 0; i < nr && status == DPU_OK; i++) {
		struct callback_op *call = make_call(like);

		if (!call) {
			status = DPU_ERR_SYSTEM;
			break;
		}
		if (!single && like->set.kind == DPU_SET_RANKS) {
			call->index = i;
			call->op.on.nr_ranks = 1;
			call->op.on.ranks = &like->op.on.ranks[i];
			call->set = dpu_set_from_rank(&like->op.on.ranks[i]);
		}
		status = op_queue(&call->op);
	}
	/* those that were never made end here; one that was not queued has */
	for (; like->calls && i < nr; i++) {
		pthread_mutex_lock(&like->calls->lock);
		like->calls->left--;
		pthread_mutex_unlock(&like->calls->lock);
	}
	return status;
}

static dpu_error_t call_and_wait(struct callback_op *like, bool single)
{
	struct calls calls = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.ended = PTHREAD_COND_INITIALIZER,
		.left = single ? 1 : like->op.on.nr_ranks,
	};
	dpu_error_t status;

	like->calls = &calls;
	status = queue_calls(like, single);
	pthread_mutex_lock(&calls.lock);
	while (calls.left)
		pthread_cond_wait(&calls.ended, &calls.lock);
	pthread_mutex_unlock(&calls.lock);
	if (status != DPU_OK)
		return status;
	if (calls.status != DPU_OK)
		host_set_detail(calls.detail);
	return calls.status;
}

/* within a callback of these ranks there is no turn to wait for */
static dpu_error_t call_at_once(const struct callback_op *like, bool single)
{
	const struct callback *callback = &like->callback;
	dpu_error_t status = DPU_OK;

	if (single || like->set.kind == DPU_SET_DPU)
		return callback->function(like->set, UINT32_MAX,
					  callback->args);
	for (uint32_t r = 0; r < like->op.on.nr_ranks && status == DPU_OK; r++)
		status = callback->function(
			dpu_set_from_rank(&like->op.on.ranks[r]), r,
			callback->args);
	return status;
}

dpu_error_t host_callback(struct dpu_set_t set, const struct callback *callback,
			  unsigned int flags)
{
	struct callback_op like = {
		.callback = *callback,
		.set = set,
		.index = UINT32_MAX,
	};
	bool single = flags & DPU_CALLBACK_SINGLE_CALL;
	dpu_error_t status = members_of(&set, &like.op.on);

	if (status != DPU_OK)
		return status;
	if ((flags & DPU_CALLBACK_NONBLOCKING) && !(flags & DPU_CALLBACK_ASYNC))
		return host_fail(DPU_ERR_NONBLOCKING_SYNC_CALLBACK,
				 "flags=%#x: DPU_CALLBACK_NONBLOCKING needs DPU_CALLBACK_ASYNC",
				 flags);
	like.op.detached = flags & DPU_CALLBACK_NONBLOCKING;
	if (flags & DPU_CALLBACK_ASYNC)
		return queue_calls(&like, single);
	for (uint32_t r = 0; r < like.op.on.nr_ranks; r++)
		if (op_owned(like.op.on.ranks[r]))
			return call_at_once(&like, single);
	return call_and_wait(&like, single);
}

DPU_API dpu_error_t dpu_callback(struct dpu_set_t dpu_set,
				 dpu_error_t (*callback)(struct dpu_set_t,
							 uint32_t, void *),
				 void *args, dpu_callback_flags_t flags)
{
	struct callback own = { .function = callback, .args = args };

	if (!callback)
		return host_fail(DPU_ERR_INTERNAL,
				 "callback is NULL: expected a function");
	return host_callback(dpu_set, &own, flags);
}
