// SPDX-License-Identifier: MIT
/* Whether elements lie as they are sent, one byte after the other, and packing of others. */
#include <limits.h>
#include <stdlib.h>

#include "collectives/mpi/served.h"

/* what a type was made of */
struct recipe {
	int combiner;
	int n_ints, n_places, n_types;
	int *ints;
	MPI_Aint *places;
	MPI_Datatype *types;
};

static void forget_types(struct recipe *r)
{
	for (int i = 0; i < r->n_types; i++) {
		int ints, places, types, combiner = MPI_COMBINER_NAMED;

		PMPI_Type_get_envelope(r->types[i], &ints, &places, &types, &combiner);
		if (combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
		    combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER)
			PMPI_Type_free(&r->types[i]);
	}
	r->n_types = 0;
}

/* False: no memory for it, or MPI does not tell. */
static bool read_recipe(MPI_Datatype type, struct recipe *r)
{
	r->ints = calloc((size_t)r->n_ints + 1, sizeof(*r->ints));
	r->places = calloc((size_t)r->n_places + 1, sizeof(*r->places));
	r->types = calloc((size_t)r->n_types + 1, sizeof(*r->types));
	if (r->ints && r->places && r->types &&
	    PMPI_Type_get_contents(type, r->n_ints, r->n_places, r->n_types, r->ints, r->places,
				   r->types) == MPI_SUCCESS)
		return true;
	r->n_types = 0;
	return false;
}

/* The members of a struct, each where the one before it ends. */
static bool members_follow(const struct recipe *r)
{
	MPI_Aint end = 0;

	for (int i = 0; i < r->ints[0]; i++) {
		MPI_Count bytes = 0;

		PMPI_Type_size_x(r->types[i], &bytes);
		if (!r->ints[i + 1] || !bytes)
			continue;
		if (r->places[i] != end || !served_in_one_piece(r->ints[i + 1], r->types[i]))
			return false;
		end += (MPI_Aint)bytes * r->ints[i + 1];
	}
	return true;
}

/*
 * A type without gaps may still send its parts in another order than they lie in. Of what
 * programs make their types by, those that cannot or seldom do are looked into; the others
 * are packed.
 */
static bool in_order(MPI_Datatype type)
{
	struct recipe r = { 0 };
	bool follow = false;

	if (PMPI_Type_get_envelope(type, &r.n_ints, &r.n_places, &r.n_types, &r.combiner) !=
	    MPI_SUCCESS)
		return false;
	if (r.combiner == MPI_COMBINER_NAMED)
		return true;
	if (r.combiner != MPI_COMBINER_DUP && r.combiner != MPI_COMBINER_RESIZED &&
	    r.combiner != MPI_COMBINER_CONTIGUOUS && r.combiner != MPI_COMBINER_STRUCT)
		return false;
	if (read_recipe(type, &r)) {
		if (r.combiner == MPI_COMBINER_STRUCT)
			follow = members_follow(&r);
		else
			follow = served_in_one_piece(r.combiner == MPI_COMBINER_CONTIGUOUS ?
							     r.ints[0] : 1, r.types[0]);
	}
	forget_types(&r);
	free(r.ints);
	free(r.places);
	free(r.types);
	return follow;
}

bool served_in_one_piece(int count, MPI_Datatype type)
{
	MPI_Count bytes = 0, low = 0, extent = 0, true_low = 0, true_extent = 0;

	PMPI_Type_size_x(type, &bytes);
	PMPI_Type_get_extent_x(type, &low, &extent);
	PMPI_Type_get_true_extent_x(type, &true_low, &true_extent);
	return !true_low && true_extent == bytes && (count == 1 || extent == bytes) &&
	       in_order(type);
}

void *served_room(MPI_Count count, MPI_Datatype type)
{
	MPI_Count bytes = 0;

	PMPI_Type_size_x(type, &bytes);
	/* what MPI packs it counts in an int */
	return bytes > INT_MAX ? NULL : malloc((size_t)(count * bytes));
}

/* so many elements, by that count */
static int at_once(MPI_Count bytes)
{
	return bytes < 1 << 30 ? (1 << 30) / (int)bytes : 1;
}

/* Between elements and memory for all their bytes, whichever way. */
static void convert(char *buf, MPI_Count count, MPI_Datatype type, char *packed, MPI_Comm comm,
		    bool packs)
{
	MPI_Count bytes = 0, low, extent = 0;

	PMPI_Type_size_x(type, &bytes);
	PMPI_Type_get_extent_x(type, &low, &extent);
	for (MPI_Count i = 0; bytes && i < count; i += at_once(bytes)) {
		int n = count - i < at_once(bytes) ? (int)(count - i) : at_once(bytes), at = 0;
		char *some = buf + i * extent, *run = packed + i * bytes;

		if (packs)
			PMPI_Pack(some, n, type, run, n * (int)bytes, &at, comm);
		else
			PMPI_Unpack(run, n * (int)bytes, &at, some, n, type, comm);
	}
}

void served_pack(const void *buf, MPI_Count count, MPI_Datatype type, void *packed, MPI_Comm comm)
{
	convert((char *)(uintptr_t)buf, count, type, packed, comm, true);
}

void served_unpack(const void *packed, void *buf, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
	convert(buf, count, type, (char *)(uintptr_t)packed, comm, false);
}
