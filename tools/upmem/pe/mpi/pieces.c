// SPDX-License-Identifier: MIT
/* Collectives that move a piece for each rank: pieces of one length, or as the caller says. */
#include "collectives.h"

/* a buffer with a piece for each rank, one after the other if they are of one length */
struct pieces {
	const void *base;
	const struct mpi_type *type;
	bool even;
	int64_t count;			/* of each, if so */
	const int *counts, *places;	/* if not; places in extents */
};

#define EVEN(buf, n, t) \
	((struct pieces){ .base = (buf), .type = (t), .even = true, .count = (n) })
#define UNEVEN(buf, ns, at, t) \
	((struct pieces){ .base = (buf), .type = (t), .counts = (ns), .places = (at) })

/* what a rank has for itself; MPI_IN_PLACE is longer than an address in a uintptr_t of PEs */
static struct mpi_part own_part(const void *buf, int count, const struct mpi_type *type)
{
	return (struct mpi_part){
		buf == MPI_IN_PLACE ? MPI_IN_PLACE : (uint8_t *)(uintptr_t)buf,
		(uint64_t)(int64_t)count, type,
	};
}

static struct mpi_part piece(const struct pieces *all, uint32_t rank)
{
	int64_t count = all->even ? all->count : all->counts[rank];
	int64_t place = all->even ? rank * all->count : all->places[rank];

	return (struct mpi_part){
		(uint8_t *)(uintptr_t)all->base + place * mpi_extent(all->type),
		(uint64_t)count, all->type,
	};
}

static int check_part(const struct mpi_call *call, const struct mpi_part *part, bool receives)
{
	return mpi_check_part(call, part->base, (int64_t)part->count, part->type, receives);
}

static int check_even(const struct mpi_call *call, const struct pieces *all,
		      const struct mpi_comm *comm, bool receives)
{
	/* of one rank first, so that what is too large for all is no number either */
	int error = mpi_check_part(call, all->base, all->count, all->type, receives);

	return error ? error : mpi_check_part(call, all->base, all->count * comm->size, all->type,
					      receives);
}

static int check_pieces(const struct mpi_call *call, const struct pieces *all,
			const struct mpi_comm *comm, bool receives)
{
	int error;

	if (all->even)
		return check_even(call, all, comm, receives);
	error = mpi_check_type(call, all->type);
	if (!error && (!all->counts || !all->places))
		error = mpi_fail(call, MPI_ERR_ARG,
				 "MPI_ERR_ARG: counts or displacements are NULL", 0);
	for (uint32_t rank = 0; rank < comm->size && !error; rank++) {
		struct mpi_part p = piece(all, rank);

		error = check_part(call, &p, receives);
	}
	return error;
}

/* as if it came by a message */
static int copy_own(const struct mpi_call *call, const struct mpi_part *to,
		    const struct mpi_part *from)
{
	if (from->count * from->type->size > to->count * to->type->size)
		return mpi_fail(call, MPI_ERR_TRUNCATE, mpi_error_text(MPI_ERR_TRUNCATE),
				from->count * from->type->size);
	pe_enter();
	if (from->count && from->type->size)
		mpi_copy_part(to, from);
	pe_leave();
	return MPI_SUCCESS;
}

/* own NULL: it is in its place already */
static int gather_pieces(const struct mpi_call *call, const struct mpi_part *own,
			 const struct pieces *all, uint32_t root, struct mpi_comm *comm)
{
	int error = MPI_SUCCESS;

	if (comm->rank != root)
		return mpi_send_to(call, own, comm, root, TAG_GATHER);
	for (uint32_t rank = 0; rank < comm->size && !error; rank++) {
		struct mpi_part p = piece(all, rank);

		if (rank != root)
			error = mpi_receive_from(call, &p, comm, rank, TAG_GATHER);
		else if (own)
			error = copy_own(call, &p, own);
	}
	return error;
}

static int gather(const struct mpi_call *call, const struct mpi_part *own,
		  const struct pieces *all, int root, struct mpi_comm *comm)
{
	int error = mpi_check_root(call, comm, root);
	bool is_root = !error && (int)comm->rank == root;
	bool in_place = is_root && own->base == MPI_IN_PLACE;

	if (is_root)
		error = check_pieces(call, all, comm, true);
	if (!error && !in_place)
		error = check_part(call, own, false);
	return error ? error :
		       gather_pieces(call, in_place ? NULL : own, all, (uint32_t)root, comm);
}

int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = own_part(sendbuf, sendcount, sendtype);

	return gather(&call, &own, &EVEN(recvbuf, recvcount, recvtype), root, comm);
}

int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
		MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = own_part(sendbuf, sendcount, sendtype);

	return gather(&call, &own, &UNEVEN(recvbuf, recvcounts, displs, recvtype), root, comm);
}

static int scatter(const struct mpi_call *call, const struct pieces *all,
		   const struct mpi_part *own, int root, struct mpi_comm *comm)
{
	int error = mpi_check_root(call, comm, root);
	bool is_root = !error && (int)comm->rank == root;
	bool in_place = is_root && own->base == MPI_IN_PLACE;

	if (is_root)
		error = check_pieces(call, all, comm, false);
	if (!error && !in_place)
		error = check_part(call, own, true);
	if (error || !is_root)
		return error ? error : mpi_receive_from(call, own, comm, (uint32_t)root,
							TAG_SCATTER);
	for (uint32_t rank = 0; rank < comm->size && !error; rank++) {
		struct mpi_part p = piece(all, rank);

		if (rank != comm->rank)
			error = mpi_send_to(call, &p, comm, rank, TAG_SCATTER);
		else if (!in_place)
			error = copy_own(call, own, &p);
	}
	return error;
}

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = own_part(recvbuf, recvcount, recvtype);

	return scatter(&call, &EVEN(sendbuf, sendcount, sendtype), &own, root, comm);
}

int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
		 MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		 int root, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = own_part(recvbuf, recvcount, recvtype);

	return scatter(&call, &UNEVEN(sendbuf, sendcounts, displs, sendtype), &own, root, comm);
}

/* pieces of one length are gathered by the first rank, and told to all at once */
static int allgather_even(const struct mpi_call *call, const struct mpi_part *own,
			  const struct pieces *all, struct mpi_comm *comm)
{
	struct mpi_part self = piece(all, comm->rank), whole = piece(all, 0);
	int error = gather_pieces(call, own || !comm->rank ? own : &self, all, 0, comm);

	whole.count *= comm->size;
	return error ? error : mpi_bcast(call, &whole, comm, 0);
}

/* others by each that has one */
static int allgather_uneven(const struct mpi_call *call, const struct mpi_part *own,
			    const struct pieces *all, struct mpi_comm *comm)
{
	struct mpi_part p = piece(all, comm->rank);
	int error = own ? copy_own(call, &p, own) : MPI_SUCCESS;

	for (uint32_t rank = 0; !error && rank < comm->size; rank++) {
		p = piece(all, rank);
		error = mpi_bcast(call, &p, comm, rank);
	}
	return error;
}

static int allgather(const struct mpi_call *call, const struct mpi_part *own,
		     const struct pieces *all, struct mpi_comm *comm)
{
	bool in_place = own->base == MPI_IN_PLACE;
	int error = mpi_check_comm(call, comm);

	if (!error)
		error = check_pieces(call, all, comm, true);
	if (!error && !in_place)
		error = check_part(call, own, false);
	if (error)
		return error;
	if (in_place)
		own = NULL;
	return all->even ? allgather_even(call, own, all, comm) :
			   allgather_uneven(call, own, all, comm);
}

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = own_part(sendbuf, sendcount, sendtype);

	return allgather(&call, &own, &EVEN(recvbuf, recvcount, recvtype), comm);
}

int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
		   MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = own_part(sendbuf, sendcount, sendtype);

	return allgather(&call, &own, &UNEVEN(recvbuf, recvcounts, displs, recvtype), comm);
}

int mpi_allgather_bytes(const struct mpi_call *call, struct mpi_comm *comm, void *all,
			uint32_t bytes)
{
	return allgather_even(call, NULL, &EVEN(all, bytes, MPI_BYTE), comm);
}

/* with each other rank at its distance, one after the other */
static int alltoall_apart(const struct mpi_call *call, const struct pieces *from,
			  const struct pieces *to, struct mpi_comm *comm)
{
	struct mpi_part in = piece(to, comm->rank), out = piece(from, comm->rank);
	uint32_t n = comm->size;
	MPI_Request request;
	int error = copy_own(call, &in, &out);

	for (uint32_t step = 1; step < n && !error; step++) {
		uint32_t before = (comm->rank + n - step) % n, after = (comm->rank + step) % n;

		in = piece(to, before);
		out = piece(from, after);
		error = mpi_start(call, &in, comm, before, TAG_ALLTOALL, false, &request);
		if (!error)
			error = mpi_send_to(call, &out, comm, after, TAG_ALLTOALL);
		if (!error)
			error = mpi_wait(call, &request, MPI_STATUS_IGNORE);
	}
	return error;
}

/* each with each, two at a time, who so need one piece more alone */
static int alltoall_in_place(const struct mpi_call *call, const struct pieces *all,
			     struct mpi_comm *comm)
{
	uint32_t n = comm->size;
	int error = MPI_SUCCESS;

	for (uint32_t step = 0; step < n && !error; step++) {
		uint32_t other = (step + n - comm->rank) % n;
		struct mpi_peer peer = { comm, (int)other, TAG_ALLTOALL, MPI_OWN, false };
		struct mpi_part part = piece(all, other);

		if (other != comm->rank)
			error = mpi_replace(call, &part, &peer, &peer, MPI_STATUS_IGNORE);
	}
	return error;
}

static int alltoall(const struct mpi_call *call, const struct pieces *from,
		    const struct pieces *to, struct mpi_comm *comm)
{
	bool in_place = from->base == MPI_IN_PLACE;
	int error = mpi_check_comm(call, comm);

	if (!error && !in_place)
		error = check_pieces(call, from, comm, false);
	if (!error)
		error = check_pieces(call, to, comm, true);
	if (error)
		return error;
	return in_place ? alltoall_in_place(call, to, comm) :
			  alltoall_apart(call, from, to, comm);
}

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);

	return alltoall(&call, &EVEN(sendbuf, sendcount, sendtype),
			&EVEN(recvbuf, recvcount, recvtype), comm);
}

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
		  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
		  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);

	return alltoall(&call, &UNEVEN(sendbuf, sendcounts, sdispls, sendtype),
			&UNEVEN(recvbuf, recvcounts, rdispls, recvtype), comm);
}
