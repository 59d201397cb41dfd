/* SPDX-License-Identifier: MIT */
/*
 * Programs of two processes bind each to a CPU of its own, whoever starts them: Open MPI's mpirun
 * does so by itself, MPICH's does not, and two that have just been woken on one CPU are timed
 * before the scheduler moves one.
 */
#ifndef PIMDIMM_PERF_BOUND_H
#define PIMDIMM_PERF_BOUND_H

#include <sched.h>

/* to the rank-th CPU of those that it may use; one that is bound already, or where there are too
 * many for a mask, stays as it is */
static inline void perf_bind(int rank)
{
	cpu_set_t cpus, one;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) < 2)
		return;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &cpus) && rank-- == 0)
			CPU_SET(cpu, &one);
	}
	sched_setaffinity(0, sizeof(one), &one);
}

#endif /* PIMDIMM_PERF_BOUND_H */
