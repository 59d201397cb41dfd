/* SPDX-License-Identifier: MIT */
/*
 * What the programs here share. Each checks itself; a rank that ends well prints "ok",
 * and nothing else is printed. Its first lines say how it is run:
 *   mpi: ranks=N tasklets=N stack=N   (defaults: 8, 1, 2048)
 *   engines=1 there: not with tasklets at random, and not by the conventional engine
 *   fault: text that the command tells, of a program that must not end well; on the line
 *	before, fine=N: so many ranks do
 */
#ifndef CHECK_H
#define CHECK_H

#include <defs.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			halt();						\
		}							\
	} while (0)

static int rank, size;

static inline void check_begin(void)
{
	CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline void check_end(void)
{
	CHECK(MPI_Finalize() == MPI_SUCCESS);
	printf("ok\n");
}

#endif /* CHECK_H */
