/* SPDX-License-Identifier: MIT */
/* Communicators whose collectives hosts serve, and what is known of types and operations. */
#ifndef PIMDIMM_MPI_SERVED_H
#define PIMDIMM_MPI_SERVED_H

#include <stdbool.h>

#include <pimdimm/mpi.h>

enum served_call {
	SERVED_ALLREDUCE,
	SERVED_REDUCE,
	SERVED_REDUCE_SCATTER,
	SERVED_REDUCE_SCATTER_BLOCK,
	SERVED_BCAST,
	SERVED_ALLGATHER,
	SERVED_CALLS,
};

struct served {
	struct served *next;
	struct pimdimm_hosts *hosts;	/* NULL: MPI serves it all, or it is broken */
	unsigned int calls;		/* a bit for each call that hosts serve */
	int rank, size;
	/* Not all came in time to make hosts: calls of no hosts fail, by these words. */
	bool broken;
	char why[160];
	/* what this process says, and what all do: MPI may write to it as long as it runs */
	unsigned int mine, ours;
};

/*
 * The hosts of a communicator, which are made in the first call that asks for them: all of
 * its processes do so in the same one, by arguments that MPI wants equal. NULL: MPI's own.
 */
struct served *served_by(MPI_Comm comm, enum served_call call);
/* Counts a call for the statistics, and whether it was served. */
void served_count(enum served_call call, bool by_hosts);
/* What a call of hosts returned, as MPI's: an error goes to the communicator's handler. */
int served_ended(MPI_Comm comm, const struct served *s, int ret);
/* Something that one process alone lacks: the others are told not to wait. */
int served_lacks(MPI_Comm comm, struct served *s, const char *what);

/* Whether hosts fold such elements so; the bytes of one. */
bool served_operands(MPI_Datatype type, MPI_Op op, enum pidcomm_type *as, pidcomm_op *by,
		     size_t *bytes);

/* Whether so many elements lie as they are sent, one byte after the other from the buffer's. */
bool served_in_one_piece(int count, MPI_Datatype type);
/* To pack so many elements into; NULL: no memory, or one has more bytes than MPI packs. */
void *served_room(MPI_Count count, MPI_Datatype type);
/* Elements into such room, and out of it. */
void served_pack(const void *buf, MPI_Count count, MPI_Datatype type, void *packed, MPI_Comm comm);
void served_unpack(const void *packed, void *buf, MPI_Count count, MPI_Datatype type,
		   MPI_Comm comm);

#endif /* PIMDIMM_MPI_SERVED_H */
