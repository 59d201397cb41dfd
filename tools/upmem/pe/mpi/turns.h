/* SPDX-License-Identifier: MIT */
/* The order of the travellers of one node at another. */
#ifndef MPI_TURNS_H
#define MPI_TURNS_H

#include "inside.h"

/*
 * Inside, by a traveller of node `from`, the how many-th it says it is: waits for those that
 * left there before. false: it is forged, as none of those that are here can come before.
 */
bool mpi_turn_await(uint32_t from, uint16_t turn);
/* it is the next one's */
void mpi_turn_pass(uint32_t from);

#endif /* MPI_TURNS_H */
