// SPDX-License-Identifier: MIT
/* User-defined operations. They read their operands as a user would, through
 * pointers to the type, so that the sanitizers see a wrong alignment. */
#include <stdatomic.h>
#include <stddef.h>

#include <string.h>

#include "tests/conformance/numeric.h"
#include "tests/conformance/userop.h"

static atomic_uint violations;

static void check_call(const void *inout, const void *in, size_t count,
		       enum pidcomm_type type)
{
	uintptr_t mask = num_size(type) - 1;

	if (((uintptr_t)inout & mask) || ((uintptr_t)in & mask) || !count)
		violations++;
}

/* Runs @expr on each pair of elements a and b, as unsigned of their size. */
#define EACH(bits, expr)						\
	do {								\
		uint##bits##_t *x = inout;				\
		const uint##bits##_t *y = in;				\
									\
		for (size_t i = 0; i < count; i++) {			\
			uint64_t a = x[i], b = y[i];			\
									\
			x[i] = (uint##bits##_t)(expr);			\
		}							\
	} while (0)

#define EACH_OF_TYPE(expr)						\
	do {								\
		check_call(inout, in, count, type);			\
		switch (num_size(type)) {				\
		case 1: EACH(8, expr); break;				\
		case 2: EACH(16, expr); break;				\
		case 4: EACH(32, expr); break;				\
		default: EACH(64, expr); break;				\
		}							\
	} while (0)

/* Neither commutes nor associates. */
static void op_affine(void *inout, const void *in, size_t count,
		      enum pidcomm_type type, void *ctx)
{
	if (ctx)
		violations++;
	EACH_OF_TYPE(a * 3 + b);
}

struct affine {
	uint64_t factor, term;
};

static void op_affine_ctx(void *inout, const void *in, size_t count,
			  enum pidcomm_type type, void *ctx)
{
	const struct affine *f = ctx;

	EACH_OF_TYPE(a * f->factor + (b ^ f->term) + (uint64_t)type);
}

/* Associates without commuting: composition of x -> scale * x + shift, with the
 * scale in the lower half of the bits and the shift in the upper one. */
static uint64_t compose(uint64_t a, uint64_t b, unsigned half)
{
	uint64_t mask = (UINT64_C(1) << half) - 1;
	uint64_t scale = (a & mask) * (b & mask);
	uint64_t shift = (a >> half) * (b & mask) + (b >> half);

	return (scale & mask) | ((shift & mask) << half);
}

static void op_compose(void *inout, const void *in, size_t count,
		       enum pidcomm_type type, void *ctx)
{
	unsigned half = 4 * (unsigned)num_size(type);

	(void)ctx;
	EACH_OF_TYPE(compose(a, b, half));
}

static void op_last(void *inout, const void *in, size_t count,
		    enum pidcomm_type type, void *ctx)
{
	(void)ctx;
	EACH_OF_TYPE(a * 0 + b);
}

/* Depends on the floating-point environment that the library calls it in. */
static void op_subtract(void *inout, const void *in, size_t count,
			enum pidcomm_type type, void *ctx)
{
	(void)ctx;
	if (type == PIDCOMM_F32) {
		float *x = inout;
		const float *y = in;

		check_call(inout, in, count, type);
		for (size_t i = 0; i < count; i++)
			x[i] = x[i] * 0.3f - y[i];
	} else if (type == PIDCOMM_F64) {
		double *x = inout;
		const double *y = in;

		check_call(inout, in, count, type);
		for (size_t i = 0; i < count; i++)
			x[i] = x[i] * 0.3 - y[i];
	} else {
		EACH_OF_TYPE(a - b);
	}
}

static struct affine affine = { 0x9e3779b97f4a7c15u, 0x5a5a5a5a5a5a5a5au };

struct userop userops[NR_USEROPS] = {
	{ .name = "affine", .fn = op_affine },
	{ .name = "affine-ctx", .fn = op_affine_ctx, .ctx = &affine },
	{ .name = "compose", .fn = op_compose },
	{ .name = "last", .fn = op_last },
	{ .name = "subtract", .fn = op_subtract },
};

void userops_create(void)
{
	for (int i = 0; i < NR_USEROPS; i++)
		if (pidcomm_op_create(userops[i].fn, userops[i].ctx,
				      &userops[i].handle))
			violations++;
}

void userops_free(void)
{
	for (int i = 0; i < NR_USEROPS; i++)
		pidcomm_op_free(userops[i].handle);
}

const struct userop *userop_find(pidcomm_op op)
{
	for (int i = 0; i < NR_USEROPS; i++)
		if (userops[i].handle == op)
			return &userops[i];
	return NULL;
}

unsigned userops_violations(void)
{
	return violations;
}

void userop_fold(enum pidcomm_type type, pidcomm_op op,
		 const uint8_t *const in[], size_t n, size_t bytes, void *out)
{
	const struct userop *user = userop_find(op);
	size_t size = num_size(type);

	if (n == 1 || user) {
		memcpy(out, in[0], bytes);
		for (size_t i = 1; i < n && bytes; i++)
			user->fn(out, in[i], bytes / size, type, user->ctx);
		return;
	}
	for (size_t i = 0; i < bytes / size; i++)
		num_fold(type, op, in, n, i, (uint8_t *)out + i * size);
}
