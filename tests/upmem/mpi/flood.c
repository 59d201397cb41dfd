// SPDX-License-Identifier: MIT
/*
 * More is sent than a small pool holds before anything is received: the data of what has no
 * room waits at its sender, and none is lost or overtakes another.
 * mpi: ranks=6
 */
#include "check.h"

MPIX_POOL_INIT(48 << 10)

#define EACH	24

static int data[EACH][40];
static MPI_Request requests[EACH];

int main(void)
{
	check_begin();
	if (rank) {
		for (int i = 0; i < EACH; i++) {
			for (int k = 0; k < 40; k++)
				data[i][k] = rank * 10000 + i * 100 + k;
			MPI_Isend(data[i], 40, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[i]);
		}
		MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
		MPI_Waitall(EACH, requests, MPI_STATUSES_IGNORE);
	} else {
		for (int r = 1; r < size; r++)
			MPI_Recv(&data[0][0], 1, MPI_INT, r, 2, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		for (int i = 0; i < EACH * (size - 1); i++) {
			int r = 1 + i % (size - 1), *d = data[0];

			MPI_Recv(d, 40, MPI_INT, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			for (int k = 0; k < 40; k++)
				CHECK(d[k] == r * 10000 + i / (size - 1) * 100 + k);
		}
	}
	check_end();
	return 0;
}
