// SPDX-License-Identifier: MIT
/*
 * A message of other elements than its receive's is told with both.
 * mpi: ranks=3
 * fault: PE 2, .*: MPI_ERR_TYPE: a message of 3 of F32 from rank 1, tag 7, expected the buffer's 5 of I32, at .*mismatch.c:19
 */
#include "check.h"

int main(void)
{
	float out[3] = { 1 };
	int in[5];

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		MPI_Send(out, 3, MPI_FLOAT, 2, 7, MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Recv(in, 5, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
