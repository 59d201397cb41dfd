// SPDX-License-Identifier: MIT
/*
 * Each rank in its turn sends rank 0 more than its share of a small pool: the pool lends it
 * more, and what one rank needs no longer another one gets.
 * mpi: ranks=8
 */
#include "check.h"
#include "collectives/messages/engine/node.h"

MPIX_POOL_INIT(8192)

#define BURST	6
#define TIMES	5
/* of the smallest messages, by nobody's leave: 4,096 bytes among seven */
#define SHARE	2u

extern struct me_node mpi_node;

static int x[BURST];
static MPI_Request requests[BURST];

/* how many of a burst went eagerly, while none of it was received */
static uint32_t burst(int from)
{
	uint64_t before = mpi_node.counts.eager;
	uint32_t eager;

	for (int i = 0; i < BURST && rank == from; i++) {
		x[i] = rank * 10 + i;
		MPI_Isend(&x[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
	}
	eager = (uint32_t)(mpi_node.counts.eager - before);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < BURST && !rank; i++) {
		MPI_Recv(&x[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(x[i] == from * 10 + i);
	}
	if (rank == from)
		MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	return eager;
}

int main(void)
{
	check_begin();
	for (int from = 1; from < size; from++) {
		uint32_t eager, most = 0;

		for (int i = 0; i < TIMES; i++) {
			eager = burst(from);
			most = eager > most ? eager : most;
		}
		CHECK(rank != from || most > SHARE);
	}
	check_end();
	return 0;
}
