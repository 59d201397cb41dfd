// SPDX-License-Identifier: MIT
/*
 * MPI's collectives, by hosts where these serve them, else by MPI's own through PMPI. All
 * processes decide alike: a reduction by its type, operation and count, which MPI wants
 * equal; what only moves by its bytes, since a process may describe them by another type
 * than the others: what does not lie in one piece is packed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/mpi/mpi_transport.h"
#include "collectives/mpi/served.h"

#define EXPORT __attribute__((visibility("default")))

/* operands of a reduction that hosts may serve */
struct fold {
	struct served *s;
	enum pidcomm_type type;
	pidcomm_op op;
	size_t bytes;	/* of an element */
};

static bool folds(MPI_Comm comm, enum served_call call, uint64_t count, MPI_Datatype type,
		  MPI_Op op, struct fold *f)
{
	*f = (struct fold){ 0 };
	if (count && served_operands(type, op, &f->type, &f->op, &f->bytes))
		f->s = served_by(comm, call);
	served_count(call, f->s);
	return f->s;
}

/* Bytes of a message, all that processes agree on; false: none, or MPI is to refuse it. */
static bool moves(MPI_Comm comm, enum served_call call, int count, MPI_Datatype type,
		  uint64_t *bytes, struct served **s)
{
	MPI_Count size = 0;

	*s = NULL;
	if (count > 0 && type != MPI_DATATYPE_NULL &&
	    PMPI_Type_size_x(type, &size) == MPI_SUCCESS && size > 0) {
		*bytes = (uint64_t)count * (uint64_t)size;
		*s = served_by(comm, call);
	}
	served_count(call, *s);
	return *s;
}

/*
 * What MPI refuses of one process's arguments concerns that process alone, which other
 * calls may follow in: hosts, who would have all calls fail from then on, never see it.
 */
static int refuse(MPI_Comm comm, int code)
{
	PMPI_Comm_call_errhandler(comm, code);
	return code;
}

static bool no_buffer(const void *buf)
{
	return !buf || buf == MPI_IN_PLACE;
}

/* of a reduction whose result goes to all of dst; two MPIs refuse one buffer given twice */
static bool no_operands(const void *src, const void *dst)
{
	return !src || src == dst || no_buffer(dst);
}

/*
 * What hosts are given of the program's buffers. They take elements at multiples of their
 * bytes, and no source that lies partly where the result goes; MPI takes them wherever they
 * lie, or does not look. No process knows how they lie in others: what hosts would not take
 * goes through copies of this process alone.
 */
struct places {
	const void *src;
	void *dst;
	void *src_copy, *dst_copy;
};

static bool overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes)
{
	return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* False: no memory. `apart`: src is copied in any case. */
static bool take_places(const struct fold *f, const void *src, uint64_t src_bytes, bool apart,
			void *dst, uint64_t dst_bytes, struct places *p)
{
	*p = (struct places){ .src = src, .dst = dst };
	if (apart || (uintptr_t)src % f->bytes ||
	    (dst && src != dst && overlap(src, src_bytes, dst, dst_bytes))) {
		p->src = p->src_copy = malloc(src_bytes);
		if (!p->src)
			return false;
		memcpy(p->src_copy, src, src_bytes);
	}
	if ((uintptr_t)dst % f->bytes)
		p->dst = p->dst_copy = malloc(dst_bytes);
	return p->dst || !dst;
}

/* The call has returned `ret`. */
static void give_places(struct places *p, void *dst, uint64_t dst_bytes, int ret)
{
	if (!ret && p->dst_copy)
		memcpy(dst, p->dst_copy, dst_bytes);
	free(p->src_copy);
	free(p->dst_copy);
}

static int places_lack(struct places *p, const struct fold *f, MPI_Comm comm)
{
	give_places(p, NULL, 0, -ENOMEM);
	return served_lacks(comm, f->s, "no memory for a copy of what is reduced");
}

EXPORT int MPI_Allreduce(const void *src, void *dst, int count, MPI_Datatype type, MPI_Op op,
			 MPI_Comm comm)
{
	struct places p;
	struct fold f;
	uint64_t bytes;
	int ret;

	if (count < 0 || !folds(comm, SERVED_ALLREDUCE, (uint64_t)count, type, op, &f))
		return PMPI_Allreduce(src, dst, count, type, op, comm);
	if (no_operands(src, dst))
		return refuse(comm, MPI_ERR_BUFFER);
	bytes = (uint64_t)count * f.bytes;
	if (!take_places(&f, src == MPI_IN_PLACE ? dst : src, bytes, false, dst, bytes, &p))
		return places_lack(&p, &f, comm);
	ret = pimdimm_hosts_allreduce(f.s->hosts, p.src, p.dst, (uint64_t)count, f.type, f.op);
	give_places(&p, dst, bytes, ret);
	return served_ended(comm, f.s, ret);
}

EXPORT int MPI_Reduce(const void *src, void *dst, int count, MPI_Datatype type, MPI_Op op, int root,
		      MPI_Comm comm)
{
	struct places p;
	struct fold f;
	uint64_t bytes;
	int ret;

	if (count < 0 || root < 0 ||
	    !folds(comm, SERVED_REDUCE, (uint64_t)count, type, op, &f) || root >= f.s->size)
		return PMPI_Reduce(src, dst, count, type, op, root, comm);
	if (f.s->rank == root ? no_operands(src, dst) : no_buffer(src))
		return refuse(comm, MPI_ERR_BUFFER);
	bytes = (uint64_t)count * f.bytes;
	if (!take_places(&f, src == MPI_IN_PLACE ? dst : src, bytes, false,
			 f.s->rank == root ? dst : NULL, bytes, &p))
		return places_lack(&p, &f, comm);
	ret = pimdimm_hosts_reduce(f.s->hosts, p.src, p.dst, (uint64_t)count, f.type, f.op,
				   (uint32_t)root);
	give_places(&p, dst, bytes, ret);
	return served_ended(comm, f.s, ret);
}

/*
 * In place the source begins where the result goes: hosts take it from a copy. Programs that
 * give one buffer twice instead are let off, as some MPIs let them.
 */
static int scatter_fold(const struct fold *f, const void *src, void *dst, const uint64_t *counts,
			MPI_Comm comm)
{
	const bool in_place = src == MPI_IN_PLACE || src == dst;
	uint64_t total = 0, bytes = counts[f->s->rank] * f->bytes, nothing;
	struct places p;
	int ret;

	for (int i = 0; i < f->s->size; i++)
		total += counts[i] * f->bytes;
	if ((total && !src) || ((bytes || (total && in_place)) && no_buffer(dst)))
		return refuse(comm, MPI_ERR_BUFFER);
	if (!take_places(f, in_place ? dst : src, total, in_place, bytes ? dst : &nothing, bytes,
			 &p))
		return places_lack(&p, f, comm);
	ret = pimdimm_hosts_reduce_scatter(f->s->hosts, p.src, p.dst, counts, f->type, f->op);
	give_places(&p, dst, bytes, ret);
	return served_ended(comm, f->s, ret);
}

EXPORT int MPI_Reduce_scatter_block(const void *src, void *dst, int count, MPI_Datatype type,
				    MPI_Op op, MPI_Comm comm)
{
	uint64_t counts[HOSTS_MOST];
	struct fold f;

	if (count < 0 ||
	    !folds(comm, SERVED_REDUCE_SCATTER_BLOCK, (uint64_t)count, type, op, &f))
		return PMPI_Reduce_scatter_block(src, dst, count, type, op, comm);
	for (int i = 0; i < f.s->size; i++)
		counts[i] = (uint64_t)count;
	return scatter_fold(&f, src, dst, counts, comm);
}

EXPORT int MPI_Reduce_scatter(const void *src, void *dst, const int counts[], MPI_Datatype type,
			      MPI_Op op, MPI_Comm comm)
{
	uint64_t wide[HOSTS_MOST];
	struct fold f;

	/* how many counts there are is known when there are hosts */
	if (!folds(comm, SERVED_REDUCE_SCATTER, 1, type, op, &f))
		return PMPI_Reduce_scatter(src, dst, counts, type, op, comm);
	for (int i = 0; i < f.s->size; i++) {
		if (counts[i] < 0)
			return PMPI_Reduce_scatter(src, dst, counts, type, op, comm);
		wide[i] = (uint64_t)counts[i];
	}
	return scatter_fold(&f, src, dst, wide, comm);
}

#define NO_ROOM "no memory to pack elements, or one of 2 GiB and more"

static int broadcast_packed(struct served *s, void *buf, int count, MPI_Datatype type,
			    uint64_t bytes, int root, MPI_Comm comm)
{
	void *packed = served_room(count, type);
	int ret;

	if (!packed)
		return served_lacks(comm, s, NO_ROOM);
	if (s->rank == root)
		served_pack(buf, count, type, packed, comm);
	ret = pimdimm_hosts_broadcast(s->hosts, packed, bytes, (uint32_t)root);
	if (!ret && s->rank != root)
		served_unpack(packed, buf, count, type, comm);
	free(packed);
	return served_ended(comm, s, ret);
}

EXPORT int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	struct served *s;
	uint64_t bytes = 0;

	if (root < 0 || !moves(comm, SERVED_BCAST, count, type, &bytes, &s) || root >= s->size)
		return PMPI_Bcast(buf, count, type, root, comm);
	if (!served_in_one_piece(count, type))
		return broadcast_packed(s, buf, count, type, bytes, root, comm);
	if (no_buffer(buf))
		return refuse(comm, MPI_ERR_BUFFER);
	return served_ended(comm, s,
			    pimdimm_hosts_broadcast(s->hosts, buf, bytes, (uint32_t)root));
}

/* an allgather by hosts: what each process sends, and all of it */
static int gather_pieces(struct served *s, const void *own, void *all, uint64_t bytes, void *dst,
			 int dst_count, MPI_Datatype dst_type, MPI_Comm comm)
{
	int ret = pimdimm_hosts_allgather(s->hosts, own, all, bytes);

	if (!ret && all != dst)
		served_unpack(all, dst, (MPI_Count)dst_count * s->size, dst_type, comm);
	return served_ended(comm, s, ret);
}

static int allgather(struct served *s, const void *src, int src_count, MPI_Datatype src_type,
		     void *dst, int dst_count, MPI_Datatype dst_type, uint64_t bytes,
		     MPI_Comm comm)
{
	/* at least two processes' elements: they follow each other as well */
	const bool dst_whole = served_in_one_piece(2, dst_type);
	bool src_whole = served_in_one_piece(src_count, src_type);
	void *own = NULL, *all = NULL;
	int ret;

	if ((dst_whole && no_buffer(dst)) || (src_whole && no_buffer(src)))
		return refuse(comm, MPI_ERR_BUFFER);
	/* in place, or a copy */
	if (dst_whole && src != (const char *)dst + bytes * (uint64_t)s->rank &&
	    overlap(src, bytes, dst, bytes * (uint64_t)s->size))
		src_whole = false;
	if (!dst_whole)
		all = served_room((MPI_Count)dst_count * s->size, dst_type);
	if (!src_whole)
		own = served_room(src_count, src_type);
	if (own)
		served_pack(src, src_count, src_type, own, comm);
	if ((!dst_whole && !all) || (!src_whole && !own))
		ret = served_lacks(comm, s, NO_ROOM);
	else
		ret = gather_pieces(s, src_whole ? src : own, dst_whole ? dst : all, bytes, dst,
				    dst_count, dst_type, comm);
	free(own);
	free(all);
	return ret;
}

EXPORT int MPI_Allgather(const void *src, int src_count, MPI_Datatype src_type, void *dst,
			 int dst_count, MPI_Datatype dst_type, MPI_Comm comm)
{
	MPI_Aint low = 0, extent = 0;
	MPI_Count sent = 0;
	struct served *s;
	uint64_t bytes = 0;

	if (!moves(comm, SERVED_ALLGATHER, dst_count, dst_type, &bytes, &s) ||
	    (src != MPI_IN_PLACE && (src_count < 0 || src_type == MPI_DATATYPE_NULL)))
		return PMPI_Allgather(src, src_count, src_type, dst, dst_count, dst_type, comm);
	if (src == MPI_IN_PLACE) {
		PMPI_Type_get_extent(dst_type, &low, &extent);
		return allgather(s, (const char *)dst + extent * dst_count * s->rank, dst_count,
				 dst_type, dst, dst_count, dst_type, bytes, comm);
	}
	PMPI_Type_size_x(src_type, &sent);
	if ((uint64_t)sent * (uint64_t)src_count != bytes)
		return refuse(comm, MPI_ERR_TRUNCATE);
	return allgather(s, src, src_count, src_type, dst, dst_count, dst_type, bytes, comm);
}
