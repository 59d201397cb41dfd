// SPDX-License-Identifier: MIT
/* Collectives in which each rank has as much as it is told, where it is told. */
#include "collectives.h"

/* a buffer with a piece for each rank; places are counted in extents */
struct pieces {
	const void *base;
	const int *counts, *places;
	const struct mpi_type *type;
};

static struct mpi_part piece(const struct pieces *all, uint32_t rank)
{
	return (struct mpi_part){
		(uint8_t *)(uintptr_t)all->base + all->places[rank] * mpi_extent(all->type),
		(uint64_t)(int64_t)all->counts[rank], all->type,
	};
}

static int check_pieces(const struct mpi_call *call, const struct pieces *all,
			const struct mpi_comm *comm, bool receives)
{
	int error = mpi_check_type(call, all->type);

	if (!error && (!all->counts || !all->places))
		error = mpi_fail(call, MPI_ERR_ARG,
				 "MPI_ERR_ARG: counts or displacements are NULL", 0);
	for (uint32_t rank = 0; rank < comm->size && !error; rank++) {
		struct mpi_part p = piece(all, rank);

		error = mpi_check_part(call, p.base, (int64_t)p.count, p.type, receives);
	}
	return error;
}

int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
		MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = { (uint8_t *)(uintptr_t)sendbuf, (uint64_t)(int64_t)sendcount,
				sendtype };
	struct pieces all = { recvbuf, recvcounts, displs, recvtype };
	int error = mpi_check_root(&call, comm, root);
	bool is_root = !error && (int)comm->rank == root;
	bool in_place = is_root && sendbuf == MPI_IN_PLACE;

	if (is_root)
		error = check_pieces(&call, &all, comm, true);
	if (!error && !in_place)
		error = mpi_check_part(&call, sendbuf, sendcount, sendtype, false);
	if (error || !is_root)
		return error ? error : mpi_send_to(&call, &own, comm, (uint32_t)root, TAG_GATHER);
	for (uint32_t rank = 0; rank < comm->size && !error; rank++) {
		struct mpi_part p = piece(&all, rank);

		if (rank != comm->rank)
			error = mpi_receive_from(&call, &p, comm, rank, TAG_GATHER);
		else if (!in_place)
			error = mpi_copy_own(&call, &p, &own);
	}
	return error;
}

int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
		 MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		 int root, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct pieces all = { sendbuf, sendcounts, displs, sendtype };
	struct mpi_part own = { recvbuf, (uint64_t)(int64_t)recvcount, recvtype };
	int error = mpi_check_root(&call, comm, root);
	bool is_root = !error && (int)comm->rank == root;
	bool in_place = is_root && recvbuf == MPI_IN_PLACE;

	if (is_root)
		error = check_pieces(&call, &all, comm, false);
	if (!error && !in_place)
		error = mpi_check_part(&call, recvbuf, recvcount, recvtype, true);
	if (error || !is_root)
		return error ? error : mpi_receive_from(&call, &own, comm, (uint32_t)root,
							TAG_SCATTER);
	for (uint32_t rank = 0; rank < comm->size && !error; rank++) {
		struct mpi_part p = piece(&all, rank);

		if (rank != comm->rank)
			error = mpi_send_to(&call, &p, comm, rank, TAG_SCATTER);
		else if (!in_place)
			error = mpi_copy_own(&call, &own, &p);
	}
	return error;
}

int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
		   MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part own = { (uint8_t *)(uintptr_t)sendbuf, (uint64_t)(int64_t)sendcount,
				sendtype }, p;
	struct pieces all = { recvbuf, recvcounts, displs, recvtype };
	bool in_place = sendbuf == MPI_IN_PLACE;
	int error = mpi_check_comm(&call, comm);

	if (!error)
		error = check_pieces(&call, &all, comm, true);
	if (!error && !in_place) {
		error = mpi_check_part(&call, sendbuf, sendcount, sendtype, false);
		p = piece(&all, comm->rank);
		if (!error)
			error = mpi_copy_own(&call, &p, &own);
	}
	for (uint32_t rank = 0; !error && rank < comm->size; rank++) {
		p = piece(&all, rank);
		error = mpi_bcast(&call, &p, comm, rank);
	}
	return error;
}

/* as MPI_Alltoall() does it, and its like in place */
static int alltoallv(const struct mpi_call *call, const struct pieces *from,
		     const struct pieces *to, struct mpi_comm *comm)
{
	struct mpi_part in = piece(to, comm->rank), out = piece(from, comm->rank);
	uint32_t n = comm->size;
	MPI_Request request;
	int error = mpi_copy_own(call, &in, &out);

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

static int alltoallv_in_place(const struct mpi_call *call, const struct pieces *all,
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

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
		  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
		  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct pieces from = { sendbuf, sendcounts, sdispls, sendtype };
	struct pieces to = { recvbuf, recvcounts, rdispls, recvtype };
	bool in_place = sendbuf == MPI_IN_PLACE;
	int error = mpi_check_comm(&call, comm);

	if (!error && !in_place)
		error = check_pieces(&call, &from, comm, false);
	if (!error)
		error = check_pieces(&call, &to, comm, true);
	if (error)
		return error;
	return in_place ? alltoallv_in_place(&call, &to, comm) :
			  alltoallv(&call, &from, &to, comm);
}
