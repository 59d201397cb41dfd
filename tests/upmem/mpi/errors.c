// SPDX-License-Identifier: MIT
/*
 * What is refused, by number.
 * mpi: ranks=2
 */
#include "check.h"

#define WORLD	MPI_COMM_WORLD

static void *wram_end(void)
{
	return (void *)(uintptr_t)(PE_WRAM_BASE + PE_WRAM_BYTES - 4);
}

static void *mram_end(void)
{
	return (void *)(uintptr_t)(PE_MRAM_BASE + PE_SELF->mram_bytes - 4);
}

static void messages(void)
{
	MPI_Request request = (MPI_Request)(uintptr_t)12345;
	int x = 0;

	CHECK(MPI_Init(NULL, NULL) == MPI_ERR_OTHER);
	CHECK(MPI_Send(&x, 1, MPI_INT, size, 0, WORLD) == MPI_ERR_RANK);
	CHECK(MPI_Send(&x, 1, MPI_INT, -5, 0, WORLD) == MPI_ERR_RANK);
	CHECK(MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD) == MPI_ERR_RANK);
	CHECK(MPI_Send(&x, 1, MPI_INT, 0, -1, WORLD) == MPI_ERR_TAG);
	CHECK(MPI_Recv(&x, 1, MPI_INT, 0, -7, WORLD, MPI_STATUS_IGNORE) == MPI_ERR_TAG);
	CHECK(MPI_Send(&x, -1, MPI_INT, 0, 0, WORLD) == MPI_ERR_COUNT);
	CHECK(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, WORLD) == MPI_ERR_TYPE);
	CHECK(MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL) == MPI_ERR_COMM);
	CHECK(MPI_Send(wram_end(), 2, MPI_INT, 0, 0, WORLD) == MPI_ERR_BUFFER);
	CHECK(MPI_Send(mram_end(), 2, MPI_INT, 0, 0, WORLD) == MPI_ERR_BUFFER);
	CHECK(MPI_Send(NULL, 2, MPI_INT, 0, 0, WORLD) == MPI_ERR_BUFFER);
	/* constants may be sent, and not written to */
	CHECK(MPI_Irecv((void *)(uintptr_t)"text", 4, MPI_CHAR, 0, 0, WORLD, &request) ==
	      MPI_ERR_BUFFER);
	CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_REQUEST);
	CHECK(MPI_Cancel(&request) == MPI_ERR_REQUEST);
}

static void types(void)
{
	MPI_Datatype type = MPI_INT, copy;
	int x[4] = { 0 }, n;

	CHECK(MPI_Type_free(&type) == MPI_ERR_TYPE);
	CHECK(MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_ERR_COUNT);
	CHECK(MPI_Type_contiguous(2, MPI_INT, &type) == MPI_SUCCESS);
	CHECK(MPI_Send(x, 1, type, 0, 0, WORLD) == MPI_ERR_TYPE);
	CHECK(MPI_Type_commit(&type) == MPI_SUCCESS);
	copy = type;
	CHECK(MPI_Type_free(&type) == MPI_SUCCESS && type == MPI_DATATYPE_NULL);
	CHECK(MPI_Send(x, 1, copy, 0, 0, WORLD) == MPI_ERR_TYPE);
	CHECK(MPI_Type_size(copy, &n) == MPI_ERR_TYPE);
	CHECK(MPI_Type_vector(1 << 20, 1, 1 << 20, MPI_INT, &type) == MPI_ERR_ARG);
	CHECK(MPI_Type_vector(3, -1, 2, MPI_INT, &type) == MPI_ERR_ARG);
}

/* what has a byte twice may be sent, not received; interlaced is not twice */
static void overlaps(void)
{
	static const int lengths[] = { 2, 2, 1 }, twice[] = { 0, 1, 7 }, once[] = { 3, 0, 2 };
	int x[16] = { 1, 2, 3, 4 }, y[8] = { 0 };
	MPI_Datatype type, pair;
	MPI_Request request;

	MPI_Type_indexed(3, lengths, twice, MPI_INT, &type);
	MPI_Type_commit(&type);
	CHECK(MPI_Irecv(x, 1, type, rank, 0, WORLD, &request) == MPI_ERR_TYPE);
	CHECK(MPI_Sendrecv(x, 1, type, rank, 0, y, 5, MPI_INT, rank, 0, WORLD,
			   MPI_STATUS_IGNORE) == MPI_SUCCESS);
	CHECK(y[0] == 1 && y[1] == 2 && y[2] == 2 && y[3] == 3);
	MPI_Type_free(&type);
	MPI_Type_indexed(3, lengths, once, MPI_INT, &type);
	MPI_Type_commit(&type);
	CHECK(MPI_Sendrecv(y, 5, MPI_INT, rank, 0, x, 1, type, rank, 0, WORLD,
			   MPI_STATUS_IGNORE) == MPI_SUCCESS);
	MPI_Type_free(&type);
	MPI_Type_vector(3, 1, 4, MPI_INT, &pair);
	MPI_Type_create_resized(pair, 0, 4, &type);
	MPI_Type_commit(&type);
	CHECK(MPI_Irecv(x, 5, type, rank, 0, WORLD, &request) == MPI_ERR_TYPE);
	CHECK(MPI_Irecv(x, 4, type, rank, 0, WORLD, &request) == MPI_SUCCESS);
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Type_free(&pair);
}

/* of another type, which is what is most often wrong */
static void signatures(void)
{
	float f = 1;
	int x = 3, error;

	if (rank == 0) {
		MPI_Send(&f, 1, MPI_FLOAT, 1, 0, WORLD);
		MPI_Send(&x, 1, MPI_INT, 1, 0, WORLD);
		return;
	}
	error = MPI_Recv(&x, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(error == MPI_ERR_TYPE && x == 3);
	CHECK(MPI_Recv(&x, 1, MPI_INT32_T, 0, 0, WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void collectives(void)
{
	MPI_Op op = MPI_OP_NULL;
	float _Complex c = 0;
	float f = 0;
	int x = 0;

	CHECK(MPI_Bcast(&x, 1, MPI_INT, size, WORLD) == MPI_ERR_ROOT);
	CHECK(MPI_Allreduce(&x, &x, 1, MPI_INT, op, WORLD) == MPI_ERR_OP);
	CHECK(MPI_Allreduce(&f, &f, 1, MPI_FLOAT, MPI_BAND, WORLD) == MPI_ERR_OP);
	CHECK(MPI_Allreduce(&c, &c, 1, MPI_C_COMPLEX, MPI_MAX, WORLD) == MPI_ERR_OP);
	op = MPI_SUM;
	CHECK(MPI_Op_free(&op) == MPI_ERR_OP);
	/* the root's alone is in its place; of counts and places each rank wants its own */
	if (rank) {
		CHECK(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, NULL, 0, MPI_INT, 0, WORLD) ==
		      MPI_ERR_BUFFER);
		CHECK(MPI_Scatter(NULL, 0, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, WORLD) ==
		      MPI_ERR_BUFFER);
	}
	CHECK(MPI_Allgatherv(&x, 1, MPI_INT, &x, NULL, NULL, MPI_INT, WORLD) == MPI_ERR_ARG);
	CHECK(MPI_Sendrecv_replace(&x, -1, MPI_INT, 0, 0, 0, 0, WORLD, MPI_STATUS_IGNORE) ==
	      MPI_ERR_COUNT);
}

static struct {
	MPI_Comm comm;
	int code, times;
} told;

static void note(MPI_Comm *comm, int *code, ...)
{
	told.comm = *comm;
	told.code = *code;
	told.times++;
}

static bool was_told(MPI_Comm comm, int code, int times)
{
	return told.comm == comm && told.code == code && told.times == times;
}

/* a function of the program's: it is told, and the call returns what it was told */
static void handlers(void)
{
	MPI_Errhandler handler, copy, freed;
	MPI_Comm comm;
	MPI_Request requests[2];
	int x = 0, y[2] = { 0 };

	CHECK(MPI_Comm_create_errhandler(NULL, &handler) == MPI_ERR_ARG);
	CHECK(MPI_Comm_create_errhandler(note, &handler) == MPI_SUCCESS);
	CHECK(MPI_Comm_set_errhandler(WORLD, handler) == MPI_SUCCESS);
	MPI_Comm_dup(WORLD, &comm);
	copy = freed = handler;
	CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
	CHECK(MPI_Send(&x, 1, MPI_INT, size, 0, comm) == MPI_ERR_RANK);
	CHECK(was_told(comm, MPI_ERR_RANK, 1));
	CHECK(MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS && handler == copy);
	CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
	CHECK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER) == MPI_SUCCESS);
	CHECK(was_told(comm, MPI_ERR_OTHER, 2));
	/* of a request, and of several */
	MPI_Irecv(&x, 1, MPI_INT, rank, 1, comm, &requests[0]);
	MPI_Send(y, 2, MPI_INT, rank, 1, comm);
	CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
	CHECK(was_told(comm, MPI_ERR_TRUNCATE, 3));
	MPI_Irecv(&x, 1, MPI_INT, rank, 1, comm, &requests[0]);
	MPI_Isend(y, 2, MPI_INT, rank, 1, comm, &requests[1]);
	CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_ERR_IN_STATUS);
	CHECK(was_told(comm, MPI_ERR_IN_STATUS, 4));
	/* the last communicator that has it takes it along */
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_free(&comm);
	CHECK(MPI_Comm_set_errhandler(WORLD, freed) == MPI_ERR_ARG);
	CHECK(MPI_Errhandler_free(&freed) == MPI_ERR_ARG && told.times == 4);
	handler = MPI_ERRORS_RETURN;
	CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
}

int main(void)
{
	check_begin();
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	handlers();
	messages();
	types();
	overlaps();
	signatures();
	collectives();
	check_end();
	return 0;
}
