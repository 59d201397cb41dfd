// SPDX-License-Identifier: MIT
/* Operations of reductions: the predefined ones, and functions of the program. */
#include "inside.h"

enum op_kind {
	OP_MAX, OP_MIN, OP_SUM, OP_PROD, OP_LAND, OP_BAND, OP_LOR, OP_BOR, OP_LXOR, OP_BXOR,
	OP_MINLOC, OP_MAXLOC, OP_USER,
};

#define MPI_OP_MAGIC	0x09e7a70eu

struct mpi_op {
	uint32_t magic;
	enum op_kind kind;
	MPI_User_function *function;
};

#define OP(name, number) \
	const struct mpi_op mpi_op_##name = { MPI_OP_MAGIC, OP_##number, NULL };
OP(max, MAX)
OP(min, MIN)
OP(sum, SUM)
OP(prod, PROD)
OP(land, LAND)
OP(band, BAND)
OP(lor, LOR)
OP(bor, BOR)
OP(lxor, LXOR)
OP(bxor, BXOR)
OP(minloc, MINLOC)
OP(maxloc, MAXLOC)

/* the classes of types that an operation serves, a bit each */
static uint32_t served(enum op_kind kind)
{
	switch (kind) {
	case OP_MAX:
	case OP_MIN:
		return 1u << MPI_CLASS_INTEGER | 1u << MPI_CLASS_FLOATING;
	case OP_SUM:
	case OP_PROD:
		return 1u << MPI_CLASS_INTEGER | 1u << MPI_CLASS_FLOATING |
		       1u << MPI_CLASS_COMPLEX;
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR:
		return 1u << MPI_CLASS_INTEGER | 1u << MPI_CLASS_LOGICAL;
	case OP_BAND:
	case OP_BOR:
	case OP_BXOR:
		return 1u << MPI_CLASS_INTEGER | 1u << MPI_CLASS_BITS;
	case OP_MINLOC:
	case OP_MAXLOC:
		return 1u << MPI_CLASS_PAIR;
	default:
		return UINT32_MAX;
	}
}

#define EACH(T, expression)						\
	for (int i = 0; i < n; i++) {					\
		T x = ((const T *)in)[i], y = ((T *)inout)[i];		\
		((T *)inout)[i] = (T)(expression);			\
	}								\
	break;

/* sums and products of integers wrap */
#define ORDERED(T, W)							\
	switch (kind) {							\
	case OP_MAX: EACH(T, x > y ? x : y)				\
	case OP_MIN: EACH(T, x < y ? x : y)				\
	case OP_SUM: EACH(T, (W)x + (W)y)				\
	case OP_PROD: EACH(T, (W)x * (W)y)

#define FOLD_FLOAT(name, T)						\
	static void fold_##name(enum op_kind kind, const void *in, void *inout, int n) \
	{								\
		ORDERED(T, T)						\
		default: break;						\
		}							\
	}

#define FOLD_INTEGER(name, T, W)					\
	static void fold_##name(enum op_kind kind, const void *in, void *inout, int n) \
	{								\
		ORDERED(T, W)						\
		case OP_LAND: EACH(T, x && y)				\
		case OP_BAND: EACH(T, x & y)				\
		case OP_LOR: EACH(T, x || y)				\
		case OP_BOR: EACH(T, x | y)				\
		case OP_LXOR: EACH(T, !x != !y)				\
		case OP_BXOR: EACH(T, x ^ y)				\
		default: break;						\
		}							\
	}

FOLD_INTEGER(i8, int8_t, uint32_t)
FOLD_INTEGER(i16, int16_t, uint32_t)
FOLD_INTEGER(i32, int32_t, uint32_t)
FOLD_INTEGER(i64, int64_t, uint64_t)
FOLD_INTEGER(u8, uint8_t, uint32_t)
FOLD_INTEGER(u16, uint16_t, uint32_t)
FOLD_INTEGER(u32, uint32_t, uint32_t)
FOLD_INTEGER(u64, uint64_t, uint64_t)
FOLD_FLOAT(f32, float)
FOLD_FLOAT(f64, double)

#define FOLD_COMPLEX(name, T)						\
	static void complex_##name(enum op_kind kind, const void *in, void *inout, int n) \
	{								\
		switch (kind) {						\
		case OP_SUM: EACH(T _Complex, x + y)			\
		case OP_PROD: EACH(T _Complex, x * y)			\
		default: break;						\
		}							\
	}

FOLD_COMPLEX(f32, float)
FOLD_COMPLEX(f64, double)

/* of equal values the one of the lower place */
#define FOLD_PAIR(name, T)						\
	static void pair_##name(enum op_kind kind, const void *in, void *inout, int n) \
	{								\
		struct pair { T a; int b; };				\
		const struct pair *x = in;				\
		struct pair *y = inout;					\
									\
		for (int i = 0; i < n; i++, x++, y++) {			\
			if (x->a == y->a) {				\
				y->b = x->b < y->b ? x->b : y->b;	\
			} else if ((x->a < y->a) == (kind == OP_MINLOC)) { \
				y->a = x->a;				\
				y->b = x->b;				\
			}						\
		}							\
	}

FOLD_PAIR(f32, float)
FOLD_PAIR(f64, double)

/* one of 113 bits is software's, which PEs have none of: it is sent, and not computed with */
#if __LDBL_MANT_DIG__ <= 64
#define HAS_LONG	true
FOLD_FLOAT(flong, long double)
FOLD_COMPLEX(flong, long double)
FOLD_PAIR(flong, long double)
#else
#define HAS_LONG	false
#define fold_flong	NULL
#define complex_flong	NULL
#define pair_flong	NULL
#endif
FOLD_PAIR(i64, long)
FOLD_PAIR(i32, int)
FOLD_PAIR(i16, short)

int mpi_check_op(const struct mpi_call *call, const struct mpi_op *op,
		 const struct mpi_type *type)
{
	if (!mpi_may_be(op) || op->magic != MPI_OP_MAGIC)
		return mpi_fail(call, MPI_ERR_OP,
				op ? "MPI_ERR_OP: the operation was freed, or is none" :
				     "MPI_ERR_OP: the operation is MPI_OP_NULL", (uintptr_t)op);
	if (op->kind != OP_USER && (!(served(op->kind) & 1u << type->class) ||
				    (type->scalar == MPI_FLONG && !HAS_LONG)))
		return mpi_fail(call, MPI_ERR_OP,
				"MPI_ERR_OP: the operation does not serve the datatype",
				(uintptr_t)op);
	return MPI_SUCCESS;
}

typedef void fold_function(enum op_kind kind, const void *in, void *inout, int n);

static fold_function *const folds[] = {
	[MPI_I8] = fold_i8, [MPI_I16] = fold_i16, [MPI_I32] = fold_i32, [MPI_I64] = fold_i64,
	[MPI_U8] = fold_u8, [MPI_U16] = fold_u16, [MPI_U32] = fold_u32, [MPI_U64] = fold_u64,
	[MPI_F32] = fold_f32, [MPI_F64] = fold_f64, [MPI_FLONG] = fold_flong,
};

static fold_function *const complexes[] = {
	[MPI_F32] = complex_f32, [MPI_F64] = complex_f64, [MPI_FLONG] = complex_flong,
};

static fold_function *const pairs[] = {
	[MPI_I16] = pair_i16, [MPI_I32] = pair_i32, [MPI_I64] = pair_i64,
	[MPI_F32] = pair_f32, [MPI_F64] = pair_f64, [MPI_FLONG] = pair_flong,
};

static fold_function *const *folds_of(enum mpi_class class)
{
	return class == MPI_CLASS_PAIR ? pairs :
	       class == MPI_CLASS_COMPLEX ? complexes : folds;
}

void mpi_op_apply(const struct mpi_op *op, void *in, void *inout, int count,
		  MPI_Datatype type)
{
	if (op->kind == OP_USER)
		op->function(in, inout, &count, &type);
	else
		folds_of(type->class)[type->scalar](op->kind, in, inout, count);
}

int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op)
{
	struct mpi_call call = MPI_CALL(NULL);
	struct mpi_op *new;

	(void)commute;	/* all are folded in the order of ranks */
	if (!function || !op)
		return mpi_fail(&call, MPI_ERR_ARG, "MPI_ERR_ARG: function or op is NULL", 0);
	pe_enter();
	new = mpi_alloc(sizeof(*new));
	pe_leave();
	if (!new)
		return mpi_fail(&call, MPI_ERR_NO_MEM,
				"MPI_ERR_NO_MEM: no memory for an operation", 0);
	*new = (struct mpi_op){ MPI_OP_MAGIC, OP_USER, function };
	*op = new;
	return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op *op)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = op ? mpi_check_op(&call, *op, MPI_INT) : MPI_ERR_ARG;
	struct mpi_op *o;

	if (error)
		return error;
	if ((*op)->kind != OP_USER)
		return mpi_fail(&call, MPI_ERR_OP, "MPI_ERR_OP: the operation is predefined",
				(uintptr_t)*op);
	o = (struct mpi_op *)(uintptr_t)*op;
	o->magic = 0;
	pe_enter();
	mpi_free(o, sizeof(*o));
	pe_leave();
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}
