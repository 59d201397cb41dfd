/* SPDX-License-Identifier: MIT */
/* Room in pools: whose it is, what more is lent to whom, and recalled. */
#ifndef MPI_SHARES_H
#define MPI_SHARES_H

#include "travel.h"

/* each node has its share of every other's pool, of so many nodes */
void mpi_shares_open(uint32_t size);
/* inside: the host is told of it, and where travellers begin */
void mpi_greet_host(void);

/* inside: of the node's pool `whose`, for a message from here */
bool mpi_room_take(uint32_t whose, uint64_t bytes);
/* a message from `by` needs it no more, here or where it did not go */
void mpi_room_free(uint32_t by, uint64_t bytes);
/* an eager message has come; false: it had no room */
bool mpi_room_came(uint32_t from, uint64_t bytes);
/* what a claim of so many bytes lends their sender, in grains */
uint16_t mpi_room_lend(uint32_t to, uint64_t bytes);
/* grains that `from` has lent; false: nobody lends that many */
bool mpi_room_gain(uint32_t from, uint64_t grains);
/* what comes about room; false: no node of MPI's sends it */
bool mpi_room_hop(uint32_t from, const struct me_frame *frame);

#endif /* MPI_SHARES_H */
