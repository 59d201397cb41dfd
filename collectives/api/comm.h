/* SPDX-License-Identifier: MIT */
/* Hypercubes: made, asked and unmade. */
#ifndef PC_API_COMM_H
#define PC_API_COMM_H

#include "collectives/call/comm.h"

/*
 * Whether axes make a hypercube of at most so many PEs, and of how many. `of` says whose they
 * are, as in "the system's". 0 or -EINVAL.
 */
int pc_comm_check_dims(uint32_t available, const char *of, unsigned int ndims,
		       const uint32_t dims[], uint32_t *nr_pes);
/*
 * A hypercube of entangled groups that are there, each once, as many as the axes make: those
 * of the list, or where it is NULL from first_eg on. 0 or -ENOMEM.
 */
int pc_comm_new(struct pimdimm *sys, const uint32_t egs[], uint32_t first_eg,
		unsigned int ndims, const uint32_t dims[], uint32_t nr_pes, struct pidcomm **hc);

#endif /* PC_API_COMM_H */
