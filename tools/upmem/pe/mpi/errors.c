// SPDX-License-Identifier: MIT
/* What goes wrong: a fault at the caller's line, or a number that the call returns. */
#include <string.h>

#include "inside.h"

struct mpi_errhandler {
	bool returns;
};

const struct mpi_errhandler mpi_errors_are_fatal = { false };
const struct mpi_errhandler mpi_errors_return = { true };

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
bool mpi_returns_errors(const struct mpi_comm *comm)
{
	if (!mpi_may_be(comm) || comm->magic != MPI_COMM_MAGIC)
		comm = MPI_COMM_WORLD;
	return comm->returns;
}

int mpi_fail(const struct mpi_call *call, int error, const char *text, uint64_t value)
{
	if (!call->returns)
		pe_fault_at(call->caller, PE_FAULT_RUNTIME, value, text);
	return error;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (error)
		return error;
	if (errhandler != MPI_ERRORS_ARE_FATAL && errhandler != MPI_ERRORS_RETURN)
		return mpi_fail(&call, MPI_ERR_ARG,
				"MPI_ERR_ARG: expected MPI_ERRORS_ARE_FATAL or MPI_ERRORS_RETURN",
				(uintptr_t)errhandler);
	comm->returns = errhandler->returns;
	return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (!error)
		*errhandler = comm->returns ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL;
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
