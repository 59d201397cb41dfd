// SPDX-License-Identifier: MIT
/* Pack and Unpack: what a buffer holds, as a run of bytes. */
#include "inside.h"

static int check(const struct mpi_call *call, const struct mpi_part *part, int64_t size,
		 const int *position, MPI_Comm comm, bool receives)
{
	int error = mpi_check_comm(call, comm);

	if (!error)
		error = mpi_check_part(call, part->base, (int64_t)part->count, part->type,
				       receives);
	if (error)
		return error;
	if (!position || *position < 0 ||
	    (uint64_t)*position + part->count * part->type->size > (uint64_t)(size < 0 ? 0 : size))
		return mpi_fail(call, MPI_ERR_TRUNCATE,
				"MPI_ERR_TRUNCATE: the data is longer than what is packed, or position is not in it",
				part->count * part->type->size);
	return MPI_SUCCESS;
}

static void stream(const struct mpi_part *part, void *run, int *position, bool to_part)
{
	uint64_t bytes = part->count * part->type->size;

	pe_enter();
	if (bytes)
		mpi_stream(part, 0, (uint8_t *)run + *position, bytes, to_part);
	pe_leave();
	*position += (int)bytes;
}

int MPI_Pack(const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize,
	     int *position, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = { (uint8_t *)(uintptr_t)inbuf, (uint64_t)(int64_t)incount, type };
	int error = check(&call, &part, outsize, position, comm, false);

	if (!error)
		error = mpi_check_part(&call, outbuf, outsize, MPI_BYTE, true);
	if (!error)
		stream(&part, outbuf, position, false);
	return error;
}

int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
	       MPI_Datatype type, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = { outbuf, (uint64_t)(int64_t)outcount, type };
	int error = check(&call, &part, insize, position, comm, true);

	if (!error)
		error = mpi_check_part(&call, inbuf, insize, MPI_BYTE, false);
	if (!error)
		stream(&part, (void *)(uintptr_t)inbuf, position, true);
	return error;
}

int MPI_Pack_size(int incount, MPI_Datatype type, MPI_Comm comm, int *size)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (!error)
		error = mpi_check_type(&call, type);
	if (!error && incount < 0)
		error = mpi_fail(&call, MPI_ERR_COUNT, "MPI_ERR_COUNT: count is negative",
				 (uint64_t)incount);
	if (!error)
		*size = incount * (int)type->size;
	return error;
}
