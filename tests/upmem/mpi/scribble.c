// SPDX-License-Identifier: MIT
/*
 * Three ranks write over what MPI knows of them: that is their fault alone, and the others go
 * on.
 * mpi: ranks=8 fine=5
 * fault: PE [356], tasklet 0: 
 */
#include "hostile.h"

static void scribble(void)
{
	int x = 0;

	if (rank == 3)
		mpi_node.id = 70;	/* nobody's */
	else if (rank == 5)
		mpi_node.id = 2;	/* another one's */
	else
		memset(&mpi_node.posted, 0xa5, 200);
	MPI_Send(&x, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);
	MPI_Recv(&x, 1, MPI_INT, 4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(void)
{
	static const int honest[] = { 0, 1, 2, 4, 7 };
	int x = 22;

	check_begin();
	if (rank == 3 || rank == 5 || rank == 6)
		scribble();
	/* what they may have sent is not this one's */
	if (rank == 2)
		MPI_Send(&x, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);
	if (rank == 4)
		MPI_Recv(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(x == 22);
	go_round(honest, 5, 12);
	check_end();
	return 0;
}
