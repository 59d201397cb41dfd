// SPDX-License-Identifier: MIT
/*
 * MPI_Init() by every tasklet, all at once: one of them opens the world, and the others are
 * refused, in whatever order they come.
 * mpi: ranks=2 tasklets=4
 * fault: PE 0, tasklet [0-3]: .*MPI_Init was called before.*init_twice.c:12
 */
#include "check.h"

int main(void)
{
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return 0;
}
