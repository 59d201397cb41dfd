/* SPDX-License-Identifier: MIT */
/* What collectives are made of: messages of the library's own between ranks. */
#ifndef MPI_COLLECTIVES_H
#define MPI_COLLECTIVES_H

#include "inside.h"

/* tags of these messages: of one kind they come in the order of calls */
enum {
	TAG_BARRIER,
	TAG_BCAST,
	TAG_REDUCE,
	TAG_RESULT,
	TAG_GATHER,
	TAG_SCATTER,
	TAG_ALLTOALL,
};

int mpi_start(const struct mpi_call *call, const struct mpi_part *part,
	      struct mpi_comm *comm, uint32_t rank, int tag, bool sends,
	      MPI_Request *request);
int mpi_send_to(const struct mpi_call *call, const struct mpi_part *part,
		struct mpi_comm *comm, uint32_t rank, int tag);
int mpi_receive_from(const struct mpi_call *call, const struct mpi_part *part,
		     struct mpi_comm *comm, uint32_t rank, int tag);
int mpi_check_root(const struct mpi_call *call, struct mpi_comm *comm, int root);
int mpi_bcast(const struct mpi_call *call, const struct mpi_part *part,
	      struct mpi_comm *comm, uint32_t root);

#endif /* MPI_COLLECTIVES_H */
