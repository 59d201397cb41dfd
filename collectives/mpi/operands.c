// SPDX-License-Identifier: MIT
/* Predefined datatypes and operations, as the library has them. */
#include <limits.h>
#include <stdint.h>

#include "collectives/mpi/served.h"

enum operand_kind { SIGNED, UNSIGNED, REAL, BITS, TRUTH };

struct operand {
	MPI_Datatype type;
	enum operand_kind kind;
	size_t bytes;	/* 0: what MPI says, as compilers of Fortran may be told otherwise */
};

/* False: MPI knows no Fortran, or elements of such bytes are none of hosts'. */
static bool ask_bytes(struct operand *o)
{
	int bytes = 0;

	if (PMPI_Type_size(o->type, &bytes) != MPI_SUCCESS || (bytes != 4 && bytes != 8))
		return false;
	o->bytes = (size_t)bytes;
	return true;
}

/* Handles of Open MPI are addresses that are known when the program runs. */
static bool find_operand(MPI_Datatype type, struct operand *found)
{
	const struct operand operands[] = {
		{ MPI_INT, SIGNED, sizeof(int) },
		{ MPI_DOUBLE, REAL, sizeof(double) },
		{ MPI_FLOAT, REAL, sizeof(float) },
		{ MPI_UNSIGNED, UNSIGNED, sizeof(int) },
		{ MPI_LONG, SIGNED, sizeof(long) },
		{ MPI_UNSIGNED_LONG, UNSIGNED, sizeof(long) },
		{ MPI_LONG_LONG_INT, SIGNED, sizeof(long long) },
		{ MPI_UNSIGNED_LONG_LONG, UNSIGNED, sizeof(long long) },
		{ MPI_SHORT, SIGNED, sizeof(short) },
		{ MPI_UNSIGNED_SHORT, UNSIGNED, sizeof(short) },
		{ MPI_SIGNED_CHAR, SIGNED, 1 },
		{ MPI_UNSIGNED_CHAR, UNSIGNED, 1 },
		{ MPI_INT8_T, SIGNED, 1 },
		{ MPI_INT16_T, SIGNED, 2 },
		{ MPI_INT32_T, SIGNED, 4 },
		{ MPI_INT64_T, SIGNED, 8 },
		{ MPI_UINT8_T, UNSIGNED, 1 },
		{ MPI_UINT16_T, UNSIGNED, 2 },
		{ MPI_UINT32_T, UNSIGNED, 4 },
		{ MPI_UINT64_T, UNSIGNED, 8 },
		{ MPI_BYTE, BITS, 1 },
		{ MPI_AINT, SIGNED, sizeof(MPI_Aint) },
		{ MPI_OFFSET, SIGNED, sizeof(MPI_Offset) },
		{ MPI_COUNT, SIGNED, sizeof(MPI_Count) },
		{ MPI_C_BOOL, TRUTH, sizeof(bool) },
		{ MPI_INTEGER, SIGNED, 0 },
		{ MPI_REAL, REAL, 0 },
		{ MPI_DOUBLE_PRECISION, REAL, 0 },
	};

	if (type == MPI_DATATYPE_NULL)
		return false;

	for (size_t i = 0; i < sizeof(operands) / sizeof(*operands); i++) {
		if (operands[i].type != type)
			continue;
		*found = operands[i];
		return found->bytes || ask_bytes(found);
	}
	return false;
}

static bool find_op(MPI_Op op, pidcomm_op *by, bool *bits, bool *logical)
{
	const struct {
		MPI_Op op;
		pidcomm_op by;
		bool bits, logical;
	} ops[] = {
		{ MPI_SUM, PIDCOMM_SUM, false, false },
		{ MPI_MIN, PIDCOMM_MIN, false, false },
		{ MPI_MAX, PIDCOMM_MAX, false, false },
		{ MPI_PROD, PIDCOMM_PROD, false, false },
		{ MPI_BAND, PIDCOMM_BAND, true, false },
		{ MPI_BOR, PIDCOMM_BOR, true, false },
		{ MPI_BXOR, PIDCOMM_BXOR, true, false },
		{ MPI_LAND, PIDCOMM_LAND, false, true },
		{ MPI_LOR, PIDCOMM_LOR, false, true },
		{ MPI_LXOR, PIDCOMM_LXOR, false, true },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (ops[i].op != op)
			continue;
		*by = ops[i].by;
		*bits = ops[i].bits;
		*logical = ops[i].logical;
		return true;
	}
	return false;
}

static enum pidcomm_type integer_of(size_t bytes, bool is_signed)
{
	switch (bytes) {
	case 1:
		return is_signed ? PIDCOMM_I8 : PIDCOMM_U8;
	case 2:
		return is_signed ? PIDCOMM_I16 : PIDCOMM_U16;
	case 4:
		return is_signed ? PIDCOMM_I32 : PIDCOMM_U32;
	default:
		return is_signed ? PIDCOMM_I64 : PIDCOMM_U64;
	}
}

bool served_operands(MPI_Datatype type, MPI_Op op, enum pidcomm_type *as, pidcomm_op *by,
		     size_t *bytes)
{
	bool bits = false, logical = false;
	struct operand o;

	if (!find_operand(type, &o) || !find_op(op, by, &bits, &logical))
		return false;
	/* what MPI does not define, it is to refuse itself */
	if ((o.kind == REAL && (bits || logical)) || (o.kind == BITS && !bits) ||
	    (o.kind == TRUTH && !logical))
		return false;
	*bytes = o.bytes;
	*as = integer_of(o.bytes, o.kind == SIGNED);
	if (o.kind == REAL)
		*as = o.bytes == 4 ? PIDCOMM_F32 : PIDCOMM_F64;
	return true;
}
