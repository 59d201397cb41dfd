/* SPDX-License-Identifier: MIT */
/*
 * The conventional engine, for comparison: `-fpimdimm-mpi=conventional`. What comes to a PE
 * is put into its inbox, and is looked at by its own tasklets alone, in their calls of MPI.
 */
#ifndef MPI_JUGGLE_H
#define MPI_JUGGLE_H

#include "travel.h"

/* travel.c and port.c are there twice */
#ifdef MPI_CONVENTIONAL
#define MPI_JUGGLES	1
#else
#define MPI_JUGGLES	0
#endif

/* inside: by a traveller */
void mpi_deposit(struct mpi_parcel *parcel);
/* inside: the inbox is emptied, every outstanding request advanced; whether any moved */
bool mpi_advance(void);
/* inside: whether a send of this PE is not done */
bool mpi_sends_run(void);

#endif /* MPI_JUGGLE_H */
