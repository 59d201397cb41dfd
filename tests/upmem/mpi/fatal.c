// SPDX-License-Identifier: MIT
/*
 * Without another handler an error is a fault, told with the line of the call.
 * mpi: ranks=2
 * fault: PE 1, tasklet 0: .*MPI_ERR_RANK: the communicator has no such rank, at .*fatal.c:17
 */
#include "check.h"

int main(void)
{
	int x = 0;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!rank)
		return 0;
	MPI_Send(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
	return 0;
}
