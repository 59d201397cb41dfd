// SPDX-License-Identifier: MIT
/* What goes wrong: a fault at the caller's line, or a number that the call returns. */
#include <string.h>

#include "inside.h"

#define ERRHANDLER_MAGIC	0xe44a4d1eu

struct mpi_errhandler {
	uint32_t magic;			/* as long as it has a handle */
	uint32_t users;			/* of one that is made: handles and communicators */
	bool fatal;
	MPI_Comm_errhandler_function *function;	/* NULL: it is predefined */
};

const struct mpi_errhandler mpi_errors_are_fatal = { .magic = ERRHANDLER_MAGIC, .fatal = true };
const struct mpi_errhandler mpi_errors_return = { .magic = ERRHANDLER_MAGIC };

static const char *const names[] = {
	[MPI_SUCCESS] = "MPI_SUCCESS: no error",
	[MPI_ERR_BUFFER] = "MPI_ERR_BUFFER: no such memory",
	[MPI_ERR_COUNT] = "MPI_ERR_COUNT: no such count",
	[MPI_ERR_TYPE] = "MPI_ERR_TYPE: not the datatype that is expected",
	[MPI_ERR_TAG] = "MPI_ERR_TAG: no such tag",
	[MPI_ERR_COMM] = "MPI_ERR_COMM: no such communicator",
	[MPI_ERR_RANK] = "MPI_ERR_RANK: no such rank",
	[MPI_ERR_REQUEST] = "MPI_ERR_REQUEST: no such request",
	[MPI_ERR_ROOT] = "MPI_ERR_ROOT: no such root",
	[MPI_ERR_OP] = "MPI_ERR_OP: no such operation on that type",
	[MPI_ERR_ARG] = "MPI_ERR_ARG: no such argument",
	[MPI_ERR_TRUNCATE] = "MPI_ERR_TRUNCATE: the message is longer than the buffer",
	[MPI_ERR_OTHER] = "MPI_ERR_OTHER: the message was lost",
	[MPI_ERR_IN_STATUS] = "MPI_ERR_IN_STATUS: a status tells the error",
	[MPI_ERR_PENDING] = "MPI_ERR_PENDING: not done",
	[MPI_ERR_NO_MEM] = "MPI_ERR_NO_MEM: no memory: MPIX_POOL_INIT gives more",
};

const char *mpi_error_text(int error)
{
	return error >= 0 && error < MPI_ERR_LASTCODE ? names[error] : names[MPI_ERR_OTHER];
}

int mpi_error_of(int error)
{
	switch (error) {
	case 0:
		return MPI_SUCCESS;
	case -ME_ENOMEM:
		return MPI_ERR_NO_MEM;
	case -ME_EMSGSIZE:
		return MPI_ERR_TRUNCATE;
	case -ME_EPROTO:
		return MPI_ERR_TYPE;
	default:
		return MPI_ERR_OTHER;
	}
}

/* what belongs to no communicator is the world's */
struct mpi_comm *mpi_comm_of_errors(struct mpi_comm *comm)
{
	return mpi_may_be(comm) && comm->magic == MPI_COMM_MAGIC ? comm : MPI_COMM_WORLD;
}

static bool is_fatal(const struct mpi_comm *comm)
{
	return !comm->handler || comm->handler->fatal;
}

static void call_handler(struct mpi_comm *comm, int error)
{
	if (comm->handler->function)
		comm->handler->function(&comm, &error);
}

int mpi_fail(const struct mpi_call *call, int error, const char *text, uint64_t value)
{
	if (is_fatal(call->comm))
		pe_fault_at(call->caller, PE_FAULT_RUNTIME, value, text);
	call_handler(call->comm, error);
	return error;
}

const struct mpi_errhandler *mpi_errhandler_get(const struct mpi_errhandler *handler)
{
	if (handler && handler->function)
		((struct mpi_errhandler *)(uintptr_t)handler)->users++;
	return handler;
}

void mpi_errhandler_put(const struct mpi_errhandler *handler)
{
	struct mpi_errhandler *h = (struct mpi_errhandler *)(uintptr_t)handler;

	if (!h || !h->function || --h->users)
		return;
	h->magic = 0;
	mpi_free(h, sizeof(*h));
}

static int check_errhandler(const struct mpi_call *call, const struct mpi_errhandler *handler)
{
	if (mpi_may_be(handler) && handler->magic == ERRHANDLER_MAGIC)
		return MPI_SUCCESS;
	return mpi_fail(call, MPI_ERR_ARG,
			handler ? "MPI_ERR_ARG: the error handler was freed, or is none" :
				  "MPI_ERR_ARG: the error handler is MPI_ERRHANDLER_NULL",
			(uintptr_t)handler);
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function,
			       MPI_Errhandler *errhandler)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct mpi_errhandler *new;

	if (!function || !errhandler)
		return mpi_fail(&call, MPI_ERR_ARG,
				"MPI_ERR_ARG: function or errhandler is NULL", 0);
	pe_enter();
	new = mpi_alloc(sizeof(*new));
	if (new)
		*new = (struct mpi_errhandler){ ERRHANDLER_MAGIC, 1, false, function };
	pe_leave();
	if (!new)
		return mpi_fail(&call, MPI_ERR_NO_MEM,
				"MPI_ERR_NO_MEM: no memory for an error handler", 0);
	*errhandler = new;
	return MPI_SUCCESS;
}

/* communicators that have it keep it */
int MPI_Errhandler_free(MPI_Errhandler *errhandler)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_errhandler(&call, errhandler ? *errhandler : NULL);

	if (error)
		return error;
	pe_enter();
	mpi_errhandler_put(*errhandler);
	pe_leave();
	*errhandler = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (!error)
		error = check_errhandler(&call, errhandler);
	if (error)
		return error;
	pe_enter();
	mpi_errhandler_get(errhandler);
	mpi_errhandler_put(comm->handler);
	comm->handler = errhandler;
	pe_leave();
	return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (error)
		return error;
	pe_enter();
	*errhandler = comm->handler ? mpi_errhandler_get(comm->handler) : MPI_ERRORS_ARE_FATAL;
	pe_leave();
	return MPI_SUCCESS;
}

int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (!error)
		mpi_fail(&call, errorcode, mpi_error_text(errorcode), (uint64_t)errorcode);
	return error;
}

int MPI_Error_class(int errorcode, int *errorclass)
{
	*errorclass = errorcode;
	return MPI_SUCCESS;
}

int MPI_Error_string(int errorcode, char *string, int *length)
{
	const char *text = mpi_error_text(errorcode);

	*length = (int)strlen(text);
	memcpy(string, text, (size_t)*length + 1);
	return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
	(void)comm;
	pe_fault_at(__builtin_return_address(0), PE_FAULT_HALT, (uint64_t)errorcode,
		    "MPI_Abort");
}
