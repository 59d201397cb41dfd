/* SPDX-License-Identifier: MIT */
/*
 * What the library knows of the machine, and what it makes of it: the caches
 * that a system's threads have, the processing units (PUs) that each may run
 * on, the NUMA nodes that memory is dealt out over.
 */
#ifndef PD_TOPOLOGY_H
#define PD_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the PUs of one thread, and the node that they are near to */
struct pd_share {
	cpu_set_t *pus;
	unsigned int node;	/* below nr_nodes */
};

/*
 * Threads of a system over the PUs that the affinity mask and the cgroup allow.
 * Each has a share of its own: of nodes, caches and cores as few in common with
 * others as can be, whole cores as long as there are enough. So two programs of
 * few threads on a large machine do not meet on the same cores.
 */
struct pd_placement {
	unsigned int threads;
	struct pd_share *shares;	/* a thread each; NULL: nothing is known */
	cpu_set_t *allowed;		/* of all shares together, and more */
	size_t pus_bytes;		/* of these sets */
	int *share_of;			/* by PU: whose share it is in; or -1 */
	unsigned int nr_share_of;
	bool binds;			/* threads are to be kept in their shares */

	/* that memory and work are dealt out over; 1 where they are not */
	unsigned int nr_nodes;
	unsigned int *nodes;		/* their numbers */

	/* what the threads' caches hold: last level, and inner levels where
	 * the ones around them do not hold the same once more */
	uint64_t cache_bytes;

	/* for the reader: what may be used, and who said so */
	unsigned int nr_pus, nr_cores, nr_numa;	/* 0: unknown */
	char caches[96];
	char source[128];
};

/*
 * Place so many threads on the PUs of `allowed`, of `bytes` bytes; NULL: on those
 * that the calling thread may run on. Returns 0 or -ENOMEM: where hwloc tells
 * nothing, the placement says so and holds what sysconf() knows.
 */
int pd_placement_make(unsigned int threads, const cpu_set_t *allowed,
		      size_t bytes, struct pd_placement **placement);
void pd_placement_free(struct pd_placement *placement);

/* Processor sockets of the machine; 1 where nobody knows. */
unsigned int pd_sockets(void);

/* the share that this PU is in; -1: none */
static inline int pd_share_of(const struct pd_placement *p, int pu)
{
	return pu >= 0 && (unsigned int)pu < p->nr_share_of ? p->share_of[pu] :
							     -1;
}

/* the PUs of a share as "0-3,8"; a text that does not fit ends in "..." */
void pd_share_print(const struct pd_placement *placement, unsigned int share,
		    char *text, size_t bytes);

/*
 * Have memory come from one of the placement's nodes while that has some. 0, or
 * an errno that tells why it stays where it is first touched.
 */
int pd_memory_near(const struct pd_placement *placement, unsigned int node,
		   void *at, size_t bytes);

/* forget what was learnt of the machine: the next placement looks again */
void pd_topology_forget(void);

#endif /* PD_TOPOLOGY_H */
