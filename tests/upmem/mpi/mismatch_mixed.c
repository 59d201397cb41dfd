// SPDX-License-Identifier: MIT
/*
 * Elements of several kinds are told by their number of bytes and a hash.
 * mpi: ranks=1
 * fault: a message of 12 bytes of signature [0-9a-f]* from rank 0, tag 0, expected the buffer's 2 of COMPLEX_F64, at
 */
#include "check.h"

int main(void)
{
	struct { double a; int b; } out = { 1, 2 };
	double in[4];
	MPI_Request request;

	MPI_Init(NULL, NULL);
	MPI_Irecv(in, 2, MPI_C_DOUBLE_COMPLEX, 0, 0, MPI_COMM_WORLD, &request);
	MPI_Send(&out, 1, MPI_DOUBLE_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
	return 0;
}
