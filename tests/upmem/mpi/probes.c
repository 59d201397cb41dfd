// SPDX-License-Identifier: MIT
/*
 * Improbe takes what it finds, which no receive and no other probe meets from then on; Imrecv
 * receives it, whenever that is waited for. Init_thread gives what is asked for: tasklets of a
 * rank take messages at the same time, and each one is taken once.
 * mpi: ranks=4 tasklets=3
 */
#include <barrier.h>
#include <mutex.h>

#include "check.h"

#define WORLD		MPI_COMM_WORLD
#define TASKLETS	3
#define EACH		9	/* messages of each sender to rank 0 */
#define LARGE		20000	/* ints, whose data does not come along */

BARRIER_INIT(together, TASKLETS);
MUTEX_INIT(sums);

static int taken, sum;
static __mram_noinit int many[LARGE];

static void begin(void)
{
	int provided = -1, queried = -1;

	CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS);
	/* at least what was required */
	CHECK(provided >= MPI_THREAD_SERIALIZED);
	CHECK(MPI_Query_thread(&queried) == MPI_SUCCESS && queried == provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
}

/* nothing there: no flag, no message; from nobody: at once, and nothing to receive */
static void nothing(void)
{
	MPI_Message message = MPI_MESSAGE_NULL;
	MPI_Request request;
	MPI_Status status;
	int flag = -1, count = -1, x = 5;

	CHECK(MPI_Improbe(MPI_ANY_SOURCE, 77, WORLD, &flag, &message, &status) == MPI_SUCCESS);
	CHECK(!flag && message == MPI_MESSAGE_NULL);
	CHECK(MPI_Improbe(MPI_PROC_NULL, 1, WORLD, &flag, &message, &status) == MPI_SUCCESS);
	CHECK(flag == 1 && message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
	CHECK(MPI_Imrecv(&x, 1, MPI_INT, &message, &request) == MPI_SUCCESS);
	CHECK(message == MPI_MESSAGE_NULL);
	CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL && count == 0 && x == 5);
}

static MPI_Message take(int source, int tag, int elements)
{
	MPI_Message message;
	MPI_Status status;
	int flag = 0, count;

	while (!flag)
		MPI_Improbe(source, tag, WORLD, &flag, &message, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(status.MPI_TAG == tag && count == elements);
	return message;
}

/* two of one sender, the earlier one taken: what is received next is the later one */
static void overtaken(void)
{
	MPI_Request request;
	MPI_Message message;
	MPI_Status status;
	int x[2] = { 10, 11 }, first = 0, second = 0, flag = -1;

	if (rank == 1) {
		MPI_Send(&x[0], 1, MPI_INT, 0, 2, WORLD);
		MPI_Send(&x[1], 1, MPI_INT, 0, 2, WORLD);
	}
	if (rank)
		return;
	message = take(1, 2, 1);
	MPI_Recv(&second, 1, MPI_INT, 1, 2, WORLD, &status);
	CHECK(second == 11);
	MPI_Iprobe(1, 2, WORLD, &flag, &status);
	CHECK(!flag);
	MPI_Imrecv(&first, 1, MPI_INT, &message, &request);
	CHECK(message == MPI_MESSAGE_NULL);
	MPI_Wait(&request, &status);
	CHECK(first == 10 && status.MPI_SOURCE == 1 && status.MPI_TAG == 2);
}

/* large ones: the next one is looked for while the data of the first one comes */
static void large(void)
{
	MPI_Message messages[2];
	MPI_Request requests[2];
	static __mram_noinit int in[2][LARGE];

	for (int i = 0; rank == 2 && i < 2; i++) {
		many[0] = i;
		many[LARGE - 1] = 100 + i;
		MPI_Send((void *)many, LARGE, MPI_INT, 0, 3, WORLD);
	}
	if (rank)
		return;
	messages[0] = take(2, 3, LARGE);
	MPI_Imrecv((void *)in[0], LARGE, MPI_INT, &messages[0], &requests[0]);
	messages[1] = take(2, 3, LARGE);
	MPI_Imrecv((void *)in[1], LARGE, MPI_INT, &messages[1], &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 2; i++)
		CHECK(in[i][0] == i && in[i][LARGE - 1] == 100 + i);
}

/* by all tasklets of rank 0, from anybody: none twice, none left */
static void at_once(int left)
{
	MPI_Message message;
	MPI_Request request;
	int flag, x;

	for (;;) {
		mutex_lock(sums);
		flag = taken < left;
		taken += flag;
		mutex_unlock(sums);
		if (!flag)
			return;
		for (flag = 0; !flag;)
			MPI_Improbe(MPI_ANY_SOURCE, 4, WORLD, &flag, &message, MPI_STATUS_IGNORE);
		MPI_Imrecv(&x, 1, MPI_INT, &message, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		mutex_lock(sums);
		sum += x;
		mutex_unlock(sums);
	}
}

int main(void)
{
	int first = me() == 0;

	if (first) {
		begin();
		if (!rank)
			nothing();
		overtaken();
		large();
		for (int i = 0; rank && i < EACH; i++) {
			int x = 1 << 2 * rank;

			MPI_Send(&x, 1, MPI_INT, 0, 4, WORLD);
		}
	}
	barrier_wait(&together);
	if (!rank)
		at_once(EACH * (size - 1));
	barrier_wait(&together);
	if (!first)
		return 0;
	CHECK(rank || sum == EACH * (4 + 16 + 64));
	check_end();
	return 0;
}
