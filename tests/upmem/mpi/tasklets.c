// SPDX-License-Identifier: MIT
/*
 * Tasklets share a rank: each talks to its like on the next PE, with a tag of its own, and
 * all tasklets of a PE wait at once.
 * mpi: ranks=8 tasklets=11
 */
#include <barrier.h>

#include "check.h"

BARRIER_INIT(begun, NR_TASKLETS)
BARRIER_INIT(done, NR_TASKLETS)

int main(void)
{
	int tag, x = 0;

	if (me() == 0)
		check_begin();
	barrier_wait(&begun);
	tag = (int)me();
	for (int i = 0; i < 5; i++) {
		int y = 100 * rank + tag + i;

		MPI_Sendrecv(&y, 1, MPI_INT, (rank + 1) % size, tag, &x, 1, MPI_INT,
			     (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(x == 100 * ((rank + size - 1) % size) + tag + i);
	}
	barrier_wait(&done);
	if (me() == 0)
		check_end();
	return 0;
}
