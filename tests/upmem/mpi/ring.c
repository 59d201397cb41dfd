// SPDX-License-Identifier: MIT
/*
 * A token goes round a ring of ranks and collects their numbers.
 * mpi: ranks=64
 */
#include "check.h"

int main(void)
{
	int token = 0;

	check_begin();
	for (int round = 0; round < 3; round++) {
		if (rank)
			MPI_Recv(&token, 1, MPI_INT, rank - 1, round, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		token += rank;
		MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, round, MPI_COMM_WORLD);
		if (!rank)
			MPI_Recv(&token, 1, MPI_INT, size - 1, round, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		CHECK(rank || token == (round + 1) * size * (size - 1) / 2);
	}
	check_end();
	return 0;
}
