// SPDX-License-Identifier: MIT
/*
 * Pi by the midpoint rule, as MPI's first examples have it: arguments of main() are there,
 * and none.
 * mpi: ranks=16
 */
#include <math.h>

#include "check.h"

int main(int argc, char **argv)
{
	int intervals = 2000, length, major, minor;
	char name[MPI_MAX_PROCESSOR_NAME];
	double own = 0, pi = 0, begin;

	CHECK(argc == 0 && !argv[0]);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(name, &length);
	CHECK(length < MPI_MAX_PROCESSOR_NAME && name[length] == '\0' && name[0] == 'P');
	MPI_Get_version(&major, &minor);
	CHECK(major == MPI_VERSION && minor == MPI_SUBVERSION);
	begin = MPI_Wtime();
	MPI_Bcast(&intervals, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = rank; i < intervals; i += size) {
		double x = (i + 0.5) / intervals;

		own += 4 / (1 + x * x);
	}
	own /= intervals;
	MPI_Reduce(&own, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	CHECK(rank ? pi == 0 : fabs(pi - 3.141592653589793) < 1e-6);
	CHECK(MPI_Wtime() >= begin && MPI_Wtick() > 0);
	check_end();
	return 0;
}
