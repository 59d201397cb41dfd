/* SPDX-License-Identifier: MIT */
/* What hostile programs share: what those ranks do that nothing must happen to. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <string.h>

#include "check.h"
#include "collectives/messages/engine/hop.h"

#define LONG	9000	/* bytes, in several parcels */

extern struct me_node mpi_node;

static __mram_noinit unsigned char data[2][LONG];

static inline unsigned char byte_of(int from, int round, int k)
{
	return (unsigned char)(from * 29 + round * 13 + k * 7);
}

/* to the next rank that is honest, and from the one before: short ones and long ones */
static inline void go_round(const int honest[], int n, int rounds)
{
	unsigned char *out = (void *)data[0], *in = (void *)data[1];
	int own = 0, left, right;

	while (honest[own] != rank)
		own++;
	left = honest[(own + n - 1) % n];
	right = honest[(own + 1) % n];
	for (int round = 0; round < rounds; round++) {
		int bytes = round % 3 ? 1 + round * 40 : LONG;

		for (int k = 0; k < bytes; k++)
			out[k] = byte_of(rank, round, k);
		memset(in, 0, LONG);
		MPI_Sendrecv(out, bytes, MPI_BYTE, right, round, in, LONG, MPI_BYTE, left, round,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int k = 0; k < LONG; k++)
			CHECK(in[k] == (k < bytes ? byte_of(left, round, k) : 0));
	}
}

#endif /* HOSTILE_H */
