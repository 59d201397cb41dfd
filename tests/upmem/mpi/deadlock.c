// SPDX-License-Identifier: MIT
/*
 * Who waits for a message that nobody sends is named, and what for.
 * mpi: ranks=3
 * fault: PE 0, tasklet 0: deadlock: tasklet 0 waits for a word to be full (.*mpi_messages
 */
#include "check.h"

int main(void)
{
	int x = 0;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Recv(&x, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 0;
}
