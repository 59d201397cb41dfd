// SPDX-License-Identifier: MIT
/* MPI's own collectives, for whoever compares them with those of hosts. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/mpi/mpi_transport.h"

#define EXPORT __attribute__((visibility("default")))
#define TAG	1
#define WINDOW	32	/* messages of a stream */

/* Elements of a vector, as MPI counts them; -1: too many. */
static int counted(uint64_t count)
{
	return count <= INT_MAX ? (int)count : -1;
}

/* "allreduce:f32": a collective, and what it is of */
struct call {
	char collective[24];
	MPI_Datatype type;
};

static bool take_words(const char *words, struct call *call)
{
	const size_t length = strcspn(words, ":");

	if (length >= sizeof(call->collective))
		return false;
	memcpy(call->collective, words, length);
	call->collective[length] = '\0';
	words += length;
	call->type = strcmp(words, ":f32") ? MPI_INT : MPI_FLOAT;
	return !*words || !strcmp(words, ":i32") || !strcmp(words, ":f32");
}

static int by_reduce_scatter(const void *src, void *dst, const uint64_t counts[], int size,
			     MPI_Datatype type)
{
	int own[HOSTS_MOST];

	if (size > HOSTS_MOST)
		return -EINVAL;
	for (int i = 0; i < size; i++) {
		own[i] = counted(counts[i]);
		if (own[i] < 0)
			return -EINVAL;
	}
	return PMPI_Reduce_scatter(src, dst, own, type, MPI_SUM, MPI_COMM_WORLD);
}

/* Parts of one size, or none. */
static int by_reduce_scatter_block(const void *src, void *dst, int count, int size,
				   MPI_Datatype type)
{
	if (count % size)
		return -EINVAL;
	return PMPI_Reduce_scatter_block(src, dst, count / size, type, MPI_SUM, MPI_COMM_WORLD);
}

/*
 * Each sends to the one after it what it receives from the one before, in a window of
 * messages: while one of them awaits its turn, others keep the way busy, both ways.
 */
static int by_stream(const int *src, int *dst, int count, int rank, int size)
{
	const int after = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Request requests[2 * WINDOW];
	MPI_Status statuses[2 * WINDOW];
	int ret = MPI_SUCCESS, nr = 0;

	for (int i = 0; i < WINDOW && ret == MPI_SUCCESS; i++) {
		int from = (int)((int64_t)count * i / WINDOW);
		int n = (int)((int64_t)count * (i + 1) / WINDOW) - from;

		ret = PMPI_Irecv(dst + from, n, MPI_INT, before, TAG, MPI_COMM_WORLD,
				 &requests[nr]);
		nr += ret == MPI_SUCCESS;
		if (ret == MPI_SUCCESS)
			ret = PMPI_Isend(src + from, n, MPI_INT, after, TAG, MPI_COMM_WORLD,
					 &requests[nr]);
		nr += ret == MPI_SUCCESS;
	}
	if (ret != MPI_SUCCESS)
		return ret;
	return PMPI_Waitall(nr, requests, statuses);
}

static int by_collective(const struct call *call, const void *src, void *dst, int n,
			 const uint64_t counts[])
{
	int rank, size;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(call->collective, "allreduce"))
		return PMPI_Allreduce(src, dst, n, call->type, MPI_SUM, MPI_COMM_WORLD);
	if (!strcmp(call->collective, "reduce_scatter") && counts)
		return by_reduce_scatter(src, dst, counts, size, call->type);
	if (!strcmp(call->collective, "reduce_scatter_block"))
		return by_reduce_scatter_block(src, dst, n, size, call->type);
	if (!strcmp(call->collective, "reduce"))
		return PMPI_Reduce(src, dst, n, call->type, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!strcmp(call->collective, "broadcast"))
		return PMPI_Bcast(dst, n, call->type, 0, MPI_COMM_WORLD);
	if (!strcmp(call->collective, "allgather"))
		return PMPI_Allgather(src, n, call->type, dst, n, call->type, MPI_COMM_WORLD);
	if (!strcmp(call->collective, "stream"))
		return by_stream(src, dst, n, rank, size);
	return -EINVAL;
}

EXPORT int pimdimm_mpi_call(const char *collective, const void *src, void *dst, uint64_t count,
			    const uint64_t counts[])
{
	int begun = 0, ended = 0, ret, n = counted(count);
	struct call call;

	PMPI_Initialized(&begun);
	PMPI_Finalized(&ended);
	if (!begun || ended || !collective || n < 0 || !take_words(collective, &call))
		return -EINVAL;
	ret = by_collective(&call, src, dst, n, counts);
	if (ret == -EINVAL)
		return ret;
	return ret == MPI_SUCCESS ? 0 : -EIO;
}
