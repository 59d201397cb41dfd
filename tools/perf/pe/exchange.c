// SPDX-License-Identifier: MIT
/*
 * The benchmark of Rodrigues et al. (CLUSTER 2003): two ranks send each other ten messages
 * of one size. Of their receives some are posted before the messages come; the others'
 * messages are found by a probe. Buffers are in MRAM.
 */
#include <defs.h>
#include <inside.h>
#include <mpi.h>
#include <mram.h>

#include "tools/perf/pe/exchange.h"

/* what is counted in, where pe.lds has it: room for all that a program may have */
#define CELLS		0x3801c000u
#define CELLS_BYTES	(512u << 10)
/* cells at a time */
#define BLOCK		256u

/* as many unexpected messages of any length as there are, of both */
MPIX_POOL_INIT(4 << 20)

__host struct exchange_args args;
__host uint64_t wrong, rendezvous;

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

/*
 * A routine's instructions are what is added to the cells that all are counted in while it runs.
 * Where it waits its PE may be left, and what its cells have goes to the host: so it is put
 * aside then, too, and is in the cells at the end, or is not; that is all the difference.
 */
extern uint8_t __pe_profile_bytes[];

static __mram_noinit uint64_t aside[CELLS_BYTES / sizeof(uint64_t)];
static uint64_t block[BLOCK];
static uint32_t calls, arrivals, counted;
static bool counts;	/* in a round that is */

enum cells {
	DROP,
	PUT_ASIDE,	/* added to what is there */
	TAKE_BACK,
};

/* through WRAM: transfers go between that and MRAM alone */
static void move_cells(enum cells how)
{
	uint32_t nr = (uint32_t)(uintptr_t)__pe_profile_bytes / sizeof(uint64_t);
	volatile uint64_t *cells = (volatile uint64_t *)(uintptr_t)CELLS;

	for (uint32_t first = 0, n; first < nr; first += n) {
		n = nr - first < BLOCK ? nr - first : BLOCK;
		if (how != DROP)
			mpi_copy(block, (void *)&aside[first], n * sizeof(*block));
		for (uint32_t i = 0; i < n; i++) {
			block[i] += how == PUT_ASIDE ? cells[first + i] : 0;
			cells[first + i] = how == TAKE_BACK ? block[i] : 0;
		}
		if (how == PUT_ASIDE)
			mpi_copy((void *)&aside[first], block, n * sizeof(*block));
	}
}

/* inside: somebody is in another routine from now on */
static void count_for(uint32_t call, uint32_t arriving)
{
	uint32_t now;

	calls = call;
	arrivals = arriving;
	now = arriving ? ROUTINE_SEND : call;
	if (!counts || counted == now)
		return;
	if (counted == args.routine)
		move_cells(PUT_ASIDE);
	if (now == args.routine)
		move_cells(DROP);
	counted = now;
}

static void begin(enum exchange_routine routine)
{
	if (!counts)
		return;
	pe_enter();
	count_for(routine, arrivals);
	pe_leave();
}

static void end(void)
{
	begin(ROUTINE_ALL);
}

void exchange_wait(enum pe_wait kind, const volatile void *object)
{
	uint32_t call = calls;
	bool mine = counts && !PE_SELF->tasklet;

	if (mine)
		count_for(ROUTINE_ALL, arrivals);
	(pe_wait)(kind, object);
	if (mine)
		count_for(call, arrivals);
}

#ifndef MPI_CONVENTIONAL
/* A traveller is its send's, whatever its destination does at the time. */
int __real_me_arrive(struct me_node *node, struct me_parcel *parcel);
int __wrap_me_arrive(struct me_node *node, struct me_parcel *parcel);

int __wrap_me_arrive(struct me_node *node, struct me_parcel *parcel)
{
	int ret;

	/* a barrier's */
	if (!counts || parcel->frame.bytes != args.bytes)
		return __real_me_arrive(node, parcel);
	count_for(calls, arrivals + 1);
	ret = __real_me_arrive(node, parcel);
	count_for(calls, arrivals - 1);
	return ret;
}
#endif

/* nothing is aside yet */
static void count_nothing(void)
{
	for (uint32_t i = 0; i < BLOCK; i++)
		block[i] = 0;
	for (uint32_t first = 0; first < CELLS_BYTES / sizeof(*block); first += BLOCK)
		mpi_copy((void *)&aside[first], block, sizeof(block));
}

static __mram_ptr uint8_t *last_of(__mram_ptr uint8_t *buffer)
{
	return buffer + args.bytes - sizeof(uint64_t);
}

static void receive(int peer, uint32_t round)
{
	MPI_Request requests[MESSAGES];
	MPI_Status status;

	begin(ROUTINE_RECV);
	for (uint32_t m = 0; m < args.posted; m++)
		MPI_Irecv((void *)in[m], (int)args.bytes, MPI_BYTE, peer, (int)m,
			  MPI_COMM_WORLD, &requests[m]);
	end();
	MPI_Barrier(MPI_COMM_WORLD);
	for (uint32_t m = args.posted; m < MESSAGES; m++) {
		begin(ROUTINE_PROBE);
		MPI_Probe(peer, (int)m, MPI_COMM_WORLD, &status);
		begin(ROUTINE_RECV);
		MPI_Recv((void *)in[m], (int)args.bytes, MPI_BYTE, peer, (int)m,
			 MPI_COMM_WORLD, &status);
		end();
	}
	begin(ROUTINE_RECV);
	MPI_Waitall((int)args.posted, requests, MPI_STATUSES_IGNORE);
	end();
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
		begin(ROUTINE_SEND);
		MPI_Send((void *)out, (int)args.bytes, MPI_BYTE, peer, (int)m, MPI_COMM_WORLD);
		end();
	}
}

int main(void)
{
	int rank;

	MPI_Init(NULL, NULL);
	mpi_node.eager_bytes = args.eager;
	if (args.routine != ROUTINE_ALL)
		count_nothing();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (uint32_t round = 0; round < args.rounds; round++) {
		counts = args.routine != ROUTINE_ALL && round == args.rounds - 1;
		for (int sender = 0; sender < 2; sender++) {
			if (rank == sender)
				send((uint32_t)rank, !rank, round);
			else
				receive(!rank, round);
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
	rendezvous = mpi_node.counts.rendezvous;
	counts = false;
	if (args.routine != ROUTINE_ALL)
		move_cells(args.keep ? TAKE_BACK : DROP);
	return MPI_Finalize();
}
