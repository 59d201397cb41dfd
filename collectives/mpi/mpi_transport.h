/* SPDX-License-Identifier: MIT */
/* A communicator as a transport of hosts' messages. */
#ifndef PIMDIMM_MPI_TRANSPORT_H
#define PIMDIMM_MPI_TRANSPORT_H

#include <pimdimm/mpi.h>

/* as pimdimm_hosts_join() has it */
#define HOSTS_MOST	128

/* Fills the transport in, and says in it why there is none. */
void mpi_transport(MPI_Comm comm, struct pimdimm_transport *t);

#endif /* PIMDIMM_MPI_TRANSPORT_H */
