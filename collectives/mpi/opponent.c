// SPDX-License-Identifier: MIT
/* MPI's own collectives, for whoever compares them with those of hosts. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/mpi/mpi_transport.h"

#define EXPORT __attribute__((visibility("default")))
#define TAG	1

/* Elements of a vector, as MPI counts them; -1: too many. */
static int counted(uint64_t count)
{
	return count <= INT_MAX ? (int)count : -1;
}

static int by_reduce_scatter(const void *src, void *dst, const uint64_t counts[], int size)
{
	int own[HOSTS_MOST];

	if (size > HOSTS_MOST)
		return -EINVAL;
	for (int i = 0; i < size; i++) {
		own[i] = counted(counts[i]);
		if (own[i] < 0)
			return -EINVAL;
	}
	return PMPI_Reduce_scatter(src, dst, own, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Each sends to the one after it what it receives from the one before. */
static int by_stream(const void *src, void *dst, int count, int rank, int size)
{
	return PMPI_Sendrecv(src, count, MPI_INT, (rank + 1) % size, TAG, dst, count, MPI_INT,
			     (rank + size - 1) % size, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

EXPORT int pimdimm_mpi_call(const char *collective, const void *src, void *dst, uint64_t count,
			    const uint64_t counts[])
{
	int begun = 0, ended = 0, rank, size, ret = -EINVAL, n = counted(count);

	PMPI_Initialized(&begun);
	PMPI_Finalized(&ended);
	if (!begun || ended || !collective || n < 0)
		return -EINVAL;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(collective, "allreduce"))
		ret = PMPI_Allreduce(src, dst, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else if (!strcmp(collective, "reduce_scatter") && counts)
		ret = by_reduce_scatter(src, dst, counts, size);
	else if (!strcmp(collective, "reduce"))
		ret = PMPI_Reduce(src, dst, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	else if (!strcmp(collective, "broadcast"))
		ret = PMPI_Bcast(dst, n, MPI_INT, 0, MPI_COMM_WORLD);
	else if (!strcmp(collective, "allgather"))
		ret = PMPI_Allgather(src, n, MPI_INT, dst, n, MPI_INT, MPI_COMM_WORLD);
	else if (!strcmp(collective, "stream"))
		ret = by_stream(src, dst, n, rank, size);
	else
		return -EINVAL;
	if (ret == -EINVAL)
		return ret;
	return ret == MPI_SUCCESS ? 0 : -EIO;
}
