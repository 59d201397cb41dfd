// SPDX-License-Identifier: MIT
/* Pairs by an MPI library, for which this is compiled. */
#include <mpi.h>
#include <stdlib.h>

#include "tools/perf/pair/pair.h"

static MPI_Request requests[2 * PAIR_WINDOW];
static int rank;

/* A type is a handle in memory of its own. Errors of MPI end the program with its message. */
static ddt_type boxed(MPI_Datatype mpi)
{
	MPI_Datatype *box = malloc(sizeof(*box));

	if (!box)
		pair_die("no memory");
	*box = mpi;
	return box;
}

static MPI_Datatype unboxed(ddt_type type)
{
	return *(MPI_Datatype *)type;
}

static void drop(ddt_type *type)
{
	MPI_Datatype mpi = unboxed(*type);

	free(*type);
	*type = NULL;
	if (mpi != MPI_FLOAT && mpi != MPI_DOUBLE)
		MPI_Type_free(&mpi);
}

static ddt_type made(MPI_Datatype mpi, ddt_type old)
{
	drop(&old);
	return boxed(mpi);
}

static ddt_type basic(unsigned int element)
{
	return boxed(element == 8 ? MPI_DOUBLE : MPI_FLOAT);
}

static ddt_type contiguous(uint64_t count, ddt_type old)
{
	MPI_Datatype mpi;

	MPI_Type_contiguous((int)count, unboxed(old), &mpi);
	return made(mpi, old);
}

static ddt_type vector(uint64_t count, uint64_t block, int64_t stride, ddt_type old)
{
	MPI_Datatype mpi;

	MPI_Type_vector((int)count, (int)block, (int)stride, unboxed(old), &mpi);
	return made(mpi, old);
}

static ddt_type hvector(uint64_t count, uint64_t block, int64_t stride, ddt_type old)
{
	MPI_Datatype mpi;

	MPI_Type_create_hvector((int)count, (int)block, stride, unboxed(old), &mpi);
	return made(mpi, old);
}

static ddt_type indexed(uint64_t count, uint64_t block, const int *list, int scale, ddt_type old)
{
	int *places = malloc(count * sizeof(*places));
	MPI_Datatype mpi;

	if (!places)
		pair_die("no memory");
	for (uint64_t i = 0; i < count; i++)
		places[i] = list[i] * scale;
	MPI_Type_create_indexed_block((int)count, (int)block, places, unboxed(old), &mpi);
	free(places);
	return made(mpi, old);
}

static ddt_type structure(unsigned int count, const int64_t places[], ddt_type olds[])
{
	MPI_Aint at[DDT_NESTS] = { 0 };
	MPI_Datatype parts[DDT_NESTS] = { MPI_DATATYPE_NULL }, mpi;
	int ones[DDT_NESTS] = { 0 };

	for (unsigned int i = 0; i < count; i++) {
		at[i] = places[i];
		parts[i] = unboxed(olds[i]);
		ones[i] = 1;
	}
	MPI_Type_create_struct((int)count, ones, at, parts, &mpi);
	for (unsigned int i = 0; i < count; i++)
		drop(&olds[i]);
	return boxed(mpi);
}

static ddt_type subarray(unsigned int dims, const uint64_t sizes[], const uint64_t subsizes[],
			 const uint64_t starts[], ddt_type old)
{
	int whole[4] = { 0 }, part[4] = { 0 }, first[4] = { 0 };
	MPI_Datatype mpi;

	for (unsigned int d = 0; d < dims && d < 4; d++) {
		whole[d] = (int)sizes[d];
		part[d] = (int)subsizes[d];
		first[d] = (int)starts[d];
	}
	MPI_Type_create_subarray((int)dims, whole, part, first, MPI_ORDER_C, unboxed(old), &mpi);
	return made(mpi, old);
}

static ddt_type resized(ddt_type old, int64_t extent)
{
	MPI_Datatype mpi;

	MPI_Type_create_resized(unboxed(old), 0, extent, &mpi);
	return made(mpi, old);
}

static const struct ddt_maker maker = {
	.basic = basic,
	.contiguous = contiguous,
	.vector = vector,
	.hvector = hvector,
	.indexed = indexed,
	.structure = structure,
	.subarray = subarray,
	.resized = resized,
};

static int start(int argc, char **argv)
{
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 2)
		pair_die("%d ranks, expected 2", size);
	return rank;
}

static void finish(void)
{
	MPI_Finalize();
}

static void *allocate(size_t bytes)
{
	void *memory;

	MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
	return memory;
}

static void release(void *memory)
{
	MPI_Free_mem(memory);
}

static void commit(ddt_type *type)
{
	MPI_Datatype mpi = unboxed(*type);

	MPI_Type_commit(&mpi);
}

static void *place(void *base, int64_t at)
{
	return (char *)base + at;
}

static void send_one(void *base, int64_t at, ddt_type type)
{
	MPI_Send(place(base, at), 1, unboxed(type), !rank, 0, MPI_COMM_WORLD);
}

static void recv_one(void *base, int64_t at, ddt_type type)
{
	MPI_Recv(place(base, at), 1, unboxed(type), !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void isend(unsigned int slot, void *base, int64_t at, ddt_type type)
{
	MPI_Isend(place(base, at), 1, unboxed(type), !rank, 0, MPI_COMM_WORLD, &requests[slot]);
}

static void irecv(unsigned int slot, void *base, int64_t at, ddt_type type)
{
	MPI_Irecv(place(base, at), 1, unboxed(type), !rank, 0, MPI_COMM_WORLD, &requests[slot]);
}

static void wait_all(unsigned int n)
{
	static MPI_Status statuses[2 * PAIR_WINDOW];

	MPI_Waitall((int)n, requests, statuses);
}

const struct pair_engine pair_engine = {
	.maker = &maker,
	.start = start,
	.end = finish,
	.alloc = allocate,
	.release = release,
	.commit = commit,
	.drop = drop,
	.send = send_one,
	.recv = recv_one,
	.isend = isend,
	.irecv = irecv,
	.wait = wait_all,
};
