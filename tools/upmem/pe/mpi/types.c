// SPDX-License-Identifier: MIT
/* Datatypes: the predefined ones, their users, and signatures. */
#include "inside.h"

#define BASE	UINT64_C(0x9e3779b97f4a7c15)

/* elements of one representation agree, whatever they are called */
#define ELEMENT(class, scalar) (UINT64_C(0x2545f4914f6cdd1d) * (1 + 16 * (class) + (scalar)))

#define BASIC(name, c, kind_of, scalar_of)					\
	const struct mpi_type mpi_type_##name = {				\
		.magic = MPI_TYPE_MAGIC,					\
		.kind = MPI_KIND_BASIC,						\
		.class = MPI_CLASS_##kind_of,					\
		.scalar = (scalar_of),						\
		.committed = true,						\
		.dense = true,							\
		.apart = MPI_APART_YES,						\
		.align = _Alignof(c),						\
		.size = sizeof(c),						\
		.ub = sizeof(c),						\
		.true_ub = sizeof(c),						\
		.sig = { .element = ELEMENT(MPI_CLASS_##kind_of, scalar_of),	\
			 .nr = 1,						\
			 .packed = MPI_CLASS_##kind_of == MPI_CLASS_NONE },	\
	};

BASIC(byte, uint8_t, BITS, MPI_U8)
BASIC(packed, uint8_t, NONE, MPI_U8)
BASIC(char, char, INTEGER, MPI_I8)
BASIC(signed_char, signed char, INTEGER, MPI_I8)
BASIC(unsigned_char, unsigned char, INTEGER, MPI_U8)
BASIC(short, short, INTEGER, MPI_I16)
BASIC(unsigned_short, unsigned short, INTEGER, MPI_U16)
BASIC(int, int, INTEGER, MPI_I32)
BASIC(unsigned, unsigned int, INTEGER, MPI_U32)
BASIC(long, long, INTEGER, MPI_I64)
BASIC(unsigned_long, unsigned long, INTEGER, MPI_U64)
BASIC(long_long, long long, INTEGER, MPI_I64)
BASIC(unsigned_long_long, unsigned long long, INTEGER, MPI_U64)
BASIC(int8_t, int8_t, INTEGER, MPI_I8)
BASIC(int16_t, int16_t, INTEGER, MPI_I16)
BASIC(int32_t, int32_t, INTEGER, MPI_I32)
BASIC(int64_t, int64_t, INTEGER, MPI_I64)
BASIC(uint8_t, uint8_t, INTEGER, MPI_U8)
BASIC(uint16_t, uint16_t, INTEGER, MPI_U16)
BASIC(uint32_t, uint32_t, INTEGER, MPI_U32)
BASIC(uint64_t, uint64_t, INTEGER, MPI_U64)
BASIC(c_bool, _Bool, LOGICAL, MPI_U8)
BASIC(aint, MPI_Aint, INTEGER, MPI_I64)
BASIC(count, MPI_Count, INTEGER, MPI_I64)
BASIC(float, float, FLOATING, MPI_F32)
BASIC(double, double, FLOATING, MPI_F64)
BASIC(long_double, long double, FLOATING, MPI_FLONG)
BASIC(c_float_complex, float _Complex, COMPLEX, MPI_F32)
BASIC(c_double_complex, double _Complex, COMPLEX, MPI_F64)
BASIC(c_long_double_complex, long double _Complex, COMPLEX, MPI_FLONG)

#define ELEMENT_OF(c)							\
	_Generic((c)0, float: ELEMENT(MPI_CLASS_FLOATING, MPI_F32),	\
		 double: ELEMENT(MPI_CLASS_FLOATING, MPI_F64),		\
		 long double: ELEMENT(MPI_CLASS_FLOATING, MPI_FLONG),	\
		 long: ELEMENT(MPI_CLASS_INTEGER, MPI_I64),		\
		 int: ELEMENT(MPI_CLASS_INTEGER, MPI_I32),		\
		 short: ELEMENT(MPI_CLASS_INTEGER, MPI_I16))

/* a value and an int behind it; what is between them is no data */
#define PAIR(name, c, value, scalar_of)						\
	struct pair_##name { c a; int b; };					\
	static const struct mpi_block blocks_##name[] = {			\
		{ 0, 1, &mpi_type_##value },					\
		{ offsetof(struct pair_##name, b), 1, &mpi_type_int },		\
	};									\
	const struct mpi_type mpi_type_##name = {				\
		.magic = MPI_TYPE_MAGIC,					\
		.kind = MPI_KIND_LIST,						\
		.class = MPI_CLASS_PAIR,					\
		.scalar = (scalar_of),						\
		.depth = 1,							\
		.committed = true,						\
		.dense = offsetof(struct pair_##name, b) == sizeof(c),		\
		.apart = MPI_APART_YES,						\
		.align = _Alignof(struct pair_##name),				\
		.size = sizeof(c) + sizeof(int),				\
		.ub = sizeof(struct pair_##name),				\
		.true_ub = offsetof(struct pair_##name, b) + sizeof(int),	\
		.sig = { ELEMENT_OF(c) == ELEMENT_OF(int) ? ELEMENT_OF(int) : 0,	\
			 ELEMENT_OF(c) * BASE + ELEMENT_OF(int), BASE * BASE, 2, false }, \
		.n = 2,								\
		.nr_blocks = 2,							\
		.blocks = blocks_##name,					\
	};

PAIR(float_int, float, float, MPI_F32)
PAIR(double_int, double, double, MPI_F64)
PAIR(long_int, long, long, MPI_I64)
PAIR(2int, int, int, MPI_I32)
PAIR(short_int, short, short, MPI_I16)
PAIR(long_double_int, long double, long_double, MPI_FLONG)

/* those of the library never change, and are nobody's to free */
static bool is_made(const struct mpi_type *type)
{
	return (uintptr_t)type - PE_TEXT_BASE >= PE_TEXT_MAX;
}

const struct mpi_type *mpi_type_get(const struct mpi_type *type)
{
	if (is_made(type))
		((struct mpi_type *)(uintptr_t)type)->users++;
	return type;
}

void mpi_type_put(const struct mpi_type *type)
{
	struct mpi_type *t = (struct mpi_type *)(uintptr_t)type;

	if (!is_made(type) || --t->users)
		return;
	for (uint32_t i = 0; i < t->nr_blocks; i++)
		mpi_type_put(t->blocks[i].child);
	t->magic = 0;
	/* the blocks lie behind it */
	mpi_free(t, (uint32_t)(sizeof(*t) + sizeof(*t->blocks) * t->room));
}

static struct mpi_sig polynomial_join(struct mpi_sig a, struct mpi_sig b)
{
	return (struct mpi_sig){
		.sum = a.sum * b.power + b.sum,
		.power = a.power * b.power,
		.nr = a.nr + b.nr,
		.packed = a.packed || b.packed,
	};
}

static struct mpi_sig polynomial_repeat(struct mpi_sig sig, uint64_t n)
{
	struct mpi_sig all = { .power = 1 };

	for (; n; n >>= 1) {
		if (n & 1)
			all = polynomial_join(all, sig);
		if (n > 1)
			sig = polynomial_join(sig, sig);
	}
	return all;
}

static struct mpi_sig polynomial_of(struct mpi_sig sig)
{
	struct mpi_sig one = { .sum = sig.element, .power = BASE, .nr = 1,
			       .packed = sig.packed };

	return sig.element ? polynomial_repeat(one, sig.nr) : sig;
}

struct mpi_sig mpi_sig_join(struct mpi_sig a, struct mpi_sig b)
{
	if (!a.nr || !b.nr)
		return a.nr ? a : b;
	if (!a.element || a.element != b.element)
		return polynomial_join(polynomial_of(a), polynomial_of(b));
	a.nr += b.nr;
	return a;
}

__attribute__((noinline))
uint32_t mpi_product(uint32_t a, uint32_t b)
{
	return a * b;
}

/* there are no more elements than bytes, of which a type has fewer than 2^32 */
struct mpi_sig mpi_sig_repeat(struct mpi_sig sig, uint64_t n)
{
	if (n == 1 || !sig.nr)
		return sig;
	if (!sig.element && n)
		return polynomial_repeat(sig, n);
	sig.nr = mpi_product((uint32_t)sig.nr, (uint32_t)n);
	return sig;
}

/* 0: agrees with all */
uint64_t mpi_sig_hash(struct mpi_sig sig)
{
	uint64_t hash = (sig.element ? sig.element : sig.sum) + sig.nr + (sig.nr << 32);

	if (!sig.nr || sig.packed)
		return 0;
	return hash ? hash : 1;
}

static bool sig_of_begin(const struct mpi_type *type, uint64_t count, uint64_t *bytes,
			 struct mpi_sig *sig);

/* of one of a type, of which fewer bytes are there than it has */
static bool sig_of_part(const struct mpi_type *type, uint64_t *bytes, struct mpi_sig *sig)
{
	if (type->kind == MPI_KIND_BASIC)
		return !*bytes;
	for (uint64_t i = 0; i < type->n && *bytes; i++) {
		const struct mpi_block *b = &type->blocks[type->kind == MPI_KIND_LOOP ? 0 : i];

		if (!sig_of_begin(b->child, b->count, bytes, sig))
			return false;
	}
	return true;
}

static bool sig_of_begin(const struct mpi_type *type, uint64_t count, uint64_t *bytes,
			 struct mpi_sig *sig)
{
	uint64_t whole = type->size ? *bytes / type->size : count;

	if (whole > count)
		whole = count;
	*sig = mpi_sig_join(*sig, mpi_sig_repeat(type->sig, whole));
	*bytes -= whole * type->size;
	return whole == count || sig_of_part(type, bytes, sig);
}

bool mpi_sig_of_begin(const struct mpi_type *type, uint64_t count, uint64_t bytes,
		      struct mpi_sig *sig)
{
	*sig = (struct mpi_sig){ 0 };
	return sig_of_begin(type, count, &bytes, sig);
}

int mpi_check_type(const struct mpi_call *call, const struct mpi_type *type)
{
	if (!mpi_may_be(type) || type->magic != MPI_TYPE_MAGIC)
		return mpi_fail(call, MPI_ERR_TYPE,
				type ? "MPI_ERR_TYPE: the datatype was freed, or is none" :
				       "MPI_ERR_TYPE: the datatype is MPI_DATATYPE_NULL",
				(uintptr_t)type);
	return MPI_SUCCESS;
}
