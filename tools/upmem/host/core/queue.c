// SPDX-License-Identifier: MIT
/*
 * The queues of ranks. An op has a slot in the queue of each of its ranks and
 * is done when it is first in all of them: by the caller, for whom waiting in
 * line is all there is to it, or, an asynchronous one, by a thread of the pool.
 * Slots of an op join all queues at once, so that two ops come in the same order
 * everywhere and no two of them wait for each other.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/host/core/queue.h"
#include "tools/upmem/host/core/rank.h"
#include "tools/upmem/host/core/system.h"
#include "tools/upmem/host/inside.h"

struct slot {
	struct op *op;
	struct slot *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* the pool: as many threads as ops are being done at once */
static struct op *ready, **ready_tail = &ready;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static uint32_t nr_idle, nr_ready, nr_threads;

static pthread_cond_t detached_ended = PTHREAD_COND_INITIALIZER;

/* the op whose callback this thread runs while queues wait for it */
static __thread struct op *callback;

static bool has_rank(const struct members *on, const struct dpu_rank_t *rank)
{
	for (uint32_t r = 0; r < on->nr_ranks; r++)
		if (on->ranks[r] == rank)
			return true;
	return false;
}

static void forget_queue(struct dpu_rank_t *rank)
{
	struct dpu_rank_state *state = rank->state;

	state->head = NULL;
	state->tail = &state->head;
	state->nr_jobs = state->nr_detached = 0;
	pthread_cond_init(&state->room, NULL);
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* The pool's threads and all that is under way are the parent's. */
static void in_child(void)
{
	ready = NULL;
	ready_tail = &ready;
	nr_idle = nr_ready = nr_threads = 0;
	pthread_cond_init(&work, NULL);
	pthread_cond_init(&detached_ended, NULL);
	host_each_rank(forget_queue);
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor))
static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

bool op_owned(const struct dpu_rank_t *rank)
{
	return callback && has_rank(&callback->on, rank);
}

static uint32_t count_owned(const struct members *on)
{
	uint32_t owned = 0;

	for (uint32_t r = 0; r < on->nr_ranks; r++)
		owned += op_owned(on->ranks[r]);
	return owned;
}

static void *pool_thread(void *arg);

/* with the lock held */
static void make_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t old;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pd_signals_block(&old);
	if (!pthread_create(&thread, &attr, pool_thread, NULL))
		nr_threads++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
}

static void op_ready(struct op *op)
{
	op->next = NULL;
	*ready_tail = op;
	ready_tail = &op->next;
	if (++nr_ready > nr_idle)
		make_thread();
	else
		pthread_cond_signal(&work);
}

static void slot_first(struct slot *slot);

/* the first slot leaves its queue */
static void queue_leave(struct dpu_rank_t *rank)
{
	struct dpu_rank_state *state = rank->state;

	state->head = state->head->next;
	if (!state->head)
		state->tail = &state->head;
	state->nr_jobs--;
	pthread_cond_broadcast(&state->room);
	if (state->head)
		slot_first(state->head);
}

static void queue_leave_all(struct op *op)
{
	for (uint32_t r = 0; r < op->on.nr_ranks; r++)
		queue_leave(op->on.ranks[r]);
}

static struct dpu_rank_t *rank_of(const struct slot *slot)
{
	return slot->op->on.ranks[slot - slot->op->slots];
}

static void slot_first(struct slot *slot)
{
	struct op *op = slot->op;
	struct dpu_rank_t *rank = rank_of(slot);

	op->waiting--;
	if (op->detached) {
		/* once its last slot has gone it is free to be done and freed */
		if (!op->waiting)
			op_ready(op);
		queue_leave(rank);
	} else if (!op->waiting) {
		if (op->async)
			op_ready(op);
		else
			pthread_cond_signal(&op->turn);
	}
}

static void queue_join(struct op *op)
{
	op->waiting = op->on.nr_ranks;
	for (uint32_t r = 0; r < op->on.nr_ranks; r++) {
		op->slots[r] = (struct slot){ .op = op };
		*op->on.ranks[r]->state->tail = &op->slots[r];
		op->on.ranks[r]->state->tail = &op->slots[r].next;
		op->on.ranks[r]->state->nr_jobs++;
		if (op->detached)
			op->on.ranks[r]->state->nr_detached++;
	}
	/* only now: a detached op may be gone with its last slot */
	for (uint32_t r = op->on.nr_ranks; r-- > 0;)
		if (op->on.ranks[r]->state->head == &op->slots[r])
			slot_first(&op->slots[r]);
}

/* take a slot out of the midst of its queue */
static void unlink_slot(struct slot *slot)
{
	struct dpu_rank_state *state = rank_of(slot)->state;
	struct slot **at = &state->head;
	bool first = *at == slot;

	while (*at && *at != slot)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = slot->next;
	if (!slot->next)
		state->tail = at;
	state->nr_jobs--;
	pthread_cond_broadcast(&state->room);
	if (first && state->head)
		slot_first(state->head);
}

static void op_free(struct op *op)
{
	free(op->slots);
	op->free(op);
}

/* an op that will not be done, since one before it failed */
static void op_cancel(struct op *op, dpu_error_t status)
{
	for (uint32_t r = 0; r < op->on.nr_ranks; r++) {
		unlink_slot(&op->slots[r]);
		if (op->detached)
			op->on.ranks[r]->state->nr_detached--;
	}
	op->status = status;
	op->cancelled = true;
	if (op->async)
		op_free(op);
	else
		pthread_cond_signal(&op->turn);
}

/* what waits behind a failed op is dropped, but for those that only wait */
static void queue_drain(struct dpu_rank_t *rank, dpu_error_t status)
{
	struct slot *slot = rank->state->head;

	while (slot) {
		struct op *op = slot->op;

		if (op->type == JOB_SYNC || !op->waiting) {
			slot = slot->next;
			continue;
		}
		op_cancel(op, status);
		slot = rank->state->head;
	}
}

static void note_error(struct op *op, dpu_error_t error)
{
	dpu_error_t status = (dpu_error_t)(
		DPU_ERR_ASYNC_JOBS |
		(uint32_t)op->type << DPU_ERROR_ASYNC_JOB_TYPE_SHIFT |
		((uint32_t)error &
		 ((1U << DPU_ERROR_ASYNC_JOB_TYPE_SHIFT) - 1)));

	for (uint32_t r = 0; r < op->on.nr_ranks; r++) {
		struct dpu_rank_state *state = op->on.ranks[r]->state;

		if (state->job_error != DPU_OK)
			continue;
		state->job_error = status;
		state->job_aftermath = op->aftermath;
		free(state->job_text);
		state->job_text = strdup(dpu_error_detail());
	}
	/* this op's own slots are still there, first in their queues */
	for (uint32_t r = 0; r < op->on.nr_ranks; r++)
		queue_drain(op->on.ranks[r], status);
}

static dpu_error_t op_run(struct op *op)
{
	struct op *outer = callback;
	dpu_error_t status;

	if (!op->callback)
		return op->run(op);
	callback = op->detached ? NULL : op;
	status = op->run(op);
	callback = outer;
	return status;
}

static void end_async(struct op *op, dpu_error_t status)
{
	if (!op->detached) {
		if (status != DPU_OK)
			note_error(op, status);
		queue_leave_all(op);
	} else {
		for (uint32_t r = 0; r < op->on.nr_ranks; r++)
			op->on.ranks[r]->state->nr_detached--;
		pthread_cond_broadcast(&detached_ended);
	}
	op_free(op);
}

/* with the lock held, in and out */
static void do_ready(void)
{
	struct op *op = ready;
	dpu_error_t status;

	ready = op->next;
	if (!ready)
		ready_tail = &ready;
	nr_ready--;
	pthread_mutex_unlock(&lock);
	host_set_detail("");
	status = op_run(op);
	pthread_mutex_lock(&lock);
	end_async(op, status);
}

static void *pool_thread(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!ready) {
			nr_idle++;
			pthread_cond_wait(&work, &lock);
			nr_idle--;
		}
		do_ready();
	}
	return arg;
}

/* The first rank's that has one, if it can be one that is not another's aftermath. */
static dpu_error_t earlier_error(const struct members *on)
{
	const struct dpu_rank_state *found = NULL;

	for (uint32_t r = 0; r < on->nr_ranks; r++) {
		const struct dpu_rank_state *state = on->ranks[r]->state;

		if (state->job_error != DPU_OK &&
		    (!found || (found->job_aftermath && !state->job_aftermath)))
			found = state;
	}
	if (!found)
		return DPU_OK;
	host_set_detail(found->job_text ? found->job_text : "");
	return found->job_error;
}

static void forget_errors(const struct members *on)
{
	for (uint32_t r = 0; r < on->nr_ranks; r++)
		on->ranks[r]->state->job_error = DPU_OK;
}

static dpu_error_t op_prepare(struct op *op)
{
	op->slots = calloc(op->on.nr_ranks ? op->on.nr_ranks : 1,
			   sizeof(*op->slots));
	if (!op->slots)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a job");
	pthread_cond_init(&op->turn, NULL);
	return DPU_OK;
}

/* with the lock held, in and out */
static void wait_for_turn(struct op *op)
{
	queue_join(op);
	while (op->waiting && !op->cancelled)
		pthread_cond_wait(&op->turn, &lock);
}

static dpu_error_t do_in_turn(struct op *op)
{
	dpu_error_t status;

	pthread_mutex_lock(&lock);
	/* what only looks may look at what failed */
	status = op->type == JOB_SYNC ? DPU_OK : earlier_error(&op->on);
	if (status == DPU_OK) {
		wait_for_turn(op);
		status = op->status;
		if (op->cancelled)
			earlier_error(&op->on);
	}
	pthread_mutex_unlock(&lock);
	if (status != DPU_OK)
		return status;
	status = op_run(op);
	pthread_mutex_lock(&lock);
	queue_leave_all(op);
	pthread_mutex_unlock(&lock);
	return status;
}

dpu_error_t op_do(struct op *op)
{
	uint32_t owned = count_owned(&op->on);
	dpu_error_t status;

	if (owned && owned == op->on.nr_ranks)
		return op_run(op);
	if (owned)
		return host_fail(DPU_ERR_INTERNAL,
				 "a callback of %u of the %u ranks cannot wait for the others",
				 owned, op->on.nr_ranks);
	status = op_prepare(op);
	if (status == DPU_OK)
		status = do_in_turn(op);
	free(op->slots);
	return status;
}

static bool is_full(const struct members *on)
{
	for (uint32_t r = 0; r < on->nr_ranks; r++) {
		struct dpu_rank_state *state = on->ranks[r]->state;

		/* a callback cannot wait for the queue that waits for it */
		if (state->nr_jobs >= state->profile.nr_jobs &&
		    !op_owned(on->ranks[r])) {
			pthread_cond_wait(&state->room, &lock);
			return true;
		}
	}
	return false;
}

dpu_error_t op_queue(struct op *op)
{
	dpu_error_t status = op_prepare(op);

	if (status != DPU_OK) {
		op->free(op);
		return status;
	}
	pthread_mutex_lock(&lock);
	do
		status = earlier_error(&op->on);
	while (status == DPU_OK && is_full(&op->on));
	if (status == DPU_OK)
		queue_join(op);
	/* where no thread can be had, asynchronous jobs are done at once */
	while (ready && !nr_threads)
		do_ready();
	pthread_mutex_unlock(&lock);
	if (status != DPU_OK)
		op_free(op);
	return status;
}

static dpu_error_t sync_nothing(__attribute__((unused)) struct op *op)
{
	return DPU_OK;
}

dpu_error_t op_sync(const struct members *on)
{
	struct op op = { .type = JOB_SYNC, .run = sync_nothing };
	dpu_error_t status;

	if (count_owned(on))
		return DPU_OK;
	op.on = *on;
	if (on->dpu)
		op.on.ranks = &op.on.one;
	status = op_prepare(&op);
	if (status != DPU_OK)
		return status;
	pthread_mutex_lock(&lock);
	wait_for_turn(&op);
	status = earlier_error(&op.on);
	forget_errors(&op.on);
	queue_leave_all(&op);
	pthread_mutex_unlock(&lock);
	free(op.slots);
	return status;
}

void op_wait_detached(const struct members *on)
{
	pthread_mutex_lock(&lock);
	for (uint32_t r = 0; r < on->nr_ranks; r++)
		while (on->ranks[r]->state->nr_detached)
			pthread_cond_wait(&detached_ended, &lock);
	pthread_mutex_unlock(&lock);
}
