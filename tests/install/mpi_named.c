// SPDX-License-Identifier: MIT
/*
 * What pimtype_from_mpi() makes of the MPI library's named datatypes, of those with large
 * counts, of deep ones, what becomes of their references, and what it refuses.
 */
#include <pimdimm/mpi_types.h>

#include "tests/unit/unit.h"

struct known {
	MPI_Datatype mpi;
	unsigned int times;
	enum pimtype_basic element;
};

static void check_known(const struct known *known)
{
	struct pimtype_info info, want_info;
	struct pimtype *type, *wanted;
	MPI_Aint lb, extent;
	int size;

	assert_ok(pimtype_from_mpi(known->mpi, &type));
	assert_ok(pimtype_contiguous(known->times, pimtype_basic(known->element), &wanted));
	assert_ok(pimtype_info(type, &info));
	assert_ok(pimtype_info(wanted, &want_info));
	assert_int_equal(info.signature, want_info.signature);
	MPI_Type_size(known->mpi, &size);
	MPI_Type_get_extent(known->mpi, &lb, &extent);
	assert_int_equal(info.size, size);
	assert_int_equal(info.lb, lb);
	assert_int_equal(info.extent, extent);
	pimtype_free(type);
	pimtype_free(wanted);
}

static void named_of_c(void **state)
{
	const enum pimtype_basic l = sizeof(long) == 8 ? PIMTYPE_I64 : PIMTYPE_I32;
	const struct known known[] = {
		{ MPI_BYTE, 1, PIMTYPE_BYTE }, { MPI_PACKED, 1, PIMTYPE_PACKED },
		{ MPI_CHAR, 1, PIMTYPE_I8 }, { MPI_SIGNED_CHAR, 1, PIMTYPE_I8 },
		{ MPI_UNSIGNED_CHAR, 1, PIMTYPE_U8 }, { MPI_SHORT, 1, PIMTYPE_I16 },
		{ MPI_UNSIGNED_SHORT, 1, PIMTYPE_U16 }, { MPI_INT, 1, PIMTYPE_I32 },
		{ MPI_UNSIGNED, 1, PIMTYPE_U32 }, { MPI_LONG, 1, l },
		{ MPI_UNSIGNED_LONG, 1, sizeof(long) == 8 ? PIMTYPE_U64 : PIMTYPE_U32 },
		{ MPI_LONG_LONG, 1, PIMTYPE_I64 }, { MPI_LONG_LONG_INT, 1, PIMTYPE_I64 },
		{ MPI_UNSIGNED_LONG_LONG, 1, PIMTYPE_U64 },
		{ MPI_INT8_T, 1, PIMTYPE_I8 }, { MPI_INT16_T, 1, PIMTYPE_I16 },
		{ MPI_INT32_T, 1, PIMTYPE_I32 }, { MPI_INT64_T, 1, PIMTYPE_I64 },
		{ MPI_UINT8_T, 1, PIMTYPE_U8 }, { MPI_UINT16_T, 1, PIMTYPE_U16 },
		{ MPI_UINT32_T, 1, PIMTYPE_U32 }, { MPI_UINT64_T, 1, PIMTYPE_U64 },
		{ MPI_C_BOOL, 1, PIMTYPE_U8 },
		{ MPI_WCHAR, 1, WCHAR_MIN < 0 ? PIMTYPE_I32 : PIMTYPE_U32 },
		{ MPI_AINT, 1, l }, { MPI_OFFSET, 1, PIMTYPE_I64 },
		{ MPI_COUNT, 1, PIMTYPE_I64 }, { MPI_FLOAT, 1, PIMTYPE_F32 },
		{ MPI_DOUBLE, 1, PIMTYPE_F64 }, { MPI_LONG_DOUBLE, 1, PIMTYPE_LONG_DOUBLE },
		{ MPI_C_COMPLEX, 1, PIMTYPE_COMPLEX_F32 },
		{ MPI_C_FLOAT_COMPLEX, 1, PIMTYPE_COMPLEX_F32 },
		{ MPI_C_DOUBLE_COMPLEX, 1, PIMTYPE_COMPLEX_F64 },
		{ MPI_C_LONG_DOUBLE_COMPLEX, 1, PIMTYPE_COMPLEX_LONG_DOUBLE },
		{ MPI_2INT, 2, PIMTYPE_I32 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		check_known(&known[i]);
}

/* those that the MPI library has, whose sizes depend on the languages it was built for */
static void named_of_others(void **state)
{
	const struct known known[] = {
		{ MPI_CHARACTER, 1, PIMTYPE_I8 }, { MPI_LOGICAL, 1, PIMTYPE_I32 },
		{ MPI_INTEGER, 1, PIMTYPE_I32 }, { MPI_REAL, 1, PIMTYPE_F32 },
		{ MPI_DOUBLE_PRECISION, 1, PIMTYPE_F64 },
		{ MPI_COMPLEX, 1, PIMTYPE_COMPLEX_F32 },
		{ MPI_DOUBLE_COMPLEX, 1, PIMTYPE_COMPLEX_F64 },
		{ MPI_2INTEGER, 2, PIMTYPE_I32 }, { MPI_2REAL, 2, PIMTYPE_F32 },
		{ MPI_2DOUBLE_PRECISION, 2, PIMTYPE_F64 },
		{ MPI_INTEGER1, 1, PIMTYPE_I8 }, { MPI_INTEGER2, 1, PIMTYPE_I16 },
		{ MPI_INTEGER4, 1, PIMTYPE_I32 }, { MPI_INTEGER8, 1, PIMTYPE_I64 },
		{ MPI_REAL4, 1, PIMTYPE_F32 }, { MPI_REAL8, 1, PIMTYPE_F64 },
		{ MPI_COMPLEX8, 1, PIMTYPE_COMPLEX_F32 },
		{ MPI_COMPLEX16, 1, PIMTYPE_COMPLEX_F64 },
		{ MPI_CXX_BOOL, 1, PIMTYPE_U8 },
		{ MPI_CXX_FLOAT_COMPLEX, 1, PIMTYPE_COMPLEX_F32 },
		{ MPI_CXX_DOUBLE_COMPLEX, 1, PIMTYPE_COMPLEX_F64 },
		{ MPI_CXX_LONG_DOUBLE_COMPLEX, 1, PIMTYPE_COMPLEX_LONG_DOUBLE },
#ifdef MPI_INTEGER16
		{ MPI_INTEGER16, 16, PIMTYPE_BYTE },
#endif
#ifdef MPI_LOGICAL1
		{ MPI_LOGICAL1, 1, PIMTYPE_I8 }, { MPI_LOGICAL2, 1, PIMTYPE_I16 },
		{ MPI_LOGICAL4, 1, PIMTYPE_I32 }, { MPI_LOGICAL8, 1, PIMTYPE_I64 },
#endif
#ifdef MPI_2COMPLEX
		{ MPI_2COMPLEX, 2, PIMTYPE_COMPLEX_F32 },
		{ MPI_2DOUBLE_COMPLEX, 2, PIMTYPE_COMPLEX_F64 },
#endif
#ifdef MPIX_C_FLOAT16
		{ MPIX_C_FLOAT16, 1, PIMTYPE_F16 },
#endif
#if LDBL_MANT_DIG != 113
		{ MPI_REAL16, 16, PIMTYPE_BYTE }, { MPI_COMPLEX32, 32, PIMTYPE_BYTE },
#endif
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		int size = 0;

		if (known[i].mpi != MPI_DATATYPE_NULL)
			MPI_Type_size(known[i].mpi, &size);
		if (size > 0)
			check_known(&known[i]);
	}
}

static void by_digits(void **state)
{
	struct known known[] = {
		{ MPI_DATATYPE_NULL, 1, PIMTYPE_F32 }, { MPI_DATATYPE_NULL, 1, PIMTYPE_F64 },
		{ MPI_DATATYPE_NULL, 1, PIMTYPE_COMPLEX_F64 },
		{ MPI_DATATYPE_NULL, 1, PIMTYPE_I32 }, { MPI_DATATYPE_NULL, 1, PIMTYPE_I64 },
	};

	(void)state;
	MPI_Type_create_f90_real(6, 30, &known[0].mpi);
	MPI_Type_create_f90_real(15, MPI_UNDEFINED, &known[1].mpi);
	MPI_Type_create_f90_complex(14, 300, &known[2].mpi);
	MPI_Type_create_f90_integer(9, &known[3].mpi);
	MPI_Type_create_f90_integer(18, &known[4].mpi);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct known twice = known[i];

		check_known(&known[i]);
		/* it is a named one, and nobody's to free */
		MPI_Type_contiguous(2, known[i].mpi, &twice.mpi);
		twice.times = 2;
		check_known(&twice);
		MPI_Type_free(&twice.mpi);
		check_known(&known[i]);
	}
}

static void assert_type(MPI_Datatype mpi, const char *as)
{
	struct pimtype *type;
	char text[200];

	assert_ok(pimtype_from_mpi(mpi, &type));
	assert_true(pimtype_describe(type, text, sizeof(text)) > 0);
	assert_string_equal(text, as);
	pimtype_free(type);
	MPI_Type_free(&mpi);
}

#if MPI_VERSION >= 4
static void large_lists(void)
{
	const MPI_Count lengths[] = { 1, 2 }, displs[] = { 0, 3 }, bytes[] = { 0, 40 };
	const MPI_Datatype olds[] = { MPI_DOUBLE, MPI_INT };
	MPI_Datatype mpi;

	MPI_Type_indexed_c(2, lengths, displs, MPI_DOUBLE, &mpi);
	assert_type(mpi, "{0:[8], 24:[16]} lb 0 extent 40");
	MPI_Type_create_hindexed_c(2, lengths, bytes, MPI_DOUBLE, &mpi);
	assert_type(mpi, "{0:[8], 40:[16]} lb 0 extent 56");
	MPI_Type_create_indexed_block_c(2, 2, displs, MPI_DOUBLE, &mpi);
	assert_type(mpi, "2*24:[16] lb 0 extent 40");
	MPI_Type_create_hindexed_block_c(2, 2, bytes, MPI_DOUBLE, &mpi);
	assert_type(mpi, "2*40:[16] lb 0 extent 56");
	MPI_Type_create_struct_c(2, lengths, bytes, olds, &mpi);
	assert_type(mpi, "2*40:[8] lb 0 extent 48");
}

static void large_counts(void **state)
{
	const MPI_Count sizes[] = { 4, 5 }, sub[] = { 2, 3 }, starts[] = { 1, 1 };
	const int how[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK };
	const int dargs[] = { 1, MPI_DISTRIBUTE_DFLT_DARG }, grid[] = { 2, 1 };
	MPI_Datatype mpi;

	(void)state;
	MPI_Type_contiguous_c(3, MPI_INT, &mpi);
	assert_type(mpi, "[12] lb 0 extent 12");
	MPI_Type_contiguous_c((MPI_Count)1 << 33, MPI_BYTE, &mpi);
	assert_type(mpi, "[8589934592] lb 0 extent 8589934592");
	MPI_Type_vector_c(4, 1, 3, MPI_DOUBLE, &mpi);
	assert_type(mpi, "4*24:[8] lb 0 extent 80");
	MPI_Type_create_hvector_c(4, 1, 32, MPI_DOUBLE, &mpi);
	assert_type(mpi, "4*32:[8] lb 0 extent 104");
	MPI_Type_create_resized_c(MPI_INT, -4, 12, &mpi);
	assert_type(mpi, "[4] lb -4 extent 12");
	MPI_Type_create_subarray_c(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &mpi);
	assert_type(mpi, "+24 2*20:[12] lb 0 extent 80");
	MPI_Type_create_darray_c(2, 1, 2, sizes, how, dargs, grid, MPI_ORDER_C, MPI_INT,
				 &mpi);
	assert_type(mpi, "+20 2*40:[20] lb 0 extent 80");
	large_lists();
}
#endif

static int deleted;

static int count_deleted(MPI_Datatype mpi, int key, void *value, void *extra)
{
	(void)mpi, (void)key, (void)value, (void)extra;
	deleted++;
	return MPI_SUCCESS;
}

/* What MPI_Type_get_contents() gives is given back, and no more than that. */
static void references(void **state)
{
	MPI_Datatype old, pair, olds[2];
	const int lengths[] = { 1, 1 };
	const MPI_Aint displs[] = { 0, 16 };
	int key;

	(void)state;
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_deleted, &key, NULL);
	MPI_Type_vector(2, 1, 2, MPI_INT, &old);
	MPI_Type_set_attr(old, key, &key);
	olds[0] = olds[1] = old;
	MPI_Type_create_struct(2, lengths, displs, olds, &pair);
	MPI_Type_free(&old);
	for (int i = 0; i < 3; i++) {
		struct pimtype *type;

		assert_ok(pimtype_from_mpi(pair, &type));
		pimtype_free(type);
		assert_int_equal(deleted, 0);
	}
	MPI_Type_free(&pair);
	assert_int_equal(deleted, 1);
	MPI_Type_free_keyval(&key);
}

/* Members that only say where bounds are, in what MPI-1's programs make, and in what is made of it. */
static void bound_by_markers(void **state)
{
	(void)state;
#ifdef MPICH_VERSION
	{
		const int lengths[] = { 1, 1, 1 };
		const MPI_Aint displs[] = { -4, 8, 40 };
		const MPI_Datatype olds[] = { MPI_LB, MPI_DOUBLE, MPI_UB };
		MPI_Datatype mpi, two;

		MPI_Type_create_struct(3, lengths, displs, olds, &mpi);
		MPI_Type_contiguous(2, mpi, &two);
		assert_type(mpi, "+8 [8] lb -4 extent 44");
		assert_type(two, "+8 2*44:[8] lb -4 extent 88");
	}
#endif
}

#define LEVELS	30000

/* made of one another so often that recursion would leave its stack */
static void deep(void **state)
{
	MPI_Datatype mpi, outer;

	(void)state;
	MPI_Type_contiguous(3, MPI_INT, &mpi);
	for (int i = 0; i < LEVELS; i++) {
		MPI_Type_dup(mpi, &outer);
		MPI_Type_free(&mpi);
		mpi = outer;
	}
	assert_type(mpi, "[12] lb 0 extent 12");
}

/* the same of structures, which are one run however many there are */
static void deep_structures(void **state)
{
	const int lengths[] = { 1, 1 };
	const MPI_Aint displs[] = { 0, 4 };
	MPI_Datatype mpi, outer;

	(void)state;
	MPI_Type_dup(MPI_INT, &mpi);
	for (int i = 1; i < 1000; i++) {
		const MPI_Datatype olds[] = { MPI_INT, mpi };

		MPI_Type_create_struct(2, lengths, displs, olds, &outer);
		MPI_Type_free(&mpi);
		mpi = outer;
	}
	assert_type(mpi, "[4000] lb 0 extent 4000");
}

/*
 * Each of two of the one before: 2^40 ways to the innermost, which is met once where handles
 * tell that it is the same. Elsewhere it ends, too.
 */
static void shared(void **state)
{
	const int lengths[] = { 1, 0 };
	const MPI_Aint displs[] = { 0, 0 };
	MPI_Datatype mpi, outer;

	(void)state;
	MPI_Type_contiguous(3, MPI_INT, &mpi);
	for (int i = 0; i < 40; i++) {
		const MPI_Datatype olds[] = { mpi, mpi };

		MPI_Type_create_struct(2, lengths, displs, olds, &outer);
		MPI_Type_free(&mpi);
		mpi = outer;
	}
#ifdef MPICH_VERSION
	assert_type(mpi, "[12] lb 0 extent 12");
#else
	{
		struct pimtype *type;
		int ret = pimtype_from_mpi(mpi, &type);

		if (ret == -EINVAL)
			assert_non_null(strstr(pimdimm_errmsg(), "262144 datatypes"));
		else
			pimtype_free(type);
		assert_true(!ret || ret == -EINVAL);
		MPI_Type_free(&mpi);
	}
#endif
}

static void refused(void **state)
{
	struct pimtype_stats before_it, after_it;
	struct pimtype *type = (struct pimtype *)state;
	MPI_Datatype huge, more;

	assert_ok(pimtype_stats(&before_it));
	assert_refused(pimtype_from_mpi(MPI_DATATYPE_NULL, &type), EINVAL,
		       "mpi is MPI_DATATYPE_NULL");
	assert_null(type);
	assert_refused(pimtype_from_mpi(MPI_INT, NULL), EINVAL, "type is NULL");
	/* what the constructors refuse, with those that it is made of */
	type = (struct pimtype *)state;
	MPI_Type_create_resized(MPI_INT, 0, INT64_MAX / 2, &huge);
	MPI_Type_create_hvector(3, 1, INT64_MAX / 2, huge, &more);
	assert_refused(pimtype_from_mpi(more, &type), EINVAL, "2^63");
	MPI_Type_free(&huge);
	MPI_Type_free(&more);
	assert_null(type);
	assert_ok(pimtype_stats(&after_it));
	assert_int_equal(before_it.types, after_it.types);
}

static void outside_of_mpi(const char *word)
{
	struct pimtype *type;

	assert_refused(pimtype_from_mpi(MPI_INT, &type), EINVAL, word);
}

static int begin(void **state)
{
	(void)state;
	outside_of_mpi("MPI is not initialized");
	return MPI_Init(NULL, NULL);
}

static int end(void **state)
{
	int ret = MPI_Finalize();

	(void)state;
	outside_of_mpi("MPI is finalized");
	return ret;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_of_c),
		cmocka_unit_test(named_of_others),
		cmocka_unit_test(by_digits),
#if MPI_VERSION >= 4
		cmocka_unit_test(large_counts),
#endif
		cmocka_unit_test(references),
		cmocka_unit_test(bound_by_markers),
		cmocka_unit_test(deep),
		cmocka_unit_test(deep_structures),
		cmocka_unit_test(shared),
		cmocka_unit_test(refused),
	};

	unit_start();
	return cmocka_run_group_tests(tests, begin, end);
}
