// SPDX-License-Identifier: MIT
/* Datatypes of parts of arrays: loops around loops, from the fastest dimension on. */
#include "make.h"

/* n of `inner`, which is given up, a stride apart and `at` bytes on */
static int loop_around(const struct mpi_call *call, const struct mpi_type **inner,
		       int64_t n, int64_t at, int64_t stride)
{
	struct mpi_maker m = mpi_make_begin(call, MPI_KIND_LOOP, (uint64_t)n, stride);
	const struct mpi_type *old = *inner;
	int error;

	mpi_make_block(&m, at, 1, old);
	error = mpi_make_end(&m, inner);
	mpi_make_drop(old);
	if (error)
		*inner = NULL;
	return error;
}

static const struct mpi_type *keep(const struct mpi_type *type)
{
	pe_enter();
	mpi_type_get(type);
	pe_leave();
	return type;
}

/* the fastest dimension is the last one in C */
static int dimension(int k, int ndims, int order)
{
	return order == MPI_ORDER_C ? ndims - 1 - k : k;
}

static int check_arrays(const struct mpi_call *call, int ndims, int order, bool all)
{
	if (ndims < 1 || !all)
		return mpi_fail(call, MPI_ERR_ARG,
				"MPI_ERR_ARG: ndims is below 1, or an array is NULL",
				(uint64_t)ndims);
	if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
		return mpi_fail(call, MPI_ERR_ARG,
				"MPI_ERR_ARG: order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN",
				(uint64_t)order);
	return MPI_SUCCESS;
}

static int check_subarray(const struct mpi_call *call, int ndims, const int sizes[],
			  const int subsizes[], const int starts[])
{
	for (int i = 0; i < ndims; i++) {
		if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] ||
		    starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
			return mpi_fail(call, MPI_ERR_ARG,
					"MPI_ERR_ARG: a part of the array is not within it",
					(uint64_t)i);
	}
	return MPI_SUCCESS;
}

int MPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[],
			     const int starts[], int order, MPI_Datatype old,
			     MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_made(&call, 0, NULL, type);
	const struct mpi_type *made;
	int64_t stride;

	if (!error)
		error = mpi_check_type(&call, old);
	if (!error)
		error = check_arrays(&call, ndims, order, sizes && subsizes && starts);
	if (!error)
		error = check_subarray(&call, ndims, sizes, subsizes, starts);
	if (error)
		return error;
	made = keep(old);
	stride = mpi_extent(old);
	for (int k = 0; k < ndims && !error; k++) {
		int d = dimension(k, ndims, order);

		error = loop_around(&call, &made, subsizes[d], starts[d] * stride, stride);
		/* what is too large ends the loop before it is larger than 64 bits */
		stride *= sizes[d];
	}
	if (!error)
		mpi_make_bounds(made, 0, stride);
	return mpi_make_handle(error, made, type);
}

/* a dimension of a distributed array: blocks of `block`, each `step` after the last */
struct share {
	int64_t block, step, first, size;
};

/* of a whole dimension, those elements that are in this rank's blocks */
static int share_dimension(const struct mpi_call *call, const struct mpi_type **inner,
			   const struct share *s, int64_t stride)
{
	int64_t left = s->size - s->first, full = 0, rest = 0;
	const struct mpi_type *whole = NULL, *part = NULL;
	struct mpi_maker m;
	int error = MPI_SUCCESS;

	if (left > 0) {
		full = left / s->step + (left % s->step >= s->block);
		rest = left % s->step < s->block ? left % s->step : 0;
	}
	whole = keep(*inner);
	error = loop_around(call, &whole, full ? s->block : 0, 0, stride);
	if (!error)
		error = loop_around(call, &whole, full, s->first * stride, s->step * stride);
	if (!error) {
		part = keep(*inner);
		error = loop_around(call, &part, rest, (s->first + full * s->step) * stride,
				    stride);
	}
	mpi_make_drop(*inner);
	*inner = NULL;
	if (!error) {
		m = mpi_make_begin(call, MPI_KIND_LIST, 2, 0);
		mpi_make_block(&m, 0, 1, whole);
		mpi_make_block(&m, 0, 1, part);
		error = mpi_make_end(&m, inner);
	}
	if (whole)
		mpi_make_drop(whole);
	if (part)
		mpi_make_drop(part);
	return error;
}

static int share_of(const struct mpi_call *call, struct share *s, int gsize, int distrib,
		    int darg, int psize, int coord)
{
	int64_t even = ((int64_t)gsize + psize - 1) / psize;
	bool bad = gsize < 1 || psize < 1;

	*s = (struct share){ .size = gsize };
	switch (distrib) {
	case MPI_DISTRIBUTE_NONE:
		bad |= psize != 1;
		s->block = gsize;
		break;
	case MPI_DISTRIBUTE_BLOCK:
		s->block = darg == MPI_DISTRIBUTE_DFLT_DARG ? even : darg;
		bad |= s->block < 1 || s->block * psize < gsize;
		break;
	case MPI_DISTRIBUTE_CYCLIC:
		s->block = darg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : darg;
		bad |= s->block < 1;
		break;
	default:
		bad = true;
	}
	s->step = s->block * psize;
	s->first = s->block * coord;
	if (bad)
		return mpi_fail(call, MPI_ERR_ARG,
				"MPI_ERR_ARG: no such distribution of a dimension", 0);
	return MPI_SUCCESS;
}

static int check_grid(const struct mpi_call *call, int size, int rank, int ndims,
		      const int psizes[])
{
	int64_t all = 1;

	for (int i = 0; i < ndims && all <= size; i++)
		all *= psizes[i] > 0 ? psizes[i] : INT32_MAX;
	if (all != size || rank < 0 || rank >= size)
		return mpi_fail(call, MPI_ERR_ARG,
				"MPI_ERR_ARG: size is not the product of psizes, or rank is not below it",
				(uint64_t)size);
	return MPI_SUCCESS;
}

/* coordinates are in C's order, whatever the array's */
static int coordinate(int rank, int d, int ndims, const int psizes[])
{
	for (int i = ndims - 1; i > d; i--)
		rank /= psizes[i];
	return rank % psizes[d];
}

int MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[],
			   const int distribs[], const int dargs[], const int psizes[],
			   int order, MPI_Datatype old, MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_made(&call, 0, NULL, type);
	const struct mpi_type *made;
	struct share share;
	int64_t stride;

	if (!error)
		error = mpi_check_type(&call, old);
	if (!error)
		error = check_arrays(&call, ndims, order,
				     gsizes && distribs && dargs && psizes);
	if (!error)
		error = check_grid(&call, size, rank, ndims, psizes);
	if (error)
		return error;
	made = keep(old);
	stride = mpi_extent(old);
	for (int k = 0; k < ndims && !error; k++) {
		int d = dimension(k, ndims, order);

		error = share_of(&call, &share, gsizes[d], distribs[d], dargs[d], psizes[d],
				 coordinate(rank, d, ndims, psizes));
		if (error)
			mpi_make_drop(made);
		else
			error = share_dimension(&call, &made, &share, stride);
		stride *= gsizes[d];
	}
	if (!error)
		mpi_make_bounds(made, 0, stride);
	return mpi_make_handle(error, made, type);
}
