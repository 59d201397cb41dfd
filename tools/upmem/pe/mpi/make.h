/* SPDX-License-Identifier: MIT */
/* A type is begun, given its blocks, and ended. */
#ifndef MPI_MAKE_H
#define MPI_MAKE_H

#include "inside.h"

struct mpi_maker {
	const struct mpi_call *call;
	struct mpi_type *type;		/* NULL: no memory */
	struct mpi_block *blocks;
	bool far;			/* some number is larger than any PE's memory */
};

/* a list has room for n blocks */
struct mpi_maker mpi_make_begin(const struct mpi_call *call, enum mpi_type_kind kind,
				uint64_t n, int64_t stride);
/* `count` of a type from byte `at` on; those of a list are one after the other */
void mpi_make_block(struct mpi_maker *m, int64_t at, int64_t count,
		    const struct mpi_type *child);
/* MPI_SUCCESS and the type, or the call's error */
int mpi_make_end(struct mpi_maker *m, const struct mpi_type **type);
/* of a type that nobody has seen: other bounds */
void mpi_make_bounds(const struct mpi_type *type, int64_t lb, int64_t extent);
/* a type of which its maker was the only user */
void mpi_make_drop(const struct mpi_type *type);
/* the last step: it becomes a handle */
int mpi_make_handle(int error, const struct mpi_type *made, MPI_Datatype *type);

/* what constructors check */
int mpi_check_made(const struct mpi_call *call, int count, const struct mpi_type *old,
		   const MPI_Datatype *type);

#endif /* MPI_MAKE_H */
