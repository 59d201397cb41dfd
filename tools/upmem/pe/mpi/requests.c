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

void mpi_status_set(MPI_Status *status, const struct mpi_comm *comm,
		    const struct me_status *from)
{
	if (status != MPI_STATUS_IGNORE)
		*status = (MPI_Status){
			.MPI_SOURCE = mpi_rank_of(comm, (uint32_t)from->source),
			.MPI_TAG = from->tag,
			.MPI_ERROR = mpi_error_of(from->error),
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
	} else {
		mpi_status_empty(status);
		if (status != MPI_STATUS_IGNORE) {
			status->MPI_ERROR = error;
			status->mpi_cancelled = (int)r->status.cancelled;
		}
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

/* each error is one of its status; all have been waited for then */
static int complete_all(const struct mpi_call *call, int count, MPI_Request requests[],
			MPI_Status statuses[])
{
	struct mpi_call told = *call;
	int first = MPI_SUCCESS;

	for (int i = 0; i < count; i++) {
		MPI_Status *status = status_at(statuses, i);
		struct mpi_comm *whose = call->comm;
		int error;

		mpi_node_enter();
		while ((error = look(&requests[i], status, &whose)) == MPI_ERR_PENDING)
			mpi_wait_event();
		mpi_node_leave();
		if (status != MPI_STATUS_IGNORE)
			status->MPI_ERROR = error;
		if (error && !first) {
			first = error;
			told.comm = whose;
		}
	}
	return first ? mpi_fail(&told, MPI_ERR_IN_STATUS, text_of(first), 0) :
		       MPI_SUCCESS;
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

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_requests(&call, count, requests), i;
	struct mpi_comm *whose = call.comm;

	if (error)
		return error;
	mpi_node_enter();
	while ((i = first_done(count, requests)) == count && count)
		mpi_wait_event();
	if (i < 0) {
		*index = MPI_UNDEFINED;
		mpi_status_empty(status);
	} else {
		*index = i;
		error = look(&requests[i], status, &whose);
	}
	mpi_node_leave();
	return tell(&call, error, whose);
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
