// SPDX-License-Identifier: MIT
/* Sends and receives: their arguments are checked, the engine does the rest. */
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/engine/send.h"
#include "inside.h"

static int check_peer(const struct mpi_call *call, const struct mpi_peer *peer, bool receives)
{
	int error = mpi_check_comm(call, peer->comm);

	if (error)
		return error;
	if (peer->rank == MPIX_HOST && !(PE_SELF->host && peer->comm == MPI_COMM_WORLD))
		return mpi_fail(call, MPI_ERR_RANK,
				"MPI_ERR_RANK: MPIX_HOST, expected an end of the host's, and MPI_COMM_WORLD", 0);
	if (peer->rank != MPI_PROC_NULL && peer->rank != MPIX_HOST && !(receives && peer->rank == MPI_ANY_SOURCE) &&
	    (peer->rank < 0 || (uint32_t)peer->rank >= peer->comm->size))
		return mpi_fail(call, MPI_ERR_RANK,
				"MPI_ERR_RANK: the communicator has no such rank",
				(uint64_t)peer->rank);
	if (peer->tag < 0 && !(receives && peer->tag == MPI_ANY_TAG))
		return mpi_fail(call, MPI_ERR_TAG, "MPI_ERR_TAG: the tag is negative",
				(uint64_t)peer->tag);
	return MPI_SUCCESS;
}

static int check(const struct mpi_call *call, const struct mpi_part *part,
		 const struct mpi_peer *peer, const MPI_Request *request, bool receives)
{
	int error = check_peer(call, peer, receives);

	if (error)
		return error;
	if (!request)
		return mpi_fail(call, MPI_ERR_ARG, "MPI_ERR_ARG: request is NULL", 0);
	return mpi_check_part(call, part->base, (int64_t)part->count, part->type, receives);
}

/* the buffer's type and the communicator are used as long as the request is */
static struct me_buffer begin(const struct mpi_part *part, struct mpi_comm *comm)
{
	struct me_buffer buffer;

	pe_enter();
	buffer = mpi_buffer_of(part->base, part->count, part->type);
	comm->users++;
	pe_leave();
	return buffer;
}

static int begun(const struct mpi_call *call, int error, struct me_buffer *buffer,
		 struct mpi_comm *comm, const struct me_request *r, MPI_Request *request)
{
	if (!error) {
		*request = mpi_request_handle(r);
		return MPI_SUCCESS;
	}
	pe_enter();
	mpi_buffer_release(buffer);
	mpi_comm_put(comm);
	pe_leave();
	return mpi_fail(call, MPI_ERR_NO_MEM,
			"MPI_ERR_NO_MEM: no memory for a request: MPIX_POOL_INIT gives more", 0);
}

/*
 * What has been checked; the buffer is the engine's, or released. Inlined, since nearly all
 * that a short message takes is done here.
 */
__attribute__((always_inline))
static inline int isend(const struct mpi_call *call, struct me_buffer buffer,
		 const struct mpi_peer *to, MPI_Request *request)
{
	struct me_send send = {
		.buffer = buffer,
		.to = mpi_node_of(to->comm, (uint32_t)to->rank),
		.context = to->comm->context + to->which,
		.tag = to->tag,
		.synchronous = to->synchronous,
		.eager_bytes = mpi_node.eager_bytes,
		.user = to->comm,
	};
	struct me_request *r = NULL;
	int error = me_isend(&mpi_node, &send, &r);

	return begun(call, error, &send.buffer, to->comm, r, request);
}

int mpi_isend(const struct mpi_call *call, const struct mpi_part *part,
	      const struct mpi_peer *to, MPI_Request *request)
{
	int error = check(call, part, to, request, false);

	if (error)
		return error;
	if (to->rank == MPI_PROC_NULL) {
		*request = MPI_REQUEST_NOBODY;
		return MPI_SUCCESS;
	}
	return isend(call, begin(part, to->comm), to, request);
}

int mpi_irecv(const struct mpi_call *call, const struct mpi_part *part,
	      const struct mpi_peer *from, MPI_Request *request)
{
	int error = check(call, part, from, request, true);
	struct me_request *r = NULL;
	struct me_receive receive;

	if (error)
		return error;
	if (from->rank == MPI_PROC_NULL) {
		*request = MPI_REQUEST_NOBODY;
		return MPI_SUCCESS;
	}
	receive = (struct me_receive){
		.buffer = begin(part, from->comm),
		.key = mpi_key_of(from),
		.user = from->comm,
	};
	error = me_irecv(&mpi_node, &receive, &r);
	return begun(call, error, &receive.buffer, from->comm, r, request);
}

struct me_key mpi_key_of(const struct mpi_peer *from)
{
	return (struct me_key){
		.context = from->comm->context + from->which,
		.source = from->rank == MPI_ANY_SOURCE ? ME_ANY :
			  (int32_t)mpi_node_of(from->comm, (uint32_t)from->rank),
		.tag = from->tag,
	};
}

/* what goes is in `copy`, one run of bytes: the part's elements, in its place come others */
static int exchange(const struct mpi_call *call, const struct mpi_part *part, void *copy,
		    const struct mpi_peer *to, const struct mpi_peer *from, MPI_Status *status)
{
	struct mpi_part run = { copy, part->count * part->type->size, MPI_BYTE };
	MPI_Request receive, send = MPI_REQUEST_NOBODY;
	int error = mpi_irecv(call, part, from, &receive), received;
	struct me_buffer buffer;

	if (error)
		return error;
	if (to->rank != MPI_PROC_NULL) {
		buffer = begin(&run, to->comm);
		buffer.signature = mpi_signature(part);
		error = isend(call, buffer, to, &send);
	}
	if (error) {
		MPI_Cancel(&receive);
		mpi_wait(call, &receive, MPI_STATUS_IGNORE);
		return error;
	}
	error = mpi_wait(call, &send, MPI_STATUS_IGNORE);
	received = mpi_wait(call, &receive, status);
	return error ? error : received;
}

int mpi_replace(const struct mpi_call *call, const struct mpi_part *part,
		const struct mpi_peer *to, const struct mpi_peer *from, MPI_Status *status)
{
	int error = check_peer(call, to, false);
	uint32_t bytes;
	void *copy;

	if (!error)
		error = mpi_check_part(call, part->base, (int64_t)part->count, part->type, true);
	if (error)
		return error;
	bytes = (uint32_t)(part->count * part->type->size);
	pe_enter();
	copy = bytes ? mpi_alloc(bytes) : NULL;
	if (copy)
		mpi_stream(part, 0, copy, bytes, false);
	pe_leave();
	if (bytes && !copy)
		return mpi_fail(call, MPI_ERR_NO_MEM,
				"MPI_ERR_NO_MEM: no memory for what is replaced: MPIX_POOL_INIT gives more",
				bytes);
	error = exchange(call, part, copy, to, from, status);
	if (copy) {
		pe_enter();
		mpi_free(copy, bytes);
		pe_leave();
	}
	return error;
}

int mpi_imrecv(const struct mpi_call *call, const struct mpi_part *part,
	       struct mpi_comm *comm, struct me_parcel *message, MPI_Request *request)
{
	struct me_receive receive = {
		.buffer = begin(part, comm),
		.user = comm,
	};
	struct me_request *r = NULL;
	int error = me_imrecv(&mpi_node, &receive, message, &r);

	return begun(call, error, &receive.buffer, comm, r, request);
}

int mpi_check_probe(const struct mpi_call *call, const struct mpi_peer *from)
{
	return check_peer(call, from, true);
}

/* the arguments of a call */
#define PART(buf, count, type)						\
	{ (uint8_t *)(uintptr_t)(buf), (uint64_t)(int64_t)(count), (type) }
#define PEER(comm, rank, tag, sync)	{ (comm), (rank), (tag), MPI_USERS, (sync) }

static int finish(const struct mpi_call *call, int error, MPI_Request *request,
		  MPI_Status *status)
{
	return error ? error : mpi_wait(call, request, status);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	      MPI_Comm comm, MPI_Request *request)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = PART(buf, count, type);
	struct mpi_peer to = PEER(comm, dest, tag, false);

	return mpi_isend(&call, &part, &to, request);
}

int MPI_Issend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	       MPI_Comm comm, MPI_Request *request)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = PART(buf, count, type);
	struct mpi_peer to = PEER(comm, dest, tag, true);

	return mpi_isend(&call, &part, &to, request);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = PART(buf, count, type);
	struct mpi_peer from = PEER(comm, source, tag, false);

	return mpi_irecv(&call, &part, &from, request);
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	     MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = PART(buf, count, type);
	struct mpi_peer to = PEER(comm, dest, tag, false);
	MPI_Request request;

	return finish(&call, mpi_isend(&call, &part, &to, &request), &request,
		      MPI_STATUS_IGNORE);
}

int MPI_Ssend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	      MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = PART(buf, count, type);
	struct mpi_peer to = PEER(comm, dest, tag, true);
	MPI_Request request;

	return finish(&call, mpi_isend(&call, &part, &to, &request), &request,
		      MPI_STATUS_IGNORE);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = PART(buf, count, type);
	struct mpi_peer from = PEER(comm, source, tag, false);
	MPI_Request request;

	return finish(&call, mpi_irecv(&call, &part, &from, &request), &request, status);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
		 int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		 int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part out = PART(sendbuf, sendcount, sendtype);
	struct mpi_part in = PART(recvbuf, recvcount, recvtype);
	struct mpi_peer to = PEER(comm, dest, sendtag, false);
	struct mpi_peer from = PEER(comm, source, recvtag, false);
	MPI_Request receive, send;
	int error = mpi_irecv(&call, &in, &from, &receive), received;

	if (error)
		return error;
	error = mpi_isend(&call, &out, &to, &send);
	if (error) {
		MPI_Cancel(&receive);
		mpi_wait(&call, &receive, MPI_STATUS_IGNORE);
		return error;
	}
	error = mpi_wait(&call, &send, MPI_STATUS_IGNORE);
	received = mpi_wait(&call, &receive, status);
	return error ? error : received;
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
			 int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = PART(buf, count, type);
	struct mpi_peer to = PEER(comm, dest, sendtag, false);
	struct mpi_peer from = PEER(comm, source, recvtag, false);

	return mpi_replace(&call, &part, &to, &from, status);
}
