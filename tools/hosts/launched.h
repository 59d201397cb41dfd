/* SPDX-License-Identifier: MIT */
/* Processes that a launcher has started: Open MPI's mpirun, MPICH's, or srun. */
#ifndef PIMDIMM_HOSTS_LAUNCHED_H
#define PIMDIMM_HOSTS_LAUNCHED_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/hosts.h>

/* How many it has started, 1 where there is none. */
uint32_t launched_hosts(void);
/* Joins them; 0, or TOOL_FAILED after a message. */
int launched_join(struct pimdimm_hosts **hosts);
/* Whether they were joined through a library of MPI, whose own collectives are there then. */
bool launched_by_mpi(void);
/* One of these, as pimdimm_mpi_call() has them; 0, or TOOL_FAILED after a message. */
int launched_call(const char *collective, const void *src, void *dst, uint64_t count,
		  const uint64_t counts[]);
/* Ends what joining has begun, after the hosts have left; waits for the others. */
void launched_end(void);

#endif /* PIMDIMM_HOSTS_LAUNCHED_H */
