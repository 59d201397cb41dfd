/* SPDX-License-Identifier: MIT */
/*
 * Derived datatypes of an MPI library, as those of <pimdimm/types.h>. It is for programs
 * that have MPI, of version 3.0 at least, and compiles with whichever library is theirs:
 * all of it is in this header, and libpimdimm needs no MPI.
 */
#ifndef PIMDIMM_MPI_TYPES_H
#define PIMDIMM_MPI_TYPES_H

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <mpi.h>

#include <pimdimm/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a named datatype has elements of; those of QUAD and WIDE no element stands for. */
enum pt_mpi_kind {
	PT_MPI_BYTE,
	PT_MPI_PACKED,
	PT_MPI_SIGNED,
	PT_MPI_UNSIGNED,
	PT_MPI_REAL,
	PT_MPI_COMPLEX,
	PT_MPI_QUAD,		/* REAL*16 */
	PT_MPI_QUAD_COMPLEX,
	PT_MPI_WIDE,		/* INTEGER*16 */
	PT_MPI_UNKNOWN,
};

/* so many elements in a row */
struct pt_mpi_named {
	MPI_Datatype mpi;
	enum pt_mpi_kind kind;
	int times;
};

static inline struct pt_mpi_named pt_mpi_among(MPI_Datatype mpi,
					       const struct pt_mpi_named named[],
					       size_t nr)
{
	struct pt_mpi_named none = { mpi, PT_MPI_UNKNOWN, 1 };
	size_t i;

	for (i = 0; i < nr; i++) {
		if (named[i].mpi == mpi)
			return named[i];
	}
	return none;
}

#define PT_MPI_AMONG(mpi, named) \
	pt_mpi_among(mpi, named, sizeof(named) / sizeof(*(named)))

static inline struct pt_mpi_named pt_mpi_named_c(MPI_Datatype mpi)
{
	const struct pt_mpi_named named[] = {
		{ MPI_BYTE, PT_MPI_BYTE, 1 },
		{ MPI_PACKED, PT_MPI_PACKED, 1 },
		{ MPI_CHAR, PT_MPI_SIGNED, 1 },
		{ MPI_SIGNED_CHAR, PT_MPI_SIGNED, 1 },
		{ MPI_SHORT, PT_MPI_SIGNED, 1 },
		{ MPI_INT, PT_MPI_SIGNED, 1 },
		{ MPI_LONG, PT_MPI_SIGNED, 1 },
		{ MPI_LONG_LONG_INT, PT_MPI_SIGNED, 1 },
		{ MPI_INT8_T, PT_MPI_SIGNED, 1 },
		{ MPI_INT16_T, PT_MPI_SIGNED, 1 },
		{ MPI_INT32_T, PT_MPI_SIGNED, 1 },
		{ MPI_INT64_T, PT_MPI_SIGNED, 1 },
		{ MPI_AINT, PT_MPI_SIGNED, 1 },
		{ MPI_OFFSET, PT_MPI_SIGNED, 1 },
		{ MPI_COUNT, PT_MPI_SIGNED, 1 },
		{ MPI_WCHAR, WCHAR_MIN < 0 ? PT_MPI_SIGNED : PT_MPI_UNSIGNED, 1 },
		{ MPI_UNSIGNED_CHAR, PT_MPI_UNSIGNED, 1 },
		{ MPI_UNSIGNED_SHORT, PT_MPI_UNSIGNED, 1 },
		{ MPI_UNSIGNED, PT_MPI_UNSIGNED, 1 },
		{ MPI_UNSIGNED_LONG, PT_MPI_UNSIGNED, 1 },
		{ MPI_UNSIGNED_LONG_LONG, PT_MPI_UNSIGNED, 1 },
		{ MPI_UINT8_T, PT_MPI_UNSIGNED, 1 },
		{ MPI_UINT16_T, PT_MPI_UNSIGNED, 1 },
		{ MPI_UINT32_T, PT_MPI_UNSIGNED, 1 },
		{ MPI_UINT64_T, PT_MPI_UNSIGNED, 1 },
		{ MPI_C_BOOL, PT_MPI_UNSIGNED, 1 },
		{ MPI_FLOAT, PT_MPI_REAL, 1 },
		{ MPI_DOUBLE, PT_MPI_REAL, 1 },
		{ MPI_LONG_DOUBLE, PT_MPI_REAL, 1 },
		{ MPI_C_FLOAT_COMPLEX, PT_MPI_COMPLEX, 1 },
		{ MPI_C_DOUBLE_COMPLEX, PT_MPI_COMPLEX, 1 },
		{ MPI_C_LONG_DOUBLE_COMPLEX, PT_MPI_COMPLEX, 1 },
#ifdef MPIX_C_FLOAT16
		{ MPIX_C_FLOAT16, PT_MPI_REAL, 1 },
#endif
#ifdef MPI_CXX_BOOL
		{ MPI_CXX_BOOL, PT_MPI_UNSIGNED, 1 },
#endif
#ifdef MPI_CXX_FLOAT_COMPLEX
		{ MPI_CXX_FLOAT_COMPLEX, PT_MPI_COMPLEX, 1 },
#endif
#ifdef MPI_CXX_DOUBLE_COMPLEX
		{ MPI_CXX_DOUBLE_COMPLEX, PT_MPI_COMPLEX, 1 },
#endif
#ifdef MPI_CXX_LONG_DOUBLE_COMPLEX
		{ MPI_CXX_LONG_DOUBLE_COMPLEX, PT_MPI_COMPLEX, 1 },
#endif
	};

	return PT_MPI_AMONG(mpi, named);
}

/* Fortran's; those that a library's compiler has not are null datatypes */
static inline struct pt_mpi_named pt_mpi_named_fortran(MPI_Datatype mpi)
{
	const struct pt_mpi_named named[] = {
		{ MPI_CHARACTER, PT_MPI_SIGNED, 1 },
		{ MPI_DOUBLE_PRECISION, PT_MPI_REAL, 1 },
		{ MPI_DOUBLE_COMPLEX, PT_MPI_COMPLEX, 1 },
		{ MPI_2INTEGER, PT_MPI_SIGNED, 2 },
		{ MPI_2REAL, PT_MPI_REAL, 2 },
		{ MPI_2DOUBLE_PRECISION, PT_MPI_REAL, 2 },
#ifdef MPI_2COMPLEX
		{ MPI_2COMPLEX, PT_MPI_COMPLEX, 2 },
#endif
#ifdef MPI_2DOUBLE_COMPLEX
		{ MPI_2DOUBLE_COMPLEX, PT_MPI_COMPLEX, 2 },
#endif
	};

	return PT_MPI_AMONG(mpi, named);
}

/* Fortran's of the usual size, and of one that is in their names */
static inline struct pt_mpi_named pt_mpi_named_sized(MPI_Datatype mpi)
{
	const struct pt_mpi_named named[] = {
		{ MPI_LOGICAL, PT_MPI_SIGNED, 1 },
		{ MPI_INTEGER, PT_MPI_SIGNED, 1 },
		{ MPI_REAL, PT_MPI_REAL, 1 },
		{ MPI_COMPLEX, PT_MPI_COMPLEX, 1 },
#ifdef MPI_LOGICAL1
		{ MPI_LOGICAL1, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_LOGICAL2
		{ MPI_LOGICAL2, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_LOGICAL4
		{ MPI_LOGICAL4, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_LOGICAL8
		{ MPI_LOGICAL8, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_INTEGER1
		{ MPI_INTEGER1, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_INTEGER2
		{ MPI_INTEGER2, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_INTEGER4
		{ MPI_INTEGER4, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_INTEGER8
		{ MPI_INTEGER8, PT_MPI_SIGNED, 1 },
#endif
#ifdef MPI_INTEGER16
		{ MPI_INTEGER16, PT_MPI_WIDE, 1 },
#endif
#ifdef MPI_REAL2
		{ MPI_REAL2, PT_MPI_REAL, 1 },
#endif
#ifdef MPI_REAL4
		{ MPI_REAL4, PT_MPI_REAL, 1 },
#endif
#ifdef MPI_REAL8
		{ MPI_REAL8, PT_MPI_REAL, 1 },
#endif
#ifdef MPI_REAL16
		{ MPI_REAL16, PT_MPI_QUAD, 1 },
#endif
#ifdef MPI_COMPLEX8
		{ MPI_COMPLEX8, PT_MPI_COMPLEX, 1 },
#endif
#ifdef MPI_COMPLEX16
		{ MPI_COMPLEX16, PT_MPI_COMPLEX, 1 },
#endif
#ifdef MPI_COMPLEX32
		{ MPI_COMPLEX32, PT_MPI_QUAD_COMPLEX, 1 },
#endif
	};

	return PT_MPI_AMONG(mpi, named);
}

/* -1: no element has this size */
static inline int pt_mpi_integer(int size, int is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? PIMTYPE_I8 : PIMTYPE_U8;
	case 2:
		return is_signed ? PIMTYPE_I16 : PIMTYPE_U16;
	case 4:
		return is_signed ? PIMTYPE_I32 : PIMTYPE_U32;
	case 8:
		return is_signed ? PIMTYPE_I64 : PIMTYPE_U64;
	default:
		return -1;
	}
}

static inline int pt_mpi_real(int size)
{
	switch (size) {
	case 2:
		return PIMTYPE_F16;
	case 4:
		return PIMTYPE_F32;
	case 8:
		return PIMTYPE_F64;
	default:
		return size == (int)sizeof(long double) ? PIMTYPE_LONG_DOUBLE : -1;
	}
}

static inline int pt_mpi_complex(int size)
{
	switch (size) {
	case 8:
		return PIMTYPE_COMPLEX_F32;
	case 16:
		return PIMTYPE_COMPLEX_F64;
	default:
		return size == 2 * (int)sizeof(long double) ?
		       PIMTYPE_COMPLEX_LONG_DOUBLE : -1;
	}
}

/* the element of this kind and size, or -1 */
static inline int pt_mpi_element(enum pt_mpi_kind kind, int size)
{
	switch (kind) {
	case PT_MPI_BYTE:
		return PIMTYPE_BYTE;
	case PT_MPI_PACKED:
		return PIMTYPE_PACKED;
	case PT_MPI_SIGNED:
		return pt_mpi_integer(size, 1);
	case PT_MPI_UNSIGNED:
		return pt_mpi_integer(size, 0);
	case PT_MPI_REAL:
		return pt_mpi_real(size);
	case PT_MPI_COMPLEX:
		return pt_mpi_complex(size);
	/* long double is as wide on x86, and is not the same there */
	case PT_MPI_QUAD:
		return LDBL_MANT_DIG == 113 ? PIMTYPE_LONG_DOUBLE : -1;
	case PT_MPI_QUAD_COMPLEX:
		return LDBL_MANT_DIG == 113 ? PIMTYPE_COMPLEX_LONG_DOUBLE : -1;
	default:
		return -1;
	}
}

/* A datatype, what it was made of, and the type that it has become. */
struct pt_mpi_node {
	MPI_Datatype mpi;
	int derived, combiner;
	int nr_ints, nr_types;
	int large;		/* made with large counts */
	int done;		/* so many of the types have become one */
	int64_t *numbers;	/* ints, then addresses or large counts */
	MPI_Datatype *types;
	const struct pimtype **olds;
	struct pimtype *type;
	struct pt_mpi_node *up;		/* the one that is made of this one */
	struct pt_mpi_node *before, *same_hash;
};

#define PT_MPI_HASHES	8192

/*
 * What uses a datatype twice has one handle of it in MPICH, and two in Open MPI, which makes
 * a new one each time it is asked: so datatypes may be more than memory holds.
 */
#define PT_MPI_MOST	(1 << 18)

/* All datatypes that one call has met: each is asked about once, however often it is used. */
struct pt_mpi_nodes {
	struct pt_mpi_node *last;
	int nr;
	struct pt_mpi_node *by_hash[PT_MPI_HASHES];
};

static inline int pt_mpi_failed(const char *function)
{
	return pimdimm_error(EINVAL, "mpi: %s() failed, expected a datatype that it knows",
			     function);
}

static inline int pt_mpi_no_memory(void)
{
	return pimdimm_error(ENOMEM, "no memory for a datatype of MPI");
}

static inline int pt_mpi_is_derived(int combiner)
{
	return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
	       combiner != MPI_COMBINER_F90_COMPLEX &&
	       combiner != MPI_COMBINER_F90_INTEGER;
}

static inline void pt_mpi_name(MPI_Datatype mpi, char name[MPI_MAX_OBJECT_NAME])
{
	int length;

	if (MPI_Type_get_name(mpi, name, &length))
		name[0] = '\0';
}

static inline int pt_mpi_no_element(MPI_Datatype mpi)
{
	char name[MPI_MAX_OBJECT_NAME];

	pt_mpi_name(mpi, name);
	return pimdimm_error(EINVAL, "mpi=%s, expected a datatype whose elements have a size",
			     name);
}

/* `times` of a size that no element has are bytes without a meaning */
static inline int pt_mpi_elements(MPI_Datatype mpi, enum pt_mpi_kind kind, int times,
				  struct pimtype **type)
{
	int size, which;

	if (MPI_Type_size(mpi, &size))
		return pt_mpi_failed("MPI_Type_size");
	if (kind == PT_MPI_UNKNOWN || size <= 0 || size % times)
		return pt_mpi_no_element(mpi);
	which = pt_mpi_element(kind, size / times);
	if (which < 0)
		return pimtype_contiguous((uint64_t)size, pimtype_basic(PIMTYPE_BYTE), type);
	return pimtype_contiguous((uint64_t)times, pimtype_basic((enum pimtype_basic)which),
				  type);
}

/* FLOAT_INT and its like: a value and an int behind it; 0 for another one */
static inline int pt_mpi_pair(MPI_Datatype mpi, struct pimtype **type)
{
	const struct {
		MPI_Datatype mpi;
		enum pimtype_basic value;
		size_t at;
	} pairs[] = {
#define PT_MPI_PAIR(mpi, value, c) \
	{ mpi, value, sizeof(c) > sizeof(int) ? sizeof(c) : sizeof(int) }
		PT_MPI_PAIR(MPI_FLOAT_INT, PIMTYPE_F32, float),
		PT_MPI_PAIR(MPI_DOUBLE_INT, PIMTYPE_F64, double),
		PT_MPI_PAIR(MPI_LONG_INT, sizeof(long) == 8 ? PIMTYPE_I64 : PIMTYPE_I32,
			    long),
		PT_MPI_PAIR(MPI_2INT, PIMTYPE_I32, int),
		PT_MPI_PAIR(MPI_SHORT_INT, PIMTYPE_I16, short),
		PT_MPI_PAIR(MPI_LONG_DOUBLE_INT, PIMTYPE_LONG_DOUBLE, long double),
#undef PT_MPI_PAIR
	};
	const uint64_t lengths[] = { 1, 1 };
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const struct pimtype *olds[2];
		int64_t at[2];

		if (mpi != pairs[i].mpi)
			continue;
		olds[0] = pimtype_basic(pairs[i].value);
		olds[1] = pimtype_basic(PIMTYPE_I32);
		at[0] = 0;
		at[1] = (int64_t)pairs[i].at;
		return pimtype_struct(2, lengths, at, olds, type);
	}
	return 0;
}

/*
 * What MPI-1 marked bounds with has no data. Headers need not have its name any more; a library
 * that still does tells the bounds of what is made with it.
 */
static inline int pt_mpi_is_marker(MPI_Datatype mpi)
{
	char name[MPI_MAX_OBJECT_NAME];

	pt_mpi_name(mpi, name);
	return !strcmp(name, "MPI_LB") || !strcmp(name, "MPI_UB");
}

static inline int pt_mpi_make_named(struct pt_mpi_node *node)
{
	struct pt_mpi_named named;
	int ret = pt_mpi_pair(node->mpi, &node->type);

	if (ret || node->type)
		return ret;
	named = pt_mpi_named_c(node->mpi);
	if (named.kind == PT_MPI_UNKNOWN)
		named = pt_mpi_named_fortran(node->mpi);
	if (named.kind == PT_MPI_UNKNOWN)
		named = pt_mpi_named_sized(node->mpi);
	if (named.kind == PT_MPI_UNKNOWN && pt_mpi_is_marker(node->mpi))
		return pimtype_contiguous(0, pimtype_basic(PIMTYPE_BYTE), &node->type);
	return pt_mpi_elements(node->mpi, named.kind, named.times, &node->type);
}

/* Fortran's, by digits and exponents: those of REAL*16 are more than long double has */
static inline int pt_mpi_make_f90(struct pt_mpi_node *node)
{
	int quad = node->nr_ints && node->numbers[0] != MPI_UNDEFINED &&
		   node->numbers[0] > LDBL_DIG;
	enum pt_mpi_kind kind = node->combiner == MPI_COMBINER_F90_INTEGER ? PT_MPI_SIGNED :
		node->combiner == MPI_COMBINER_F90_REAL ?
			(quad ? PT_MPI_QUAD : PT_MPI_REAL) :
			(quad ? PT_MPI_QUAD_COMPLEX : PT_MPI_COMPLEX);

	return pt_mpi_elements(node->mpi, kind, 1, &node->type);
}

static inline enum pimtype_order pt_mpi_order(int64_t order)
{
	return order == MPI_ORDER_C ? PIMTYPE_ORDER_C : PIMTYPE_ORDER_FORTRAN;
}

/* ndims, sizes, subsizes, starts, order; large counts come behind the order */
static inline int pt_mpi_make_subarray(struct pt_mpi_node *node)
{
	const int64_t *v = node->numbers;
	uint32_t n = (uint32_t)v[0];
	const uint64_t *sizes = (const uint64_t *)v + (node->large ? 2 : 1);

	return pimtype_subarray(n, sizes, sizes + n, sizes + 2 * (size_t)n,
				pt_mpi_order(v[node->large ? 1 : 1 + 3 * (size_t)n]),
				node->olds[0], &node->type);
}

static inline enum pimtype_distribution pt_mpi_distribution(int64_t how)
{
	return how == MPI_DISTRIBUTE_BLOCK ? PIMTYPE_DISTRIBUTE_BLOCK :
	       how == MPI_DISTRIBUTE_CYCLIC ? PIMTYPE_DISTRIBUTE_CYCLIC :
					      PIMTYPE_DISTRIBUTE_NONE;
}

/* size, rank, ndims, gsizes, distribs, dargs, psizes, order; large counts come last */
static inline int pt_mpi_make_darray(struct pt_mpi_node *node)
{
	const int64_t *v = node->numbers;
	uint32_t i, n = (uint32_t)v[2];
	const int64_t *gsizes = v + (node->large ? node->nr_ints : 3);
	const int64_t *how = v + 3 + (node->large ? 0 : n);
	enum pimtype_distribution distribs[PIMTYPE_MAX_DEPTH];
	uint64_t dargs[PIMTYPE_MAX_DEPTH];

	for (i = 0; i < n && i < PIMTYPE_MAX_DEPTH; i++) {
		distribs[i] = pt_mpi_distribution(how[i]);
		dargs[i] = how[n + i] == MPI_DISTRIBUTE_DFLT_DARG ?
			   PIMTYPE_DISTRIBUTE_DARG : (uint64_t)how[n + i];
	}
	return pimtype_darray((uint64_t)v[0], (uint64_t)v[1], n, (const uint64_t *)gsizes,
			      distribs, dargs, (const uint64_t *)how + 2 * (size_t)n,
			      pt_mpi_order(how[3 * (size_t)n]), node->olds[0], &node->type);
}

static inline int pt_mpi_unknown(int combiner)
{
	return pimdimm_error(EINVAL,
			     "mpi: combiner %d, expected one of MPI 3.0 to 4.0", combiner);
}

/* count, then lengths or the length of all, then places; in bytes they are addresses */
static inline int pt_mpi_make_list(struct pt_mpi_node *node)
{
	const int64_t *v = node->numbers;
	const uint64_t n = (uint64_t)v[0], *lengths = (const uint64_t *)v + 1;

	switch (node->combiner) {
	case MPI_COMBINER_INDEXED:
		return pimtype_indexed(n, lengths, v + 1 + n, node->olds[0], &node->type);
	case MPI_COMBINER_HINDEXED:
		return pimtype_hindexed(n, lengths, v + 1 + n, node->olds[0], &node->type);
	case MPI_COMBINER_INDEXED_BLOCK:
		return pimtype_indexed_block(n, lengths[0], v + 2, node->olds[0],
					     &node->type);
	case MPI_COMBINER_HINDEXED_BLOCK:
		return pimtype_hindexed_block(n, lengths[0], v + 2, node->olds[0],
					      &node->type);
	case MPI_COMBINER_STRUCT:
		return pimtype_struct(n, lengths, v + 1 + n, node->olds, &node->type);
	default:
		return pt_mpi_unknown(node->combiner);
	}
}

static inline int pt_mpi_make(struct pt_mpi_node *node)
{
	const int64_t *v = node->numbers;

	switch (node->combiner) {
	case MPI_COMBINER_NAMED:
		return pt_mpi_make_named(node);
	case MPI_COMBINER_F90_REAL:
	case MPI_COMBINER_F90_COMPLEX:
	case MPI_COMBINER_F90_INTEGER:
		return pt_mpi_make_f90(node);
	case MPI_COMBINER_DUP:
		return pimtype_dup(node->olds[0], &node->type);
	case MPI_COMBINER_CONTIGUOUS:
		return pimtype_contiguous((uint64_t)v[0], node->olds[0], &node->type);
	case MPI_COMBINER_VECTOR:
		return pimtype_vector((uint64_t)v[0], (uint64_t)v[1], v[2], node->olds[0],
				      &node->type);
	case MPI_COMBINER_HVECTOR:
		return pimtype_hvector((uint64_t)v[0], (uint64_t)v[1], v[2], node->olds[0],
				       &node->type);
	case MPI_COMBINER_RESIZED:
		return pimtype_resized(node->olds[0], v[0], v[1], &node->type);
	case MPI_COMBINER_SUBARRAY:
		return pt_mpi_make_subarray(node);
	case MPI_COMBINER_DARRAY:
		return pt_mpi_make_darray(node);
	default:
		return pt_mpi_make_list(node);
	}
}

/*
 * Bounds follow from how a datatype was made, by MPI's rules. But MPI libraries round extents,
 * and join bounds that are set with others, each in a way of its own, and memory is laid out
 * by what the program's library says.
 */
static inline int pt_mpi_follow(struct pt_mpi_node *node)
{
	struct pimtype_info info;
	struct pimtype *bound;
	MPI_Aint lb, extent;
	int ret = pimtype_info(node->type, &info);

	if (ret)
		return ret;
	if (MPI_Type_get_extent(node->mpi, &lb, &extent))
		return pt_mpi_failed("MPI_Type_get_extent");
	if (info.lb == lb && info.extent == extent)
		return 0;
	ret = pimtype_resized(node->type, lb, extent, &bound);
	if (ret)
		return ret;
	pimtype_free(node->type);
	node->type = bound;
	return 0;
}

static inline unsigned int pt_mpi_hash(MPI_Datatype mpi)
{
	const unsigned char *bytes = (const unsigned char *)&mpi;
	unsigned int hash = 2166136261u;
	size_t i;

	for (i = 0; i < sizeof(mpi); i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return (hash ^ hash >> 16) % PT_MPI_HASHES;
}

/* The handles of those that are met are held, and no other datatype gets them meanwhile. */
static inline struct pt_mpi_node *pt_mpi_find(const struct pt_mpi_nodes *nodes,
					      MPI_Datatype mpi)
{
	struct pt_mpi_node *node = nodes->by_hash[pt_mpi_hash(mpi)];

	while (node && node->mpi != mpi)
		node = node->same_hash;
	return node;
}

#if MPI_VERSION >= 4
/* Those made with large counts answer to these functions alone, others to these, too. */
static inline int pt_mpi_ask(struct pt_mpi_node *node, size_t nr[4])
{
	MPI_Count ints, addrs, counts, types;

	if (MPI_Type_get_envelope_c(node->mpi, &ints, &addrs, &counts, &types,
				    &node->combiner))
		return pt_mpi_failed("MPI_Type_get_envelope_c");
	nr[0] = (size_t)ints;
	nr[1] = (size_t)addrs;
	nr[2] = (size_t)counts;
	nr[3] = (size_t)types;
	return 0;
}

static inline int pt_mpi_tell(struct pt_mpi_node *node, const size_t nr[4], int ints[],
			      MPI_Aint addrs[], MPI_Count counts[])
{
	return MPI_Type_get_contents_c(node->mpi, (MPI_Count)nr[0], (MPI_Count)nr[1],
				       (MPI_Count)nr[2], (MPI_Count)nr[3], ints, addrs,
				       counts, node->types);
}
#else
static inline int pt_mpi_ask(struct pt_mpi_node *node, size_t nr[4])
{
	int ints, addrs, types;

	if (MPI_Type_get_envelope(node->mpi, &ints, &addrs, &types, &node->combiner))
		return pt_mpi_failed("MPI_Type_get_envelope");
	nr[0] = (size_t)ints;
	nr[1] = (size_t)addrs;
	nr[2] = 0;
	nr[3] = (size_t)types;
	return 0;
}

static inline int pt_mpi_tell(struct pt_mpi_node *node, const size_t nr[4], int ints[],
			      MPI_Aint addrs[], MPI_Count counts[])
{
	(void)counts;
	return MPI_Type_get_contents(node->mpi, (int)nr[0], (int)nr[1], (int)nr[3], ints,
				     addrs, node->types);
}
#endif

/* what a datatype was made with, as numbers of one size; its types are references of ours */
static inline int pt_mpi_contents(struct pt_mpi_node *node, const size_t nr[4])
{
	int *ints = (int *)calloc(nr[0] + 1, sizeof(*ints));
	MPI_Aint *addrs = (MPI_Aint *)calloc(nr[1] + 1, sizeof(*addrs));
	MPI_Count *counts = (MPI_Count *)calloc(nr[2] + 1, sizeof(*counts));
	size_t i;
	int ret = 0;

	if (!ints || !addrs || !counts)
		ret = pt_mpi_no_memory();
	else if (pt_mpi_tell(node, nr, ints, addrs, counts))
		ret = pt_mpi_failed("MPI_Type_get_contents");
	else
		node->nr_types = (int)nr[3];
	for (i = 0; !ret && i < nr[0]; i++)
		node->numbers[i] = ints[i];
	for (i = 0; !ret && i < nr[1]; i++)
		node->numbers[nr[0] + i] = addrs[i];
	for (i = 0; !ret && i < nr[2]; i++)
		node->numbers[nr[0] + nr[1] + i] = counts[i];
	free(ints);
	free(addrs);
	free(counts);
	return ret;
}

static inline int pt_mpi_learn(struct pt_mpi_node *node)
{
	size_t nr[4] = { 0, 0, 0, 0 };
	int ret = pt_mpi_ask(node, nr);

	if (ret)
		return ret;
	node->derived = node->derived && pt_mpi_is_derived(node->combiner);
	if (node->combiner == MPI_COMBINER_NAMED)
		return 0;
	node->nr_ints = (int)nr[0];
	node->large = nr[2] != 0;
	node->numbers = (int64_t *)calloc(nr[0] + nr[1] + nr[2] + 1,
					  sizeof(*node->numbers));
	node->types = (MPI_Datatype *)calloc(nr[3] + 1, sizeof(*node->types));
	node->olds = (const struct pimtype **)calloc(nr[3] + 1, sizeof(*node->olds));
	if (!node->numbers || !node->types || !node->olds)
		return pt_mpi_no_memory();
	return pt_mpi_contents(node, nr);
}

/* derived: the handle is a reference of ours, unless its datatype is a named one */
static inline struct pt_mpi_node *pt_mpi_meet(struct pt_mpi_nodes *nodes, MPI_Datatype mpi,
					      int derived)
{
	struct pt_mpi_node *node = (struct pt_mpi_node *)calloc(1, sizeof(*node));
	struct pt_mpi_node **same_hash = &nodes->by_hash[pt_mpi_hash(mpi)];

	if (!node)
		return NULL;
	node->mpi = mpi;
	node->derived = derived;
	node->before = nodes->last;
	nodes->last = node;
	nodes->nr++;
	node->same_hash = *same_hash;
	*same_hash = node;
	return node;
}

/* The next datatype that this one is made of: *node is then that, if it is a new one. */
static inline int pt_mpi_descend(struct pt_mpi_nodes *nodes, struct pt_mpi_node **node)
{
	struct pt_mpi_node *up = *node, *old;
	MPI_Datatype mpi = up->types[up->done];

	old = pt_mpi_find(nodes, mpi);
	if (old) {
		up->olds[up->done++] = old->type;
		if (old->derived)
			MPI_Type_free(&mpi);
		return 0;
	}
	if (nodes->nr == PT_MPI_MOST)
		return pimdimm_error(EINVAL,
				     "mpi is made of more than %d datatypes, expected so many at most",
				     PT_MPI_MOST);
	old = pt_mpi_meet(nodes, mpi, 1);
	if (!old)
		return pt_mpi_no_memory();
	up->done++;
	old->up = up;
	*node = old;
	return pt_mpi_learn(old);
}

/* From the leaves to the root, without recursion: how deep it goes is the datatype's. */
static inline int pt_mpi_make_all(struct pt_mpi_nodes *nodes, struct pt_mpi_node *root)
{
	struct pt_mpi_node *node = root;
	int ret = pt_mpi_learn(root);

	while (!ret && node) {
		if (node->done < node->nr_types) {
			ret = pt_mpi_descend(nodes, &node);
			continue;
		}
		ret = pt_mpi_make(node);
		if (!ret)
			ret = pt_mpi_follow(node);
		if (node->up)
			node->up->olds[node->up->done - 1] = node->type;
		node = node->up;
	}
	return ret;
}

/* A reference that no node has taken over. */
static inline void pt_mpi_drop(MPI_Datatype mpi)
{
	struct pt_mpi_node node = { mpi, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL,
				    NULL, NULL };
	size_t nr[4] = { 0, 0, 0, 0 };

	if (!pt_mpi_ask(&node, nr) && pt_mpi_is_derived(node.combiner))
		MPI_Type_free(&mpi);
}

static inline void pt_mpi_forget(struct pt_mpi_nodes *nodes)
{
	while (nodes->last) {
		struct pt_mpi_node *node = nodes->last;

		nodes->last = node->before;
		while (node->done < node->nr_types)
			pt_mpi_drop(node->types[node->done++]);
		if (node->derived)
			MPI_Type_free(&node->mpi);
		pimtype_free(node->type);
		free(node->numbers);
		free(node->types);
		free(node->olds);
		free(node);
	}
}

/* MPI ends the process that calls it too early, too late, or with a null datatype. */
static inline int pt_mpi_check(MPI_Datatype mpi, struct pimtype **type)
{
	int begun, ended;

	if (!type)
		return pimdimm_error(EINVAL, "type is NULL, expected where to put a type");
	if (MPI_Initialized(&begun) || MPI_Finalized(&ended) || !begun || ended)
		return pimdimm_error(EINVAL, "mpi: MPI is %s, expected it between MPI_Init() and MPI_Finalize()",
				     begun ? "finalized" : "not initialized");
	if (mpi == MPI_DATATYPE_NULL)
		return pimdimm_error(EINVAL, "mpi is MPI_DATATYPE_NULL, expected a datatype");
	return 0;
}

/**
 * pimtype_from_mpi() - a datatype of MPI, as one of <pimdimm/types.h>
 * @mpi: the datatype, which need not have been committed and stays the caller's
 * @type: the new type, the caller's to free; it lives on when @mpi is freed. NULL where the
 *        call fails
 *
 * All constructors are known, with large counts, too, and all named datatypes: of C, C++ and
 * Fortran, pairs for MPI_MAXLOC, and those by digits and exponents. Elements that no value of
 * enum pimtype_basic stands for, such as those of MPI_INTEGER16, become as many of
 * PIMTYPE_BYTE; logical ones become integers of their size. MPI-1's MPI_LB and MPI_UB, where the
 * library has them, have no data, and set the bounds of what they are members of. Datatypes may be made of each other
 * as deep as they like, and of 262144 in all; one that is used many times counts once where the
 * MPI library tells that it is the same, as MPICH does.
 *
 * Bounds are those that MPI_Type_get_extent() tells, where MPI libraries depart from the
 * standard, too: MPICH does not round extents of types with places in bytes, and both have
 * their own ways where some of a structure's members have bounds that were set.
 *
 * MPI must be initialized, so that the calling thread may call it. A handle that is no
 * datatype's, or of one that has been freed, is for MPI's error handler to tell.
 *
 * Return: 0 or a negative errno; -EINVAL for MPI_DATATYPE_NULL, where MPI is not initialized
 * or is finalized, for a named datatype whose elements the library does not have, and for
 * what the constructors of <pimdimm/types.h> refuse; -ENOMEM.
 */
static inline int pimtype_from_mpi(MPI_Datatype mpi, struct pimtype **type)
{
	struct pt_mpi_nodes *nodes;
	struct pt_mpi_node *root;
	int ret = pt_mpi_check(mpi, type);

	if (type)
		*type = NULL;
	if (ret)
		return ret;
	nodes = (struct pt_mpi_nodes *)calloc(1, sizeof(*nodes));
	root = nodes ? pt_mpi_meet(nodes, mpi, 0) : NULL;
	ret = root ? pt_mpi_make_all(nodes, root) : pt_mpi_no_memory();
	if (!ret) {
		*type = root->type;
		root->type = NULL;
	}
	if (nodes)
		pt_mpi_forget(nodes);
	free(nodes);
	return ret;
}

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_MPI_TYPES_H */
