// SPDX-License-Identifier: MIT
/* The constructors of datatypes but for arrays; commit, free, and questions. */
#include "make.h"

/* where handles go that were not initialised: there is nobody to ask */
static int check_old(const struct mpi_call *call, int count, MPI_Datatype old,
		     MPI_Datatype *type)
{
	int error = mpi_check_made(call, count, NULL, type);

	return error ? error : mpi_check_type(call, old);
}

static int make_loop(const struct mpi_call *call, int count, int blocklength,
		     int64_t stride, MPI_Datatype old, MPI_Datatype *type)
{
	const struct mpi_type *made = NULL;
	struct mpi_maker m;
	int error;

	if (blocklength < 0)
		return mpi_fail(call, MPI_ERR_ARG, "MPI_ERR_ARG: blocklength is negative",
				(uint64_t)blocklength);
	m = mpi_make_begin(call, MPI_KIND_LOOP, (uint64_t)count, stride);
	mpi_make_block(&m, 0, blocklength, old);
	error = mpi_make_end(&m, &made);
	return mpi_make_handle(error, made, type);
}

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_old(&call, count, old, type);

	return error ? error : make_loop(&call, 1, count, 0, old, type);
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype old,
		    MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_old(&call, count, old, type);

	return error ? error : make_loop(&call, count, blocklength,
					 (int64_t)stride * mpi_extent(old), old, type);
}

int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype old,
			    MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = check_old(&call, count, old, type);

	return error ? error : make_loop(&call, count, blocklength, stride, old, type);
}

/* lists of blocks: lengths in one array or all alike, places in elements or in bytes */
struct list {
	int count, blocklength;
	const int *blocklengths;
	const int *in_elements;
	const MPI_Aint *in_bytes;
	const MPI_Datatype *types;	/* NULL: all are `old` */
	MPI_Datatype old;
};

static int list_check(const struct mpi_call *call, const struct list *l)
{
	int error = MPI_SUCCESS;

	if (l->count && !(l->in_elements || l->in_bytes))
		return mpi_fail(call, MPI_ERR_ARG, "MPI_ERR_ARG: displacements is NULL", 0);
	if (l->count && !l->blocklengths && l->blocklength < 0)
		return mpi_fail(call, MPI_ERR_ARG, "MPI_ERR_ARG: blocklength is negative, or blocklengths is NULL",
				0);
	for (int i = 0; i < l->count && !error; i++) {
		if (l->blocklengths && l->blocklengths[i] < 0)
			return mpi_fail(call, MPI_ERR_ARG,
					"MPI_ERR_ARG: one of blocklengths is negative",
					(uint64_t)i);
		if (l->types)
			error = mpi_check_type(call, l->types[i]);
	}
	return error;
}

static int list_make(const struct mpi_call *call, const struct list *l, MPI_Datatype *type)
{
	int error = mpi_check_made(call, l->count, NULL, type);
	const struct mpi_type *made = NULL;
	struct mpi_maker m;

	if (!error && !l->types)
		error = mpi_check_type(call, l->old);
	if (!error)
		error = list_check(call, l);
	if (error)
		return error;
	m = mpi_make_begin(call, MPI_KIND_LIST, (uint64_t)l->count, 0);
	for (int i = 0; i < l->count; i++) {
		MPI_Datatype child = l->types ? l->types[i] : l->old;
		int64_t at = l->in_bytes ? l->in_bytes[i] :
					   l->in_elements[i] * mpi_extent(child);

		mpi_make_block(&m, at, l->blocklengths ? l->blocklengths[i] : l->blocklength,
			       child);
	}
	error = mpi_make_end(&m, &made);
	return mpi_make_handle(error, made, type);
}

int MPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
		     MPI_Datatype old, MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct list l = { .count = count, .blocklength = -1, .blocklengths = blocklengths,
			  .in_elements = displacements, .old = old };

	return list_make(&call, &l, type);
}

int MPI_Type_create_hindexed(int count, const int blocklengths[],
			     const MPI_Aint displacements[], MPI_Datatype old,
			     MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct list l = { .count = count, .blocklength = -1, .blocklengths = blocklengths,
			  .in_bytes = displacements, .old = old };

	return list_make(&call, &l, type);
}

int MPI_Type_create_indexed_block(int count, int blocklength, const int displacements[],
				  MPI_Datatype old, MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct list l = { .count = count, .blocklength = blocklength,
			  .in_elements = displacements, .old = old };

	return list_make(&call, &l, type);
}

int MPI_Type_create_hindexed_block(int count, int blocklength,
				   const MPI_Aint displacements[], MPI_Datatype old,
				   MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct list l = { .count = count, .blocklength = blocklength,
			  .in_bytes = displacements, .old = old };

	return list_make(&call, &l, type);
}

int MPI_Type_create_struct(int count, const int blocklengths[],
			   const MPI_Aint displacements[], const MPI_Datatype types[],
			   MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct list l = { .count = count, .blocklength = -1, .blocklengths = blocklengths,
			  .in_bytes = displacements, .types = types };

	if (count > 0 && !types)
		return mpi_fail(&call, MPI_ERR_ARG, "MPI_ERR_ARG: types is NULL", 0);
	if (count <= 0)
		l.old = MPI_BYTE;
	return list_make(&call, &l, type);
}

static int copy_of(const struct mpi_call *call, MPI_Datatype old, const struct mpi_type **made)
{
	struct mpi_maker m = mpi_make_begin(call, MPI_KIND_LIST, 1, 0);

	mpi_make_block(&m, 0, 1, old);
	return mpi_make_end(&m, made);
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent,
			    MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	const struct mpi_type *made = NULL;
	int error = check_old(&call, 0, old, type);

	if (error)
		return error;
	error = copy_of(&call, old, &made);
	if (!error)
		mpi_make_bounds(made, lb, extent);
	return mpi_make_handle(error, made, type);
}

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);
	const struct mpi_type *made = NULL;
	int error = check_old(&call, 0, old, type);

	if (error)
		return error;
	error = copy_of(&call, old, &made);
	if (!error && old->bounded)
		mpi_make_bounds(made, old->lb, mpi_extent(old));
	if (!error)
		((struct mpi_type *)(uintptr_t)made)->committed = old->committed;
	return mpi_make_handle(error, made, type);
}

static int commit(const struct mpi_call *call, MPI_Datatype *type)
{
	int error = mpi_check_made(call, 0, NULL, type);

	if (!error)
		error = mpi_check_type(call, *type);
	if (!error && !(*type)->committed)
		((struct mpi_type *)(uintptr_t)*type)->committed = true;
	return error;
}

static int free_type(const struct mpi_call *call, MPI_Datatype *type)
{
	int error = mpi_check_made(call, 0, NULL, type);

	if (!error)
		error = mpi_check_type(call, *type);
	if (error)
		return error;
	if ((uintptr_t)*type - PE_TEXT_BASE < PE_TEXT_MAX)
		return mpi_fail(call, MPI_ERR_TYPE,
				"MPI_ERR_TYPE: the datatype is predefined", (uintptr_t)*type);
	pe_enter();
	((struct mpi_type *)(uintptr_t)*type)->magic = 0;
	mpi_type_put(*type);
	pe_leave();
	*type = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);

	return commit(&call, type);
}

int MPI_Type_free(MPI_Datatype *type)
{
	struct mpi_call call = MPI_CALL(NULL);

	return free_type(&call, type);
}

int MPIX_Type_commit_comm(MPI_Datatype *type, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	return error ? error : commit(&call, type);
}

int MPIX_Type_free_comm(MPI_Datatype *type, MPI_Comm comm)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	return error ? error : free_type(&call, type);
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_type(&call, type);

	if (!error)
		*size = (int)type->size;
	return error;
}

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_type(&call, type);

	if (!error) {
		*lb = type->lb;
		*extent = mpi_extent(type);
	}
	return error;
}

int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_type(&call, type);

	if (!error) {
		*lb = type->true_lb;
		*extent = type->true_ub - type->true_lb;
	}
	return error;
}

int MPI_Get_address(const void *location, MPI_Aint *address)
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}
