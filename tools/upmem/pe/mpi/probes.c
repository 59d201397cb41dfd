// SPDX-License-Identifier: MIT
/* Probes, and receives of the messages that they took. */
#include "collectives/messages/engine/probe.h"
#include "inside.h"

/* a message that a probe took; its number, so that a handle outlives it */
struct mpi_message {
	struct me_parcel *parcel;
	struct mpi_comm *comm;
};

struct probe {
	struct mpi_peer from;
	struct me_status status;
	struct me_parcel *parcel;
	bool takes;
};

static int check(const struct mpi_call *call, const struct probe *p)
{
	return mpi_check_probe(call, &p->from);
}

static void nobody(MPI_Status *status)
{
	mpi_status_empty(status);
	if (status != MPI_STATUS_IGNORE)
		status->MPI_SOURCE = MPI_PROC_NULL;
}

static bool look(struct probe *p, MPI_Status *status, struct me_prober *prober)
{
	struct me_key key = mpi_key_of(&p->from);
	bool found;

	found = me_iprobe(&mpi_node, &key, &p->status, p->takes ? &p->parcel : NULL, prober);
	if (found)
		mpi_status_set(status, p->from.comm, &p->status);
	return found;
}

/* until there is one */
static void await(struct probe *p, MPI_Status *status)
{
	struct me_prober prober = { .key = mpi_key_of(&p->from) };

	while (!look(p, status, &prober)) {
		mpi_node_enter();
		while (prober.waiting)
			mpi_wait_event();
		mpi_node_leave();
		me_probe_end(&mpi_node, &prober);
	}
}

/* the handle of what was taken, in whose memory the communicator waits */
static int taken(const struct mpi_call *call, struct probe *p, MPI_Message *message)
{
	struct mpi_message *m;

	pe_enter();
	m = mpi_alloc(sizeof(*m));
	if (m) {
		*m = (struct mpi_message){ p->parcel, p->from.comm };
		p->from.comm->users++;
	}
	pe_leave();
	if (!m)
		return mpi_fail(call, MPI_ERR_NO_MEM,
				"MPI_ERR_NO_MEM: no memory for a message's handle", 0);
	*message = m;
	return MPI_SUCCESS;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(comm);
	struct probe p = { .from = { comm, source, tag, MPI_USERS, false } };
	int error = check(&call, &p);

	if (error)
		return error;
	if (source == MPI_PROC_NULL)
		nobody(status);
	else
		await(&p, status);
	return MPI_SUCCESS;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(comm);
	struct probe p = { .from = { comm, source, tag, MPI_USERS, false } };
	int error = check(&call, &p);

	if (error)
		return error;
	*flag = 1;
	if (source == MPI_PROC_NULL)
		nobody(status);
	else
		*flag = look(&p, status, NULL);
	if (!*flag)
		mpi_give_way();
	return MPI_SUCCESS;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
	       MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(comm);
	struct probe p = { .from = { comm, source, tag, MPI_USERS, false }, .takes = true };
	int error = check(&call, &p);

	if (error)
		return error;
	if (source == MPI_PROC_NULL) {
		nobody(status);
		*message = MPI_MESSAGE_NO_PROC;
		return MPI_SUCCESS;
	}
	await(&p, status);
	return taken(&call, &p, message);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(comm);
	struct probe p = { .from = { comm, source, tag, MPI_USERS, false }, .takes = true };
	int error = check(&call, &p);

	if (error)
		return error;
	*flag = 1;
	if (source == MPI_PROC_NULL) {
		nobody(status);
		*message = MPI_MESSAGE_NO_PROC;
		return MPI_SUCCESS;
	}
	*flag = look(&p, status, NULL);
	if (*flag)
		return taken(&call, &p, message);
	mpi_give_way();
	return MPI_SUCCESS;
}

/* whether a handle is of a message that was taken and not received yet */
static bool is_message(MPI_Message message)
{
	struct me_link *l;

	if (!mpi_may_be(message))
		return false;
	for (l = mpi_node.taken.first; l; l = l->next) {
		if (me_parcel_of(l) == message->parcel)
			return true;
	}
	return false;
}

static int receive(const struct mpi_call *call, const struct mpi_part *part,
		   MPI_Message *message, MPI_Request *request)
{
	int error = mpi_check_comm(call, MPI_COMM_WORLD);
	struct mpi_message *m = message ? *message : MPI_MESSAGE_NULL;
	bool known;

	if (!error)
		error = mpi_check_part(call, part->base, (int64_t)part->count, part->type, true);
	if (error)
		return error;
	if (m == MPI_MESSAGE_NO_PROC) {
		*request = MPI_REQUEST_NOBODY;
		*message = MPI_MESSAGE_NULL;
		return MPI_SUCCESS;
	}
	pe_enter();
	known = is_message(m);
	pe_leave();
	if (!known)
		return mpi_fail(call, MPI_ERR_REQUEST,
				"MPI_ERR_REQUEST: the message was received, or is none",
				(uintptr_t)m);
	error = mpi_imrecv(call, part, m->comm, m->parcel, request);
	if (error)
		return error;
	pe_enter();
	mpi_comm_put(m->comm);
	mpi_free(m, sizeof(*m));
	pe_leave();
	*message = MPI_MESSAGE_NULL;
	return MPI_SUCCESS;
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
	       MPI_Request *request)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct mpi_part part = { buf, (uint64_t)(int64_t)count, type };

	return receive(&call, &part, message, request);
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
	      MPI_Status *status)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct mpi_part part = { buf, (uint64_t)(int64_t)count, type };
	MPI_Request request;
	int error = receive(&call, &part, message, &request);

	return error ? error : mpi_wait(&call, &request, status);
}
