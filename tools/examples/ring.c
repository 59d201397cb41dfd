// SPDX-License-Identifier: MIT
/*
 * ring: a program for PEs that speaks MPI. A token goes round all of them, and each adds
 * its number; rank 0 compares what comes back with the sum that it must be. Every tasklet
 * of a PE runs main(), and the first one speaks for its PE.
 *
 *     make ring && pimdimm mpirun -n 64 ring
 */
#include <defs.h>
#include <mpi.h>
#include <stdio.h>

int main(void)
{
	int rank, size, token = 0;

	if (me())
		return 0;
	MPI_Init(NULL, NULL);	/* errors are faults of the PE, told with the line */
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank)
		MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	token += rank;
	MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
	if (!rank) {
		MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("ring: %d, expected %d\n", token, size * (size - 1) / 2);
		if (token != size * (size - 1) / 2)
			MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Finalize();
}
