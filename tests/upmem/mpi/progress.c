// SPDX-License-Identifier: MIT
/*
 * A message comes to a rank that calls nothing of MPI: a traveller receives it, the
 * conventional engine has to be called. That it has come is told by a parcel behind it.
 * mpi: ranks=2
 */
#include <pimdimm.h>

#include "check.h"

static wide_word_t told;

static void tell(void *frame)
{
	(void)frame;
	wide_write_ef(&told, &(wide_word_t){ { 1 } });
}

static void await_other(void)
{
	wide_word_t word;

	wide_read_fe(&told, &word);
}

static void receive(volatile int *value)
{
	MPI_Request request;

	MPI_Irecv((void *)(uintptr_t)value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	parcel_frame(pe_id() + 1, tell, NULL, 0);
	await_other();
#ifdef CONVENTIONAL
	CHECK(*value == 0);
#else
	/* its traveller is in the PE, and may have its turn later */
	while (*value != 7)
		;
#endif
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(*value == 7);
}

static void send(void)
{
	int value = 7;

	await_other();
	MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	parcel_frame(pe_id() - 1, tell, NULL, 0);
}

int main(void)
{
	int value = 0;

	check_begin();
	if (rank)
		send();
	else
		receive(&value);
	check_end();
	return 0;
}
