// SPDX-License-Identifier: MIT
/* Ranks that exchange messages with the host, by the mode that tests/upmem/guest/host.c asks for. */
#include <defs.h>
#include <mpi.h>
#include <mram.h>
#include <pimdimm.h>
#include <stdio.h>
#include <stdlib.h>

#include "guest.h"

__host uint32_t mode;
static __mram_noinit uint8_t large[GUEST_LARGE];

static int rank, size;

/* numbers come until one is 0, and go back doubled */
static void serve(void)
{
	int64_t number;
	MPI_Status status;

	for (;;) {
		MPI_Recv(&number, 1, MPI_LONG, MPIX_HOST, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_SOURCE != MPIX_HOST)
			abort();
		if (!number)
			return;
		number *= 2;
		MPI_Send(&number, 1, MPI_LONG, MPIX_HOST, status.MPI_TAG, MPI_COMM_WORLD);
	}
}

/* a buffer each way, of many lengths; a neighbour's message in between */
static void exchange(void)
{
	static const int lengths[] = GUEST_LENGTHS;
	int left = (rank + size - 1) % size, right = (rank + 1) % size, token = rank;

	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		MPI_Status status;
		int count;

		MPI_Recv((void *)large, GUEST_LARGE, MPI_BYTE, MPI_ANY_SOURCE, (int)i,
			 MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_BYTE, &count);
		if (count != lengths[i] || status.MPI_SOURCE != MPIX_HOST)
			abort();
		MPI_Sendrecv(&token, 1, MPI_INT, right, 1000, &token, 1, MPI_INT, left, 1000,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Ssend((void *)large, count, MPI_BYTE, MPIX_HOST, (int)i, MPI_COMM_WORLD);
	}
}

/* more than has room anywhere, before the host takes any */
static void flood(void)
{
	for (int i = 0; i < GUEST_FLOOD; i++) {
		large[0] = (uint8_t)i;
		MPI_Send((void *)large, 1000, MPI_BYTE, MPIX_HOST, rank, MPI_COMM_WORLD);
	}
}

static void nothing(void *frame)
{
	(void)frame;
}

/* any bytes, of a kind that there is, now and then with a payload */
static void forge(void)
{
	static uint64_t frame[PE_FRAME_MAX / 8];

	for (uint32_t i = 0; i < 500; i++) {
		for (uint32_t k = 0; k < sizeof(frame) / 8; k++)
			frame[k] = rand() % 3 ? (uint64_t)rand() % 70 : (uint64_t)rand() << 33;
		((uint8_t *)frame)[0] = (uint8_t)(i % 2 ? i % 5 : 64 + i % 4);
		parcel_bulk(PE_HOST, nothing, frame, i % 7 ? sizeof(frame) : i % 128, frame,
			    i % 3 ? 0 : 64, PE_ABOARD);
	}
}

int main(void)
{
	int64_t number = 0;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (mode == GUEST_FORGES && !rank)
		forge();
	if (mode == GUEST_SERVE || mode == GUEST_FORGES)
		serve();
	else if (mode == GUEST_EXCHANGE)
		exchange();
	else if (mode == GUEST_FLOODS)
		flood();
	else if (mode == GUEST_WAITS && rank == 1)
		MPI_Recv(&number, 1, MPI_LONG, MPIX_HOST, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
