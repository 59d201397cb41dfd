// SPDX-License-Identifier: MIT
/*
 * MPI's rules of matching, one function each, between pairs of ranks.
 * mpi: ranks=8
 */
#include <string.h>

#include "check.h"

#define WORLD	MPI_COMM_WORLD
#define LARGE	20000

static __mram_noinit unsigned char large[2][LARGE];
static int other;

static unsigned char *mram(int which)
{
	return (unsigned char *)large[which];
}

/* the lower one of a pair sends */
static bool sends(void)
{
	return rank % 2 == 0;
}

static int count_of(const MPI_Status *status, MPI_Datatype type)
{
	int n;

	MPI_Get_count(status, type, &n);
	return n;
}

/* of one sender's messages the earlier one is received, whatever their size and mode */
static void order(void)
{
	int x;

	for (int i = 0; i < 24; i++) {
		if (sends() && i % 3 == 0)
			MPI_Ssend(&i, 1, MPI_INT, other, 1, WORLD);
		else if (sends())
			MPI_Send(&i, 1, MPI_INT, other, 1, WORLD);
		else
			MPI_Recv(&x, 1, MPI_INT, other, 1, WORLD, MPI_STATUS_IGNORE);
		CHECK(sends() || x == i);
	}
}

/* across tags a later message may be received first */
static void tags(void)
{
	MPI_Request requests[8];
	int x[8];

	for (int i = 0; i < 8; i++) {
		x[i] = i;
		if (sends())
			MPI_Isend(&x[i], 1, MPI_INT, other, i, WORLD, &requests[i]);
		else
			MPI_Recv(&x[i], 1, MPI_INT, other, 7 - i, WORLD, MPI_STATUS_IGNORE);
		CHECK(sends() || x[i] == 7 - i);
	}
	if (sends())
		MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* of two posted receives that match, the earlier one takes the message */
static void posted(void)
{
	MPI_Request requests[4];
	MPI_Status statuses[4];
	int x[4] = { 1, 2, 3, 4 };

	if (sends()) {
		MPI_Barrier(WORLD);
		for (int i = 0; i < 4; i++)
			MPI_Send(&x[i], 1, MPI_INT, other, i, WORLD);
		return;
	}
	MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &requests[0]);
	MPI_Irecv(&x[1], 1, MPI_INT, other, 2, WORLD, &requests[1]);
	MPI_Irecv(&x[2], 1, MPI_INT, other, MPI_ANY_TAG, WORLD, &requests[2]);
	MPI_Irecv(&x[3], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &requests[3]);
	MPI_Barrier(WORLD);
	MPI_Waitall(4, requests, statuses);
	CHECK(x[0] == 1 && x[1] == 3 && x[2] == 2 && x[3] == 4);
	CHECK(statuses[1].MPI_TAG == 2 && statuses[3].MPI_TAG == 3);
	CHECK(statuses[0].MPI_SOURCE == other);
}

/* a large message that came unexpectedly keeps its place before a small one */
static void loiterer(void)
{
	MPI_Request request;
	MPI_Status status;

	memset(mram(0), 17 + rank, LARGE);
	if (sends()) {
		MPI_Isend(mram(0), LARGE, MPI_BYTE, other, 5, WORLD, &request);
		MPI_Send(&rank, 1, MPI_INT, other, 5, WORLD);
		MPI_Barrier(WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		return;
	}
	MPI_Barrier(WORLD);
	MPI_Recv(mram(1), LARGE, MPI_BYTE, other, MPI_ANY_TAG, WORLD, &status);
	CHECK(count_of(&status, MPI_BYTE) == LARGE);
	for (int i = 0; i < LARGE; i++)
		CHECK(mram(1)[i] == 17 + other);
	MPI_Recv(mram(1), LARGE, MPI_INT, other, 5, WORLD, &status);
	CHECK(count_of(&status, MPI_INT) == 1);
}

/* what an earlier posted receive matches is not seen by a probe */
static void probes(void)
{
	MPI_Status status;
	MPI_Request request;
	MPI_Message message;
	int flag, x[3] = { 5, 6, 7 }, y = 0;

	if (sends()) {
		MPI_Barrier(WORLD);
		for (int i = 0; i < 3; i++)
			MPI_Send(x, i + 1, MPI_INT, other, 3, WORLD);
		return;
	}
	MPI_Irecv(&y, 1, MPI_INT, other, 3, WORLD, &request);
	MPI_Iprobe(MPI_ANY_SOURCE, 3, WORLD, &flag, &status);
	CHECK(!flag);
	MPI_Barrier(WORLD);
	MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
	CHECK(count_of(&status, MPI_INT) == 2 && status.MPI_SOURCE == other);
	MPI_Wait(&request, &status);
	CHECK(count_of(&status, MPI_INT) == 1 && y == 5);
	/* one that is taken is for nobody else */
	MPI_Mprobe(other, 3, WORLD, &message, &status);
	CHECK(count_of(&status, MPI_INT) == 2);
	memset(x, 0, sizeof(x));
	MPI_Recv(x, 3, MPI_INT, other, 3, WORLD, &status);
	CHECK(count_of(&status, MPI_INT) == 3 && x[2] == 7);
	memset(x, 0, sizeof(x));
	MPI_Mrecv(x, 3, MPI_INT, &message, &status);
	CHECK(count_of(&status, MPI_INT) == 2 && x[1] == 6 && !x[2]);
	CHECK(message == MPI_MESSAGE_NULL);
}

static void nobody(void)
{
	MPI_Status status;
	MPI_Request request;
	MPI_Message message;
	int x = 1, flag = 0;

	MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD);
	MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD, &status);
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
	CHECK(count_of(&status, MPI_INT) == 0 && x == 1);
	MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD, &request);
	MPI_Test(&request, &flag, &status);
	CHECK(flag && request == MPI_REQUEST_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Mprobe(MPI_PROC_NULL, 3, WORLD, &message, &status);
	CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Mrecv(&x, 1, MPI_INT, &message, &status);
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Wait(&request, &status);
	CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
}

static void truncated(int n, int room)
{
	MPI_Status status;
	int error;

	memset(mram(1), 3, LARGE);
	if (sends()) {
		memset(mram(0), 9, (size_t)n);
		MPI_Send(mram(0), n, MPI_BYTE, other, 8, WORLD);
		return;
	}
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	error = MPI_Recv(mram(1), room, MPI_BYTE, other, 8, WORLD, &status);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
	CHECK(error == MPI_ERR_TRUNCATE);
	CHECK(status.MPI_SOURCE == other && status.MPI_TAG == 8);
	for (int i = room; i < n + 8; i++)
		CHECK(mram(1)[i] == 3);
}

/* either cancelled or matched */
static void cancelled(void)
{
	MPI_Request request;
	MPI_Status status;
	int x = 0, flag;

	MPI_Irecv(&x, 1, MPI_INT, other, 11, WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag);
	MPI_Barrier(WORLD);
	MPI_Irecv(&x, 1, MPI_INT, other, 11, WORLD, &request);
	MPI_Ssend(&rank, 1, MPI_INT, other, 11, WORLD);
	MPI_Barrier(WORLD);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(!flag && x == other);
}

static void requests(void)
{
	MPI_Request all[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	MPI_Status status;
	int index, flag, x[2] = { 0, 0 };

	MPI_Waitany(3, all, &index, &status);
	CHECK(index == MPI_UNDEFINED && count_of(&status, MPI_BYTE) == 0);
	MPI_Irecv(&x[0], 1, MPI_INT, other, 1, WORLD, &all[0]);
	MPI_Irecv(&x[1], 1, MPI_INT, other, 2, WORLD, &all[2]);
	MPI_Testall(3, all, &flag, MPI_STATUSES_IGNORE);
	CHECK(!flag && all[0] != MPI_REQUEST_NULL);
	MPI_Barrier(WORLD);
	MPI_Send(&rank, 1, MPI_INT, other, 2, WORLD);
	MPI_Waitany(3, all, &index, &status);
	CHECK(index == 2 && x[1] == other && all[2] == MPI_REQUEST_NULL);
	MPI_Barrier(WORLD);
	/* one that is given up goes on */
	MPI_Isend(&rank, 1, MPI_INT, other, 1, WORLD, &all[1]);
	MPI_Request_free(&all[1]);
	CHECK(all[1] == MPI_REQUEST_NULL);
	while (!flag)
		MPI_Testall(3, all, &flag, MPI_STATUSES_IGNORE);
	CHECK(x[0] == other);
}

/* a context never matches another, and self sends need nobody */
static void contexts(void)
{
	MPI_Comm comm, half;
	MPI_Request request;
	int x = 0, y = 0, n;

	MPI_Comm_dup(WORLD, &comm);
	MPI_Isend(&rank, 1, MPI_INT, other, 4, WORLD, &request);
	MPI_Send(&size, 1, MPI_INT, other, 4, comm);
	MPI_Recv(&x, 1, MPI_INT, other, 4, comm, MPI_STATUS_IGNORE);
	MPI_Recv(&y, 1, MPI_INT, other, 4, WORLD, MPI_STATUS_IGNORE);
	CHECK(x == size && y == other);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&comm);
	CHECK(comm == MPI_COMM_NULL);
	/* by parity, the last rank first */
	MPI_Comm_split(WORLD, rank % 2, -rank, &half);
	MPI_Comm_size(half, &n);
	CHECK(n == size / 2);
	MPI_Comm_rank(half, &n);
	CHECK(n == (size - 1 - rank) / 2);
	MPI_Sendrecv(&rank, 1, MPI_INT, (n + 1) % (size / 2), 1, &x, 1, MPI_INT,
		     (n + size / 2 - 1) % (size / 2), 1, half, MPI_STATUS_IGNORE);
	CHECK(x == (rank + 2) % size);
	MPI_Comm_free(&half);
	MPI_Comm_split(WORLD, rank ? MPI_UNDEFINED : 1, 0, &half);
	CHECK(rank ? half == MPI_COMM_NULL : half != MPI_COMM_NULL);
	MPI_Isend(&rank, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
	MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(x == rank);
}

/* a synchronous send is not done before its receive is there */
static void synchronous(void)
{
	MPI_Request request;
	int flag, x = 0;

	if (sends()) {
		MPI_Issend(&rank, 1, MPI_INT, other, 6, WORLD, &request);
		for (int i = 0; i < 20; i++) {
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
			CHECK(!flag);
		}
		MPI_Barrier(WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		return;
	}
	MPI_Barrier(WORLD);
	MPI_Recv(&x, 1, MPI_INT, other, 6, WORLD, MPI_STATUS_IGNORE);
	CHECK(x == other);
}

/* in a status, where there are several */
static void in_status(void)
{
	MPI_Request all[2];
	MPI_Status statuses[2];
	int x[4] = { 1, 2, 3, 4 }, error;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Irecv(&x[0], 1, MPI_INT, other, 1, WORLD, &all[0]);
	MPI_Irecv(&x[1], 1, MPI_INT, other, 2, WORLD, &all[1]);
	MPI_Send(&rank, 1, MPI_INT, other, 1, WORLD);
	MPI_Send(x + 2, 2, MPI_INT, other, 2, WORLD);
	statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = -7;
	error = MPI_Waitall(2, all, statuses);
	CHECK(error == MPI_ERR_IN_STATUS && statuses[0].MPI_ERROR == MPI_SUCCESS);
	CHECK(statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE && x[0] == other && x[1] == 2);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

/* and nowhere else is that field touched */
static void no_error_in_status(void)
{
	MPI_Request all[2];
	MPI_Status statuses[2] = { { .MPI_ERROR = -7 }, { .MPI_ERROR = -7 } };
	int x, flag;

	MPI_Isend(&rank, 1, MPI_INT, other, 1, WORLD, &all[0]);
	MPI_Probe(other, 1, WORLD, &statuses[0]);
	MPI_Irecv(&x, 1, MPI_INT, other, 1, WORLD, &all[1]);
	MPI_Waitall(2, all, statuses);
	CHECK(statuses[0].MPI_ERROR == -7 && statuses[1].MPI_ERROR == -7 && x == other);
	MPI_Sendrecv(&rank, 1, MPI_INT, other, 1, &x, 1, MPI_INT, other, 1, WORLD, statuses);
	MPI_Isend(&rank, 1, MPI_INT, rank, 1, WORLD, &all[0]);
	MPI_Recv(&x, 1, MPI_INT, rank, 1, WORLD, &statuses[1]);
	do {
		MPI_Test(&all[0], &flag, &statuses[1]);
	} while (!flag);
	CHECK(statuses[0].MPI_ERROR == -7 && statuses[1].MPI_ERROR == -7);
}

/* some of several, and any, as they are done */
static void some(void)
{
	MPI_Request all[4];
	MPI_Status statuses[4];
	int x[4] = { -1, -1, -1, -1 }, indices[4], nr, flag, seen = 0;

	all[2] = MPI_REQUEST_NULL;
	for (int i = 0; i < 4; i++) {
		if (i != 2)
			MPI_Irecv(&x[i], 1, MPI_INT, other, i, WORLD, &all[i]);
	}
	MPI_Testsome(4, all, &nr, indices, statuses);
	CHECK(nr == 0);
	MPI_Testany(4, all, &nr, &flag, statuses);
	CHECK(!flag && nr == MPI_UNDEFINED);
	MPI_Barrier(WORLD);
	MPI_Send(&rank, 1, MPI_INT, other, 3, WORLD);
	MPI_Waitsome(4, all, &nr, indices, statuses);
	CHECK(nr == 1 && indices[0] == 3 && statuses[0].MPI_TAG == 3 && x[3] == other);
	CHECK(all[3] == MPI_REQUEST_NULL);
	MPI_Barrier(WORLD);
	MPI_Send(&rank, 1, MPI_INT, other, 0, WORLD);
	MPI_Send(&rank, 1, MPI_INT, other, 1, WORLD);
	do {
		MPI_Testsome(4, all, &nr, indices, MPI_STATUSES_IGNORE);
		CHECK(nr >= 0);
		for (int i = 0; i < nr; i++)
			seen |= 1 << indices[i];
	} while (seen != 3);
	CHECK(x[0] == other && x[1] == other);
	MPI_Waitsome(4, all, &nr, indices, statuses);
	CHECK(nr == MPI_UNDEFINED);
	MPI_Testany(4, all, &nr, &flag, statuses);
	CHECK(flag && nr == MPI_UNDEFINED && count_of(statuses, MPI_INT) == 0);
	MPI_Irecv(&x[1], 1, MPI_INT, other, 1, WORLD, &all[1]);
	MPI_Send(&nr, 1, MPI_INT, other, 1, WORLD);
	do {
		MPI_Testany(4, all, &nr, &flag, statuses);
	} while (!flag);
	CHECK(nr == 1 && statuses[0].MPI_SOURCE == other);
}

/* of several that are done, each tells its error */
static void some_in_status(void)
{
	MPI_Request all[2];
	MPI_Status statuses[2];
	int x[2], two[2] = { 5, 6 }, indices[2], nr, done = 0, failed = 0;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Irecv(&x[0], 1, MPI_INT, other, 1, WORLD, &all[0]);
	MPI_Irecv(&x[1], 1, MPI_INT, other, 2, WORLD, &all[1]);
	MPI_Send(two, 1, MPI_INT, other, 1, WORLD);
	MPI_Send(two, 2, MPI_INT, other, 2, WORLD);
	while (done < 2) {
		int error = MPI_Waitsome(2, all, &nr, indices, statuses);

		done += nr;
		for (int i = 0; i < nr && error; i++) {
			CHECK(error == MPI_ERR_IN_STATUS);
			CHECK(statuses[i].MPI_ERROR ==
			      (indices[i] ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
			failed += indices[i];
		}
	}
	CHECK(failed == 1);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

/* every other element goes and is replaced, whatever the message's size */
static void replaced(void)
{
	unsigned char *buf = mram(0);
	MPI_Datatype type;
	MPI_Status status;
	int x = rank;

	MPI_Type_vector(LARGE / 2, 1, 2, MPI_UNSIGNED_CHAR, &type);
	MPI_Type_commit(&type);
	memset(buf, rank + 1, LARGE);
	MPI_Sendrecv_replace(buf, 1, type, other, 1, other, 1, WORLD, &status);
	CHECK(count_of(&status, type) == 1 && status.MPI_SOURCE == other);
	for (int i = 0; i < LARGE; i++)
		CHECK(buf[i] == (i % 2 ? rank : other) + 1);
	MPI_Sendrecv_replace(&x, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1,
			     WORLD, &status);
	CHECK(x == (rank + size - 1) % size);
	MPI_Sendrecv_replace(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, WORLD, &status);
	CHECK(x == (rank + size - 1) % size && status.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Sendrecv_replace(NULL, 0, MPI_INT, other, 1, other, 1, WORLD, &status);
	CHECK(count_of(&status, MPI_INT) == 0);
	MPI_Type_free(&type);
}

int main(void)
{
	check_begin();
	other = rank ^ 1;
	order();
	tags();
	posted();
	loiterer();
	probes();
	nobody();
	truncated(300, 100);
	truncated(16000, 100);
	truncated(16000, 0);
	cancelled();
	requests();
	contexts();
	synchronous();
	MPI_Barrier(WORLD);
	in_status();
	no_error_in_status();
	MPI_Barrier(WORLD);
	some();
	some_in_status();
	replaced();
	check_end();
	return 0;
}
