// SPDX-License-Identifier: MIT
/* Requests: waited for, tested, cancelled, given up; and what statuses tell. */
#include "collectives/messages/engine/receive.h"
#include "inside.h"

/* index and generation in the 32 bits of a pointer: handles may outlive requests */
#define INDEX_BITS	16

MPI_Request mpi_request_handle(const struct me_request *request)
{
	return (MPI_Request)(uintptr_t)(request->generation << INDEX_BITS |
					(request->index + 1));
}

static struct me_request *find(MPI_Request handle)
{
	uint32_t number = (uint32_t)(uintptr_t)handle;
	uint32_t index = (number & ((1u << INDEX_BITS) - 1)) - 1;
	struct me_request *r = me_request_at(&mpi_node, index);

	if (!r || r->state == ME_UNUSED || r->orphan || mpi_request_handle(r) != handle)
		return NULL;
	return r;
}

void mpi_status_empty(MPI_Status *status)
{
	if (status != MPI_STATUS_IGNORE)
		*status = (MPI_Status){
			.MPI_SOURCE = MPI_ANY_SOURCE,
			.MPI_TAG = MPI_ANY_TAG,
		};
}

/* MPI_ERROR is left as it is: only a call that returns MPI_ERR_IN_STATUS sets it */
void mpi_status_set(MPI_Status *status, const struct mpi_comm *comm,
		    const struct me_status *from)
{
	if (status != MPI_STATUS_IGNORE)
		*status = (MPI_Status){
			.MPI_SOURCE = mpi_rank_of(comm, (uint32_t)from->source),
			.MPI_TAG = from->tag,
			.MPI_ERROR = status->MPI_ERROR,
			.mpi_cancelled = (int)from->cancelled,
			.mpi_bytes = (MPI_Count)from->bytes,
		};
}

/* inside: a request that is done goes; `whose` its error is: of a communicator that is */
static int complete(struct me_request *r, MPI_Status *status, struct mpi_comm **whose)
{
	int error = mpi_error_of(r->status.error);
	struct mpi_comm *comm = r->user;

	if (error == MPI_ERR_TYPE)
		mpi_note_mismatch(r);
	if (r->kind == ME_RECEIVE && !r->status.cancelled) {
		mpi_status_set(status, comm, &r->status);
	} else if (status != MPI_STATUS_IGNORE) {
		*status = (MPI_Status){
			.MPI_SOURCE = MPI_ANY_SOURCE,
			.MPI_TAG = MPI_ANY_TAG,
			.MPI_ERROR = status->MPI_ERROR,
			.mpi_cancelled = (int)r->status.cancelled,
		};
	}
	*whose = mpi_comm_of_errors(comm);
	me_request_release(&mpi_node, r);
	mpi_comm_put(comm);
	return error;
}

/* those that are done before they are looked at; false: it is one of the engine's */
static bool is_nothing(MPI_Request request, MPI_Status *status)
{
	if (request != MPI_REQUEST_NULL && request != MPI_REQUEST_NOBODY)
		return false;
	mpi_status_empty(status);
	if (request == MPI_REQUEST_NOBODY && status != MPI_STATUS_IGNORE)
		status->MPI_SOURCE = MPI_PROC_NULL;
	return true;
}

/* inside; MPI_ERR_PENDING: not done. `whose`: the request's communicator's, if there is one */
static int look(MPI_Request *request, MPI_Status *status, struct mpi_comm **whose)
{
	struct me_request *r;
	int error;

	if (is_nothing(*request, status)) {
		*request = MPI_REQUEST_NULL;
		return MPI_SUCCESS;
	}
	r = find(*request);
	if (!r)
		return MPI_ERR_REQUEST;
	if (r->state != ME_DONE)
		return MPI_ERR_PENDING;
	error = complete(r, status, whose);
	*request = MPI_REQUEST_NULL;
	return error;
}

static const char *text_of(int error)
{
	return error == MPI_ERR_TYPE ? mpi_mismatch() : mpi_error_text(error);
}

static int tell(const struct mpi_call *call, int error, struct mpi_comm *whose)
{
	const struct mpi_call told = { call->caller, whose };

	return error ? mpi_fail(&told, error, text_of(error), 0) : MPI_SUCCESS;
}

int mpi_wait(const struct mpi_call *call, MPI_Request *request, MPI_Status *status)
{
	struct mpi_comm *whose = call->comm;
	int error;

	mpi_node_enter();
	while ((error = look(request, status, &whose)) == MPI_ERR_PENDING)
		mpi_wait_event();
	mpi_node_leave();
	return tell(call, error, whose);
}

static int check_requests(const struct mpi_call *call, int count, const MPI_Request requests[])
{
	if (count < 0)
		return mpi_fail(call, MPI_ERR_COUNT, "MPI_ERR_COUNT: count is negative",
				(uint64_t)count);
	if (count && !requests)
		return mpi_fail(call, MPI_ERR_ARG, "MPI_ERR_ARG: requests is NULL", 0);
	return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_requests(&call, 1, request);

	return error ? error : mpi_wait(&call, request, status);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_requests(&call, 1, request);
	struct mpi_comm *whose = call.comm;

	if (error)
		return error;
	mpi_node_enter();
	error = look(request, status, &whose);
	mpi_node_leave();
	*flag = error != MPI_ERR_PENDING;
	if (*flag)
		return tell(&call, error, whose);
	mpi_give_way();
	return MPI_SUCCESS;
}

static MPI_Status *status_at(MPI_Status statuses[], int i)
{
	return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* of calls that complete several: the first error, whose it is, and what statuses tell */
struct errors {
	int first;
	struct mpi_comm *whose;
	MPI_Status *statuses;
};

/* of the status that is next, of which there are `nr` before it */
static void errors_note(struct errors *errors, int nr, int error, struct mpi_comm *whose)
{
	MPI_Status *statuses = errors->statuses;

	if (error && !errors->first) {
		errors->first = error;
		errors->whose = whose;
		for (int i = 0; i < nr && statuses; i++)
			statuses[i].MPI_ERROR = MPI_SUCCESS;
	}
	if (errors->first && statuses)
		statuses[nr].MPI_ERROR = error;
}

static int errors_tell(const struct mpi_call *call, const struct errors *errors)
{
	const struct mpi_call told = { call->caller, errors->whose };

	return errors->first ? mpi_fail(&told, MPI_ERR_IN_STATUS, text_of(errors->first), 0) :
			       MPI_SUCCESS;
}

/* all are waited for, whatever goes wrong with some of them */
static int complete_all(const struct mpi_call *call, int count, MPI_Request requests[],
			MPI_Status statuses[])
{
	struct errors errors = { .statuses = statuses };

	for (int i = 0; i < count; i++) {
		struct mpi_comm *whose = call->comm;
		int error;

		mpi_node_enter();
		while ((error = look(&requests[i], status_at(statuses, i), &whose)) ==
		       MPI_ERR_PENDING)
			mpi_wait_event();
		mpi_node_leave();
		errors_note(&errors, i, error, whose);
	}
	return errors_tell(call, &errors);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_requests(&call, count, requests);

	return error ? error : complete_all(&call, count, requests, statuses);
}

/* inside: whether a request needs no waiting for; what is none at all is told, too */
static bool is_done(MPI_Request request)
{
	struct me_request *r;

	if (request == MPI_REQUEST_NULL || request == MPI_REQUEST_NOBODY)
		return true;
	r = find(request);
	return !r || r->state == ME_DONE;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_requests(&call, count, requests);

	if (error)
		return error;
	*flag = 1;
	mpi_node_enter();
	for (int i = 0; i < count && *flag; i++)
		*flag = is_done(requests[i]);
	mpi_node_leave();
	if (*flag)
		return complete_all(&call, count, requests, statuses);
	mpi_give_way();
	return MPI_SUCCESS;
}

/* inside: the first that is done, count if none is, -1 where there is none to wait for */
static int first_done(int count, const MPI_Request requests[])
{
	int found = -1;

	for (int i = 0; i < count; i++) {
		if (requests[i] == MPI_REQUEST_NULL)
			continue;
		if (is_done(requests[i]))
			return i;
		found = count;
	}
	return found;
}

/* inside: the same, waited for where it is wanted */
static int await_first(int count, const MPI_Request requests[], bool waits)
{
	int i;

	while ((i = first_done(count, requests)) == count && count && waits)
		mpi_wait_event();
	return i;
}

/* flag: whether one is done, or there is none; NULL: it is waited for */
static int complete_any(const struct mpi_call *call, int count, MPI_Request requests[],
			int *index, int *flag, MPI_Status *status)
{
	int error = check_requests(call, count, requests), i;
	struct mpi_comm *whose = call->comm;

	if (error)
		return error;
	mpi_node_enter();
	i = await_first(count, requests, !flag);
	*index = i < 0 || i == count ? MPI_UNDEFINED : i;
	if (i < 0)
		mpi_status_empty(status);
	else if (i < count)
		error = look(&requests[i], status, &whose);
	mpi_node_leave();
	if (flag)
		*flag = i < 0 || i < count;
	if (i == count && count)
		mpi_give_way();
	return tell(call, error, whose);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(NULL);

	return complete_any(&call, count, requests, index, NULL, status);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(NULL);

	return complete_any(&call, count, requests, index, flag, status);
}

/* inside: of those from the first one on that is done, all that are */
static int complete_done(const struct mpi_call *call, int first, int count,
			 MPI_Request requests[], int indices[], struct errors *errors)
{
	int nr = 0;

	for (int i = first; i < count; i++) {
		struct mpi_comm *whose = call->comm;
		int error;

		if (requests[i] == MPI_REQUEST_NULL || !is_done(requests[i]))
			continue;
		error = look(&requests[i], status_at(errors->statuses, nr), &whose);
		errors_note(errors, nr, error, whose);
		indices[nr++] = i;
	}
	return nr;
}

static int complete_some(const struct mpi_call *call, int count, MPI_Request requests[],
			 int *nr, int indices[], MPI_Status statuses[], bool waits)
{
	int error = check_requests(call, count, requests), i;
	struct errors errors = { .statuses = statuses };

	if (error)
		return error;
	mpi_node_enter();
	i = await_first(count, requests, waits);
	*nr = i < 0 ? MPI_UNDEFINED :
		      complete_done(call, i, count, requests, indices, &errors);
	mpi_node_leave();
	if (!*nr)
		mpi_give_way();
	return errors_tell(call, &errors);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[])
{
	struct mpi_call call = MPI_CALL(NULL);

	return complete_some(&call, count, requests, done, indices, statuses, true);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[])
{
	struct mpi_call call = MPI_CALL(NULL);

	return complete_some(&call, count, requests, done, indices, statuses, false);
}

/* of sends nothing is cancelled: one completes, or is received */
int MPI_Cancel(MPI_Request *request)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_requests(&call, 1, request);
	struct me_request *r;

	if (error)
		return error;
	if (*request == MPI_REQUEST_NOBODY)
		return MPI_SUCCESS;
	pe_enter();
	r = find(*request);
	pe_leave();
	if (!r)
		return tell(&call, MPI_ERR_REQUEST, call.comm);
	me_cancel(&mpi_node, r);
	return MPI_SUCCESS;
}

int MPI_Test_cancelled(const MPI_Status *status, int *flag)
{
	*flag = status->mpi_cancelled;
	return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_requests(&call, 1, request);
	struct me_request *r = NULL;

	if (error)
		return error;
	if (*request != MPI_REQUEST_NOBODY) {
		mpi_node_enter();
		r = find(*request);
		if (r && r->state == ME_DONE) {
			struct mpi_comm *whose;

			complete(r, MPI_STATUS_IGNORE, &whose);
		} else if (r) {
			r->orphan = true;
		}
		mpi_node_leave();
		if (!r)
			return tell(&call, MPI_ERR_REQUEST, call.comm);
	}
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_type(&call, type);
	uint64_t bytes = (uint64_t)status->mpi_bytes;

	if (error)
		return error;
	if (!type->size)
		*count = bytes ? MPI_UNDEFINED : 0;
	else
		*count = bytes % type->size ? MPI_UNDEFINED : (int)(bytes / type->size);
	return MPI_SUCCESS;
}

int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_type(&call, type);
	uint64_t bytes = (uint64_t)status->mpi_bytes;
	struct mpi_sig sig;

	if (error)
		return error;
	if (!type->size)
		*count = bytes ? MPI_UNDEFINED : 0;
	else if (mpi_sig_of_begin(type, bytes / type->size + 1, bytes, &sig))
		*count = (int)sig.nr;
	else
		*count = MPI_UNDEFINED;
	return MPI_SUCCESS;
}
