// SPDX-License-Identifier: MIT
/*
 * The benchmark of Rodrigues et al. (CLUSTER 2003): two ranks send each other ten messages
 * of one size. Of their receives some are posted before the messages come; the others'
 * messages are found by a probe. Buffers are in MRAM.
 */
#include <defs.h>
#include <mpi.h>
#include <mram.h>

#include "tools/perf/pe/exchange.h"

__host struct exchange_args args;
__host uint64_t wrong;

static __mram_noinit uint8_t out[MESSAGE_MAX], in[MESSAGES][MESSAGE_MAX];

/* the first word of a message, which says which one it is, and its last */
struct ends {
	uint64_t first, last;
};

static struct ends ends_of(uint32_t sender, uint32_t round, uint32_t message)
{
	uint64_t number = ((uint64_t)sender << 32 | round) * MESSAGES + message + 1;

	return (struct ends){ number, ~number };
}

static __mram_ptr uint8_t *last_of(__mram_ptr uint8_t *buffer)
{
	return buffer + args.bytes - sizeof(uint64_t);
}

static void receive(int peer, uint32_t round)
{
	MPI_Request requests[MESSAGES];
	MPI_Status status;

	for (uint32_t m = 0; m < args.posted; m++)
		MPI_Irecv((void *)in[m], (int)args.bytes, MPI_BYTE, peer, (int)m,
			  MPI_COMM_WORLD, &requests[m]);
	MPI_Barrier(MPI_COMM_WORLD);
	for (uint32_t m = args.posted; m < MESSAGES; m++) {
		MPI_Probe(peer, (int)m, MPI_COMM_WORLD, &status);
		MPI_Recv((void *)in[m], (int)args.bytes, MPI_BYTE, peer, (int)m,
			 MPI_COMM_WORLD, &status);
	}
	MPI_Waitall((int)args.posted, requests, MPI_STATUSES_IGNORE);
	for (uint32_t m = 0; m < MESSAGES; m++) {
		struct ends want = ends_of((uint32_t)peer, round, m), got;

		mram_read(in[m], &got.first, sizeof(got.first));
		mram_read(last_of(in[m]), &got.last, sizeof(got.last));
		wrong += got.first != want.first || got.last != want.last;
	}
}

static void send(uint32_t rank, int peer, uint32_t round)
{
	MPI_Barrier(MPI_COMM_WORLD);
	for (uint32_t m = 0; m < MESSAGES; m++) {
		struct ends ends = ends_of(rank, round, m);

		mram_write(&ends.first, out, sizeof(ends.first));
		mram_write(&ends.last, last_of(out), sizeof(ends.last));
		MPI_Send((void *)out, (int)args.bytes, MPI_BYTE, peer, (int)m, MPI_COMM_WORLD);
	}
}

int main(void)
{
	int rank;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (uint32_t round = 0; round < args.rounds; round++) {
		for (int sender = 0; sender < 2; sender++) {
			if (rank == sender)
				send((uint32_t)rank, !rank, round);
			else
				receive(!rank, round);
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
	return MPI_Finalize();
}
