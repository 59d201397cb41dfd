// SPDX-License-Identifier: MIT
/* Requests are tested and waited for, and end. */
#include <errno.h>

#include "collectives/messages/carrier.h"
#include "collectives/messages/collected.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/failures.h"
#include "collectives/messages/requests.h"
#include "collectives/messages/waits.h"
#include "runtime/base/error.h"

struct pimmsg_status pm_status_none(void)
{
	return (struct pimmsg_status){ .source = PIMMSG_NONE, .tag = PIMMSG_ANY_TAG };
}

struct pimmsg_status pm_status_of(const struct pimmsg_end *end,
				  const struct me_status *status)
{
	return (struct pimmsg_status){
		.source = status->cancelled ? PIMMSG_NONE :
			  pm_rank_of(end, (uint32_t)status->source),
		.tag = status->cancelled ? PIMMSG_ANY_TAG : status->tag,
		.error = status->error,
		.cancelled = status->cancelled,
		.bytes = status->bytes,
	};
}

void pm_call_done(struct pimmsg_end *end)
{
	if (end->world->apart)
		end->world->apart->progress(end->world);
	else if (!end->pe)
		pm_copy_collected(end->world);
}

void pm_call_begun(struct pimmsg_end *end)
{
	const struct pm_apart *apart = end->world->apart;

	if (apart && apart->begun)
		apart->begun(end->world);
	else
		pm_call_done(end);
}

/* in the node: requests that are done and those that are not, of which `wait` is told */
static void requests_count(uint32_t nr, struct pimmsg_request *const requests[],
			   struct pm_wait *wait, uint32_t *done, uint32_t *undone)
{
	*done = *undone = 0;
	for (uint32_t i = 0; i < nr; i++) {
		struct me_request *r = pm_request_of(requests[i]);

		if (!r)
			continue;
		*(r->state == ME_DONE ? done : undone) += 1;
		r->waiter = r->state == ME_DONE ? NULL : wait;
	}
}

/* in the node: whether those are done that are wanted, all or one of them */
static bool requests_enough(struct pimmsg_end *end, uint32_t nr,
			    struct pimmsg_request *const requests[], bool all,
			    struct pm_wait *wait)
{
	uint32_t done, undone;

	requests_count(nr, requests, wait, &done, &undone);
	if (!undone || (!all && done)) {
		requests_count(nr, requests, NULL, &done, &undone);
		return true;
	}
	if (wait)
		*wait = (struct pm_wait){
			.end = end,
			.requests = (struct me_request *const *)requests,
			.nr = nr,
			.left = all ? undone : 1,
		};
	return false;
}

static bool requests_done(struct pimmsg_end *end, uint32_t nr,
			  struct pimmsg_request *const requests[], bool all,
			  struct pm_wait *wait)
{
	struct me_node *node = &end->node->node;
	bool enough;

	me_lock(node);
	enough = requests_enough(end, nr, requests, all, wait);
	me_unlock(node);
	return enough;
}

static int requests_wait(struct pimmsg_end *end, uint32_t nr,
			 struct pimmsg_request *const requests[], bool all)
{
	struct pm_wait wait;
	int ret;

	pm_call_for(end->pe);
	if (requests_done(end, nr, requests, all, &wait))
		return 0;
	ret = pm_wait(&wait);
	/* and whoever is done from now on has nobody to tell */
	if (ret || !all)
		requests_done(end, nr, requests, all, NULL);
	return ret;
}

/* whoever asks again and again lets others run */
static bool requests_test(struct pimmsg_end *end, uint32_t nr,
			  struct pimmsg_request *const requests[], bool all)
{
	bool done;

	pm_call_for(end->pe);
	pm_call_done(end);
	done = requests_done(end, nr, requests, all, NULL);
	if (!done && end->pe && !end->world->apart && pd_resident_spare(end->pe) &&
	    pm_linger(end->node))
		done = requests_done(end, nr, requests, all, NULL);
	if (!done && end->pe) {
		pm_copy_overdue(end->world);
		pimdimm_yield(end->pe);
		/* others have made calls since, or it goes on on another thread of the process */
		pm_call_for(end->pe);
	}
	return done;
}

static struct pimmsg_status request_status(const struct pimmsg_end *end,
					   const struct me_request *r)
{
	struct pimmsg_status status = pm_status_of(end, &r->status);

	if (r->kind == ME_SEND) {
		status.source = pm_rank_of(end, r->peer);
		status.tag = r->entry.key.tag;
	}
	return status;
}

/* what came of a request that is done */
static int request_result(struct pimmsg_end *end, struct pimmsg_request *request,
			  struct pimmsg_status *status)
{
	const struct me_request *r = pm_request_of(request);

	if (status)
		*status = r ? request_status(end, r) : pm_status_none();
	return r && r->status.error ? pm_failure(end, r) : 0;
}

/* of requests that are done, which are no more then */
int pm_requests_finish(struct pimmsg_end *end, uint32_t nr,
			   struct pimmsg_request *requests[],
			   struct pimmsg_status statuses[])
{
	struct pd_error_text first;
	bool any = false;
	int ret = 0;

	for (uint32_t i = 0; i < nr; i++) {
		int err = request_result(end, requests[i],
					 statuses ? &statuses[i] : NULL);

		any |= requests[i] != NULL;

		if (err && !ret) {
			ret = err;
			pd_error_save(&first);
		}
	}
	if (any) {
		pm_call_for(end->pe);
		me_forget(&end->node->node, nr, (struct me_request *const *)requests);
	}
	for (uint32_t i = 0; i < nr; i++)
		requests[i] = NULL;
	if (ret)
		pd_error_restore(&first);
	return ret;
}

/* the one that is done, or nr */
static int requests_finish_one(struct pimmsg_end *end, uint32_t nr,
			       struct pimmsg_request *requests[], uint32_t *index,
			       struct pimmsg_status *status)
{
	for (uint32_t i = 0; i < nr; i++) {
		bool done;

		if (!requests[i])
			continue;
		done = requests_done(end, 1, &requests[i], true, NULL);
		if (!done)
			continue;
		*index = i;
		return pm_requests_finish(end, 1, &requests[i], status);
	}
	*index = nr;
	if (status)
		*status = pm_status_none();
	return 0;
}

/* requests that are of this rank */
static int requests_check(const struct pimmsg_end *end, uint32_t nr,
			  struct pimmsg_request *const requests[])
{
	int ret = pm_check_end(end);

	if (!ret && nr && !requests)
		ret = pd_error(EINVAL, "requests is NULL, expected %u", nr);
	return ret;
}

int pimmsg_testall(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[], int *done,
		   struct pimmsg_status statuses[])
{
	int ret = requests_check(end, nr, requests);

	if (!ret && !done)
		ret = pd_error(EINVAL, "done is NULL");
	if (ret)
		return ret;
	*done = requests_test(end, nr, requests, true);
	return *done ? pm_requests_finish(end, nr, requests, statuses) : 0;
}

int pimmsg_test(struct pimmsg_end *end, struct pimmsg_request **request,
		int *done, struct pimmsg_status *status)
{
	return pimmsg_testall(end, 1, request, done, status);
}

int pimmsg_testany(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[], uint32_t *index,
		   struct pimmsg_status *status)
{
	int ret = requests_check(end, nr, requests);

	if (!ret && !index)
		ret = pd_error(EINVAL, "index is NULL");
	if (ret)
		return ret;
	requests_test(end, nr, requests, false);
	return requests_finish_one(end, nr, requests, index, status);
}

static bool requests_are_well(uint32_t nr, struct pimmsg_request *const requests[])
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct me_request *r = pm_request_of(requests[i]);

		if (r && (r->state != ME_DONE || r->status.error))
			return false;
	}
	return true;
}

/* Whether all are done, and well; they are no more then. */
static bool requests_over(struct pimmsg_end *end, uint32_t nr,
			  struct pimmsg_request *requests[], struct pimmsg_status statuses[])
{
	struct me_node *node = &end->node->node;
	bool over;

	me_lock(node);
	over = requests_are_well(nr, requests);
	for (uint32_t i = 0; i < nr && over; i++) {
		struct me_request *r = pm_request_of(requests[i]);

		if (statuses)
			statuses[i] = r ? request_status(end, r) : pm_status_none();
		if (r)
			me_request_release(node, r);
		requests[i] = NULL;
	}
	me_unlock(node);
	return over;
}

int pimmsg_waitall(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[],
		   struct pimmsg_status statuses[])
{
	int ret = requests_check(end, nr, requests);

	if (ret)
		return ret;
	pm_call_for(end->pe);
	if (requests_over(end, nr, requests, statuses))
		return 0;
	ret = requests_wait(end, nr, requests, true);
	return ret ? ret : pm_requests_finish(end, nr, requests, statuses);
}

int pimmsg_wait(struct pimmsg_end *end, struct pimmsg_request **request,
		struct pimmsg_status *status)
{
	return pimmsg_waitall(end, 1, request, status);
}

int pimmsg_waitany(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[], uint32_t *index,
		   struct pimmsg_status *status)
{
	int ret = requests_check(end, nr, requests);

	if (!ret && !index)
		ret = pd_error(EINVAL, "index is NULL");
	if (!ret)
		ret = requests_wait(end, nr, requests, false);
	return ret ? ret : requests_finish_one(end, nr, requests, index, status);
}

int pimmsg_cancel(struct pimmsg_end *end, struct pimmsg_request *request)
{
	struct me_request *r = pm_request_of(request);
	int ret = pm_check_end(end);

	if (!ret && (!r || r->kind != ME_RECEIVE))
		ret = pd_error(EINVAL, "request is %s, expected a receive",
			       r ? "a send" : "NULL");
	if (ret)
		return ret;
	pm_call_for(end->pe);
	me_cancel(&end->node->node, r);
	return 0;
}
