// SPDX-License-Identifier: MIT
/*
 * The smallest pool of all: a message that is longer goes to its receive, and takes none of it
 * on its way.
 * mpi: ranks=2
 */
#include <string.h>

#include "check.h"

MPIX_POOL_INIT(4096)

#define BYTES	150000

static __mram_noinit unsigned char data[BYTES];

int main(void)
{
	unsigned char *bytes = (void *)data;

	check_begin();
	memset(bytes, rank ? 0 : 77, BYTES);
	if (rank)
		MPI_Recv(bytes, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(bytes, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	for (int i = 0; i < BYTES; i++)
		CHECK(bytes[i] == 77);
	check_end();
	return 0;
}
