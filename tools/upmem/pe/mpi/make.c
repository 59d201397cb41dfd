// SPDX-License-Identifier: MIT
/* How datatypes are made of others: their blocks, bounds and signatures. */
#include "make.h"

/* recursions of a type's walk, each of which takes stack */
#define MAX_DEPTH	10u
/* more is no PE's, and products of two of them stay below 2^63 */
#define FAR		(INT64_C(1) << 31)

static bool is_far(int64_t x)
{
	return x > FAR || x < -FAR;
}

struct mpi_maker mpi_make_begin(const struct mpi_call *call, enum mpi_type_kind kind,
				uint64_t n, int64_t stride)
{
	uint64_t room = kind == MPI_KIND_LOOP ? 1 : n;
	uint64_t bytes = sizeof(struct mpi_type) + room * sizeof(struct mpi_block);
	struct mpi_maker m = { .call = call };

	pe_enter();
	m.type = bytes < FAR ? mpi_alloc((uint32_t)bytes) : NULL;
	pe_leave();
	if (!m.type)
		return m;
	m.blocks = (struct mpi_block *)(m.type + 1);
	m.far = is_far(stride);
	*m.type = (struct mpi_type){
		.users = 1,
		.kind = (uint8_t)kind,
		.dense = true,
		.apart = MPI_APART_YES,
		.align = 1,
		.n = n,
		.stride = stride,
		.blocks = m.blocks,
		.room = (uint32_t)room,
	};
	return m;
}

/* what is empty adds nothing */
void mpi_make_block(struct mpi_maker *m, int64_t at, int64_t count,
		    const struct mpi_type *child)
{
	if (!m->type || !count || !m->type->n || (!child->size && !child->bounded))
		return;
	m->far |= is_far(at) || is_far(count) || is_far(mpi_extent(child));
	m->blocks[m->type->nr_blocks++] = (struct mpi_block){ at, (uint64_t)count, child };
	pe_enter();
	mpi_type_get(child);
	pe_leave();
}

struct bounds {
	int64_t lo, hi;
	bool any;
};

struct measured {
	struct bounds set, all, data;
	int64_t end;	/* of the run that the data has been so far */
};

static void widen(struct bounds *b, int64_t lo, int64_t hi)
{
	b->lo = !b->any || lo < b->lo ? lo : b->lo;
	b->hi = !b->any || hi > b->hi ? hi : b->hi;
	b->any = true;
}

/* n of [lo, hi) at a stride; false: they reach too far */
static bool widen_all(struct bounds *b, int64_t lo, int64_t hi, uint64_t n, int64_t stride)
{
	int64_t last = (int64_t)(n - 1) * stride;

	widen(b, lo, hi);
	widen(b, lo + last, hi + last);
	return !is_far(b->lo) && !is_far(b->hi);
}

static bool block_is_dense(const struct mpi_block *b)
{
	return b->child->dense &&
	       (b->count == 1 || mpi_extent(b->child) == (int64_t)b->child->size);
}

static bool steps_over(int64_t step, int64_t span)
{
	return step >= span || step <= -span;
}

/* what is not sure is found out once somebody receives it */
static bool block_is_apart(const struct measured *m, const struct mpi_block *b,
			   const struct bounds *one, uint64_t n, int64_t stride)
{
	const struct mpi_type *c = b->child;

	return c->apart == MPI_APART_YES &&
	       (b->count == 1 || steps_over(mpi_extent(c), c->true_ub - c->true_lb)) &&
	       (n == 1 || steps_over(stride, one->hi - one->lo)) &&
	       (!m->data.any || one->lo >= m->data.hi || one->hi <= m->data.lo);
}

/* the bytes of data in a block, and in what a loop makes of it */
static bool measure_data(struct mpi_type *t, struct measured *m, const struct mpi_block *b,
			 uint64_t n)
{
	const struct mpi_type *c = b->child;
	struct bounds one = { 0 };
	uint64_t size = b->count * c->size;

	if (!c->size)
		return true;
	if (size > (uint64_t)FAR ||
	    !widen_all(&one, b->at + c->true_lb, b->at + c->true_ub, b->count, mpi_extent(c)))
		return false;
	t->dense &= block_is_dense(b) && (n == 1 || t->stride == (int64_t)size) &&
		    (!m->data.any || m->end == one.lo);
	if (!block_is_apart(m, b, &one, n, t->stride))
		t->apart = MPI_APART_UNKNOWN;
	if (!widen_all(&m->data, one.lo, one.hi, n, t->stride))
		return false;
	m->end = m->data.hi;
	t->size += n * size;
	return t->size <= (uint64_t)FAR;
}

/* false: it reaches too far */
static bool measure(struct mpi_type *t, struct measured *m, const struct mpi_block *b,
		    uint64_t n)
{
	const struct mpi_type *c = b->child;
	struct bounds one = { 0 };

	if (!widen_all(&one, b->at + c->lb, b->at + c->ub, b->count, mpi_extent(c)) ||
	    !widen_all(&m->all, one.lo, one.hi, n, t->stride) ||
	    !measure_data(t, m, b, n))
		return false;
	if (c->bounded)
		widen_all(&m->set, one.lo, one.hi, n, t->stride);
	t->align = c->align > t->align ? c->align : t->align;
	t->sig = mpi_sig_join(t->sig, mpi_sig_repeat(mpi_sig_repeat(c->sig, b->count), n));
	return true;
}

/* MPI's epsilon: an extent that was not set is a multiple of the largest alignment */
static void settle_bounds(struct mpi_type *t, const struct measured *m)
{
	const struct bounds *b = m->set.any ? &m->set : &m->all;
	int64_t more;

	t->lb = b->lo;
	t->ub = b->hi;
	t->true_lb = m->data.lo;
	t->true_ub = m->data.hi;
	t->bounded = m->set.any;
	more = t->bounded || t->ub <= t->lb ? 0 : (t->ub - t->lb) % t->align;
	t->ub += more ? t->align - more : 0;
}

/*
 * What is in a type once, and is one block itself, is that block: arrays of many dimensions
 * are not deep. Bounds are settled before, to which such a type has its own.
 */
static void settle_depth(const struct mpi_maker *m)
{
	struct mpi_type *t = m->type;

	pe_enter();
	for (uint32_t i = 0; i < t->nr_blocks; i++) {
		struct mpi_block *b = &m->blocks[i];

		while (b->count == 1 && b->child->n == 1) {
			const struct mpi_type *given_up = b->child;
			int64_t at = b->at;

			*b = given_up->blocks[0];
			b->at += at;
			mpi_type_get(b->child);
			mpi_type_put(given_up);
		}
		t->depth = b->child->depth >= t->depth ? b->child->depth + 1 : t->depth;
	}
	pe_leave();
}

int mpi_make_end(struct mpi_maker *m, const struct mpi_type **type)
{
	struct measured measured = { 0 };
	struct mpi_type *t = m->type;
	bool loop;

	if (!t)
		return mpi_fail(m->call, MPI_ERR_NO_MEM,
				"MPI_ERR_NO_MEM: no memory for a datatype", 0);
	loop = t->kind == MPI_KIND_LOOP;
	if (!loop || !t->nr_blocks)
		t->n = t->nr_blocks;
	m->far |= t->n > (uint64_t)FAR;
	for (uint32_t i = 0; i < t->nr_blocks && !m->far; i++)
		m->far |= !measure(t, &measured, &t->blocks[i], loop ? t->n : 1);
	settle_bounds(t, &measured);
	settle_depth(m);
	if (m->far || t->depth > MAX_DEPTH) {
		mpi_make_drop(t);
		return mpi_fail(m->call, MPI_ERR_ARG,
				"MPI_ERR_ARG: the datatype is larger than any memory, or nested more than 10 deep",
				0);
	}
	*type = t;
	return MPI_SUCCESS;
}

void mpi_make_bounds(const struct mpi_type *type, int64_t lb, int64_t extent)
{
	struct mpi_type *t = (struct mpi_type *)(uintptr_t)type;

	t->lb = lb;
	t->ub = lb + extent;
	t->bounded = true;
}

void mpi_make_drop(const struct mpi_type *type)
{
	pe_enter();
	mpi_type_put(type);
	pe_leave();
}

int mpi_make_handle(int error, const struct mpi_type *made, MPI_Datatype *type)
{
	if (error)
		return error;
	((struct mpi_type *)(uintptr_t)made)->magic = MPI_TYPE_MAGIC;
	*type = made;
	return MPI_SUCCESS;
}

int mpi_check_made(const struct mpi_call *call, int count, const struct mpi_type *old,
		   const MPI_Datatype *type)
{
	if (!type)
		return mpi_fail(call, MPI_ERR_ARG, "MPI_ERR_ARG: type is NULL", 0);
	if (count < 0)
		return mpi_fail(call, MPI_ERR_COUNT, "MPI_ERR_COUNT: count is negative",
				(uint64_t)count);
	return old ? mpi_check_type(call, old) : MPI_SUCCESS;
}
