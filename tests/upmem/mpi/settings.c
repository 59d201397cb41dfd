// SPDX-License-Identifier: MIT
/*
 * What the environment says of messages is what programs do: which of them take their data
 * along, and whether those that loiter look for their receives.
 * mpi: ranks=2
 */
#include "check.h"
#include "collectives/messages/engine/node.h"

/* what PIMDIMM_EAGER is, and whether PIMDIMM_LOITER is poll */
#ifndef EAGER
#define EAGER 65536
#endif
#ifndef POLL
#define POLL false
#endif

static const int sizes[] = { 0, 7, 8, 9, 1000, 4000 };
#define NR	((int)(sizeof(sizes) / sizeof(*sizes)))

extern struct me_node mpi_node;

static __mram_noinit unsigned char data[4000];

int main(void)
{
	MPI_Request requests[NR];
	uint64_t eager = 0;

	check_begin();
	for (int i = 0; i < NR && !rank; i++) {
		MPI_Isend((void *)data, sizes[i], MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
		eager += sizes[i] < EAGER;
	}
	CHECK(mpi_node.counts.eager == eager);
	if (!rank) {
		CHECK(mpi_node.counts.rendezvous == (uint64_t)NR - eager);
		MPI_Waitall(NR, requests, MPI_STATUSES_IGNORE);
		CHECK(mpi_node.counts.no_room == 0);
	}
	/* the last one first: the others are there when they are received */
	for (int i = NR; i-- && rank;)
		MPI_Recv((void *)data, sizes[i], MPI_BYTE, 0, i, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	CHECK(POLL ? !rank || mpi_node.counts.looks : !mpi_node.counts.looks);
	check_end();
	return 0;
}
