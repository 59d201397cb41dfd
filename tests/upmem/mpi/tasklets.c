// SPDX-License-Identifier: MIT
/*
 * Tasklets share a rank: each talks to its like on the next PE, with a tag of its own, and
 * all tasklets of a PE wait at once; then each reduces over a communicator of its own, all at
 * once, for which there is not WRAM enough.
 * mpi: ranks=8 tasklets=11
 */
#include <barrier.h>

#include "check.h"

BARRIER_INIT(begun, NR_TASKLETS)
BARRIER_INIT(done, NR_TASKLETS)

#define MOST	128

static MPI_Comm comms[NR_TASKLETS];
static int values[NR_TASKLETS][MOST];

static void reduce(int tasklet)
{
	int *own = values[tasklet];

	for (int i = 0; i < MOST; i++)
		own[i] = rank + tasklet + i;
	MPI_Allreduce(MPI_IN_PLACE, own, MOST, MPI_INT, MPI_SUM, comms[tasklet]);
	for (int i = 0; i < MOST; i++)
		CHECK(own[i] == size * (size - 1) / 2 + size * (tasklet + i));
}

int main(void)
{
	int tag, x = 0;

	if (me() == 0) {
		check_begin();
		for (int i = 0; i < NR_TASKLETS; i++)
			MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	}
	barrier_wait(&begun);
	tag = (int)me();
	for (int i = 0; i < 5; i++) {
		int y = 100 * rank + tag + i;

		MPI_Sendrecv(&y, 1, MPI_INT, (rank + 1) % size, tag, &x, 1, MPI_INT,
			     (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(x == 100 * ((rank + size - 1) % size) + tag + i);
	}
	reduce(tag);
	barrier_wait(&done);
	if (me() == 0)
		check_end();
	return 0;
}
