// SPDX-License-Identifier: MIT
/*
 * A thousand ranks send 8 bytes to each of four neighbours, again and again: all of the first
 * go eagerly, and of the others at most one to each does not, as it brings room for the next.
 * mpi: ranks=1024 engines=1
 */
#include "check.h"
#include "collectives/messages/engine/node.h"

#define ROUNDS	6
#define NR	4

extern struct me_node mpi_node;

int main(void)
{
	static const int steps[NR] = { 1, -1, 32, -32 };
	MPI_Request requests[2 * NR];
	int64_t out, in[NR];

	check_begin();
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t before = mpi_node.counts.eager;

		out = rank * 100 + round;
		for (int i = 0; i < NR; i++)
			MPI_Isend(&out, 1, MPI_INT64_T, (rank + steps[i] + size) % size, i,
				  MPI_COMM_WORLD, &requests[i]);
		CHECK(round || mpi_node.counts.eager - before == NR);
		for (int i = 0; i < NR; i++)
			MPI_Irecv(&in[i], 1, MPI_INT64_T, (rank - steps[i] + size) % size, i,
				  MPI_COMM_WORLD, &requests[NR + i]);
		MPI_Waitall(2 * NR, requests, MPI_STATUSES_IGNORE);
		for (int i = 0; i < NR; i++)
			CHECK(in[i] == (rank - steps[i] + size) % size * 100 + round);
	}
	CHECK(mpi_node.counts.rendezvous <= NR);
	CHECK(mpi_node.counts.eager + mpi_node.counts.rendezvous == ROUNDS * NR);
	check_end();
	return 0;
}
