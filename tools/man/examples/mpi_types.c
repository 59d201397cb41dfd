// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/mpi_types.h>, as in pimdimm.c: a datatype that an
 * MPI program has anyway.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/mpi_types.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

static double grid[10][12];

static void run(void)
{
	/* example of pimtype_from_mpi: The inside of a grid, for MPI, and into MRAM */
	const int sizes[] = { 10, 12 }, inside[] = { 8, 10 }, starts[] = { 1, 1 };
	const void *bufs[] = { grid };
	struct pimtype_part host = { .count = 1 };
	struct pimtype_part mram = { 0, 80, pimtype_basic(PIMTYPE_F64) };
	struct pimtype *type;
	struct pimdimm *sys;
	MPI_Datatype mpi;

	MPI_Type_create_subarray(2, sizes, inside, starts, MPI_ORDER_C, MPI_DOUBLE, &mpi);
	check(pimtype_from_mpi(mpi, &type));
	MPI_Type_free(&mpi);
	check(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	host.type = type;
	check(pimtype_push(sys, 0, 1, mram, bufs, host));
	pimdimm_close(sys);
	pimtype_free(type);
	/* end of example */
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	run();
	MPI_Finalize();
	return EXIT_SUCCESS;
}
