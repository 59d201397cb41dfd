/* SPDX-License-Identifier: MIT */
/*
 * Programs of two processes bind each to a CPU of its own, whoever starts them: Open MPI's mpirun
 * does so by itself, MPICH's does not, and two that have just been woken on one CPU are timed
 * before the scheduler moves one.
 */
#ifndef PIMDIMM_PERF_BOUND_H
#define PIMDIMM_PERF_BOUND_H

#include <errno.h>
#include <sched.h>

/*
 * To the rank-th CPU of those that it may use; who may use one alone is bound already. 0 or an
 * errno.
 */
static inline int perf_bind(int rank)
{
	cpu_set_t cpus[8], one[8];	/* a mask too short for the machine is refused */
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(cpus), cpus))
		return errno;
	if (CPU_COUNT_S(sizeof(cpus), cpus) < 2)
		return 0;
	while (!CPU_ISSET_S(cpu, sizeof(cpus), cpus) || rank--)
		cpu++;
	CPU_ZERO_S(sizeof(one), one);
	CPU_SET_S(cpu, sizeof(one), one);
	return sched_setaffinity(0, sizeof(one), one) ? errno : 0;
}

#endif /* PIMDIMM_PERF_BOUND_H */
