/* SPDX-License-Identifier: MIT */
/*
 * Turns of the tasklets of a launch: contexts of one thread, which hand it to each other
 * where they wait. Their kind is NULL, so that what they call most costs a branch.
 */
#ifndef PD_TURNS_H
#define PD_TURNS_H

#include "runtime/pe/kernels/kernel.h"

/* A PE whose tasklets, so many, are about to start. */
void pd_turns_begin(struct pd_place *place, unsigned int nr_tasklets);

/* The tasklet has ended: whose turn it is, NULL where it was the last. */
struct pimdimm_pe *pd_turns_end(struct pimdimm_pe *me);

/* Let the others run, once each, unless all of them wait. */
void pd_turns_give(struct pimdimm_pe *me);

#endif /* PD_TURNS_H */
