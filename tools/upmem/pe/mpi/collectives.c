// SPDX-License-Identifier: MIT
/* Collectives, by messages of the library's own between the ranks of a communicator. */
#include "collectives.h"

/* what a rank has of a reduction at a time, in WRAM, twice */
#define REDUCED_AT_ONCE	512u

int mpi_start(const struct mpi_call *call, const struct mpi_part *part,
	      struct mpi_comm *comm, uint32_t rank, int tag, bool sends,
	      MPI_Request *request)
{
	struct mpi_peer peer = { comm, (int)rank, tag, MPI_OWN, false };

	return sends ? mpi_isend(call, part, &peer, request) :
		       mpi_irecv(call, part, &peer, request);
}

int mpi_send_to(const struct mpi_call *call, const struct mpi_part *part,
		struct mpi_comm *comm, uint32_t rank, int tag)
{
	MPI_Request request;
	int error = mpi_start(call, part, comm, rank, tag, true, &request);

	return error ? error : mpi_wait(call, &request, MPI_STATUS_IGNORE);
}

int mpi_receive_from(const struct mpi_call *call, const struct mpi_part *part,
		     struct mpi_comm *comm, uint32_t rank, int tag)
{
	MPI_Request request;
	int error = mpi_start(call, part, comm, rank, tag, false, &request);

	return error ? error : mpi_wait(call, &request, MPI_STATUS_IGNORE);
}

/* dissemination: after round k one knows of the 2^(k+1) - 1 before it */
static int barrier(const struct mpi_call *call, struct mpi_comm *comm)
{
	struct mpi_part nothing = { NULL, 0, MPI_BYTE };
	uint32_t n = comm->size;
	int error = MPI_SUCCESS;

	for (uint32_t step = 1; step < n && !error; step *= 2) {
		error = mpi_send_to(call, &nothing, comm, (comm->rank + step) % n, TAG_BARRIER);
		if (!error)
			error = mpi_receive_from(call, &nothing, comm, (comm->rank + n - step) % n,
					     TAG_BARRIER);
	}
	return error;
}

int MPI_Barrier(MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	return error ? error : barrier(&call, comm);
}

int mpi_check_root(const struct mpi_call *call, struct mpi_comm *comm, int root)
{
	int error = mpi_check_comm(call, comm);

	if (!error && (root < 0 || (uint32_t)root >= comm->size))
		error = mpi_fail(call, MPI_ERR_ROOT,
				 "MPI_ERR_ROOT: the communicator has no such rank",
				 (uint64_t)root);
	return error;
}

/* a binomial tree: a rank hears from the one without its lowest bit */
int mpi_bcast(const struct mpi_call *call, const struct mpi_part *part,
	      struct mpi_comm *comm, uint32_t root)
{
	uint32_t n = comm->size, self = (comm->rank + n - root) % n, bit = 1;
	int error = MPI_SUCCESS;

	while (bit < n && !(self & bit))
		bit *= 2;
	if (self)
		error = mpi_receive_from(call, part, comm, (self - bit + root) % n, TAG_BCAST);
	for (bit /= 2; bit && !error; bit /= 2) {
		if (self + bit < n)
			error = mpi_send_to(call, part, comm, (self + bit + root) % n, TAG_BCAST);
	}
	return error;
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct mpi_part part = { buf, (uint64_t)(int64_t)count, type };
	int error = mpi_check_root(&call, comm, root);

	if (!error)
		error = mpi_check_part(&call, buf, count, type, (int)comm->rank != root);
	return error ? error : mpi_bcast(&call, &part, comm, (uint32_t)root);
}

/* a reduction of some elements of one type, whose places in memory are kept */
struct reduction {
	const struct mpi_call *call;
	struct mpi_comm *comm;
	const struct mpi_op *op;
	const struct mpi_type *type;
	uint8_t *acc, *other;	/* memory of `bytes` for elements that begin at lb */
	uint32_t bytes;
	uint64_t at_once;
	bool to_all, exclusive;
	uint32_t root;
	/* of some elements in acc: the result, to where this rank's belong */
	int (*step)(struct reduction *r, const struct mpi_part *to, uint64_t n);
};

static struct mpi_part elements(const struct reduction *r, const void *base, uint64_t first,
				uint64_t n)
{
	return (struct mpi_part){
		(uint8_t *)(uintptr_t)base + (int64_t)first * mpi_extent(r->type), n, r->type,
	};
}

static struct mpi_part held(const struct reduction *r, uint8_t *memory, uint64_t n)
{
	return (struct mpi_part){ memory - r->type->true_lb, n, r->type };
}

/* into the higher ranks' elements, wherever both lie */
static void apply(const struct reduction *r, struct mpi_part *lower, struct mpi_part *higher)
{
	uint8_t *in = lower->base + r->type->true_lb, *inout = higher->base + r->type->true_lb;

	if (mpi_in_mram(in))
		mpi_charge_mram((uintptr_t)in, r->bytes, false);
	if (mpi_in_mram(inout)) {
		mpi_charge_mram((uintptr_t)inout, r->bytes, false);
		mpi_charge_mram((uintptr_t)inout, r->bytes, true);
	}
	mpi_op_apply(r->op, lower->base, higher->base, (int)lower->count, r->type);
}

/* up the tree: what is there from lower ranks on the left, from higher ones on the right */
static int reduce_up(struct reduction *r, uint64_t n)
{
	uint32_t self = r->comm->rank;
	struct mpi_part lower, higher;
	int error = MPI_SUCCESS;

	for (uint32_t bit = 1; bit < r->comm->size && !error; bit *= 2) {
		lower = held(r, r->acc, n);
		if (self & bit)
			return mpi_send_to(r->call, &lower, r->comm, self - bit, TAG_REDUCE);
		if (self + bit >= r->comm->size)
			continue;
		higher = held(r, r->other, n);
		error = mpi_receive_from(r->call, &higher, r->comm, self + bit, TAG_REDUCE);
		if (error)
			return error;
		apply(r, &lower, &higher);
		r->acc = higher.base + r->type->true_lb;
		r->other = lower.base + r->type->true_lb;
	}
	return error;
}

/* from rank 0, which has it, to whom it belongs */
static int reduce_out(struct reduction *r, const struct mpi_part *to, uint64_t n)
{
	struct mpi_part result = held(r, r->acc, n);
	uint32_t self = r->comm->rank;
	int error = MPI_SUCCESS;

	if (r->to_all)
		error = mpi_bcast(r->call, &result, r->comm, 0);
	else if (r->root && !self)
		error = mpi_send_to(r->call, &result, r->comm, r->root, TAG_RESULT);
	else if (r->root && self == r->root)
		error = mpi_receive_from(r->call, &result, r->comm, 0, TAG_RESULT);
	if (!error && (r->to_all || self == r->root)) {
		pe_enter();
		mpi_copy_part(to, &result);
		pe_leave();
	}
	return error;
}

static int reduce_step(struct reduction *r, const struct mpi_part *to, uint64_t n)
{
	int error = reduce_up(r, n);

	return error ? error : reduce_out(r, to, n);
}

/* from rank to rank: what comes is of all before, what goes on has this rank's, too */
static int scan_step(struct reduction *r, const struct mpi_part *to, uint64_t n)
{
	struct mpi_part own = held(r, r->acc, n), before = held(r, r->other, n);
	const struct mpi_part *result = r->exclusive ? &before : &own;
	uint32_t self = r->comm->rank;
	int error = MPI_SUCCESS;

	if (self) {
		error = mpi_receive_from(r->call, &before, r->comm, self - 1, TAG_REDUCE);
		if (!error)
			apply(r, &before, &own);
	}
	if (!error && self + 1 < r->comm->size)
		error = mpi_send_to(r->call, &own, r->comm, self + 1, TAG_REDUCE);
	if (!error && (self || !r->exclusive)) {
		pe_enter();
		mpi_copy_part(to, result);
		pe_leave();
	}
	return error;
}

static int reduce_all(struct reduction *r, const void *from, void *to, uint64_t count)
{
	int error = MPI_SUCCESS;

	for (uint64_t first = 0; first < count && !error; first += r->at_once) {
		uint64_t n = count - first < r->at_once ? count - first : r->at_once;
		struct mpi_part in = elements(r, from, first, n), out = elements(r, to, first, n);
		struct mpi_part acc = held(r, r->acc, n);

		pe_enter();
		mpi_copy_part(&acc, &in);
		pe_leave();
		error = r->step(r, &out, n);
	}
	return error;
}

/* how much there is room for at once; elements whose extent is negative go one by one */
static uint64_t room_for(const struct mpi_type *type, uint64_t count, uint32_t *bytes)
{
	int64_t one = type->true_ub - type->true_lb, extent = mpi_extent(type);
	uint64_t n = 1;

	if (extent > 0 && one <= extent && extent < REDUCED_AT_ONCE)
		n = REDUCED_AT_ONCE / (uint64_t)extent;
	if (n > count)
		n = count;
	*bytes = (uint32_t)(one + (int64_t)(n - 1) * (n > 1 ? extent : 0));
	return n;
}

/*
 * Inside: in WRAM, or where other objects have it all in MRAM: ranks agree on how much is
 * reduced at a time, whatever memory they have.
 */
static uint8_t *memory_for(const struct reduction *r)
{
	uint8_t *p = mpi_alloc_wram(r->bytes);

	return p ? p : mpi_alloc_mram(r->bytes);
}

static int reduce(struct reduction *r, const void *from, void *to, uint64_t count)
{
	int error = MPI_SUCCESS;
	uint8_t *a, *b;

	if (!count || !r->type->size)
		return MPI_SUCCESS;
	r->at_once = room_for(r->type, count, &r->bytes);
	pe_enter();
	a = memory_for(r);
	b = memory_for(r);
	pe_leave();
	r->acc = a;
	r->other = b;
	if (!a || !b)
		error = mpi_fail(r->call, MPI_ERR_NO_MEM,
				 "MPI_ERR_NO_MEM: no memory for two elements of a reduction: MPIX_POOL_INIT gives more",
				 r->bytes);
	else
		error = reduce_all(r, from == MPI_IN_PLACE ? to : from, to, count);
	pe_enter();
	mpi_free(a, r->bytes);
	mpi_free(b, r->bytes);
	pe_leave();
	return error;
}

static int check_reduction(const struct reduction *r, const void *sendbuf, void *recvbuf,
			   int count)
{
	bool receives = r->to_all || r->comm->rank == r->root;
	int error = mpi_check_part(r->call, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count,
				   r->type, false);

	if (!error && receives)
		error = mpi_check_part(r->call, recvbuf, count, r->type, true);
	return error ? error : mpi_check_op(r->call, r->op, r->type);
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	       int root, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct reduction r = { .call = &call, .comm = comm, .op = op, .type = type,
			       .root = (uint32_t)root, .step = reduce_step };
	int error = mpi_check_root(&call, comm, root);

	if (!error)
		error = check_reduction(&r, sendbuf, recvbuf, count);
	return error ? error : reduce(&r, sendbuf, recvbuf, (uint64_t)count);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	struct reduction r = { .call = &call, .comm = comm, .op = op, .type = type,
			       .to_all = true, .step = reduce_step };
	int error = mpi_check_comm(&call, comm);

	if (!error)
		error = check_reduction(&r, sendbuf, recvbuf, count);
	return error ? error : reduce(&r, sendbuf, recvbuf, (uint64_t)count);
}

static int scan(const struct mpi_call *call, const void *sendbuf, void *recvbuf, int count,
		MPI_Datatype type, MPI_Op op, MPI_Comm comm, bool exclusive)
{
	struct reduction r = { .call = call, .comm = comm, .op = op, .type = type,
			       .to_all = true, .exclusive = exclusive, .step = scan_step };
	int error = mpi_check_comm(call, comm);

	/* which rank 0 need not have */
	if (exclusive && !error && !comm->rank && sendbuf != MPI_IN_PLACE)
		r.to_all = false;
	r.root = (uint32_t)MPI_PROC_NULL;
	if (!error)
		error = check_reduction(&r, sendbuf, recvbuf, count);
	return error ? error : reduce(&r, sendbuf, recvbuf, (uint64_t)count);
}

int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	     MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);

	return scan(&call, sendbuf, recvbuf, count, type, op, comm, false);
}

int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	       MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);

	return scan(&call, sendbuf, recvbuf, count, type, op, comm, true);
}

int mpi_allreduce_max(const struct mpi_call *call, struct mpi_comm *comm, uint32_t *value)
{
	struct reduction r = { .call = call, .comm = comm, .op = MPI_MAX,
			       .type = MPI_UINT32_T, .to_all = true, .step = reduce_step };

	return reduce(&r, value, value, 1);
}
