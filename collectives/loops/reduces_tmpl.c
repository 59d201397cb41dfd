// SPDX-License-Identifier: MIT
/*
 * Compiled once a tier, with -DPD_TIER=name and the tier's instruction set:
 * lane exchange, domain transfer and fold without leaving the registers, for the
 * operations that are called most. All others collect a tile and fold that.
 */
#include "collectives/loops/exchange.h"
#include "collectives/loops/reduce_ops.h"

#if defined(V_AVX512) || defined(V_AVX2) || defined(V_NEON) || defined(V_SVE) || \
	defined(PD_COUNT)

/* Rows from which on a loop for eight lanes alone is worth its code, whose registers stay
 * registers. */
#define EIGHT_LANES_ROWS	4

/* bytes are elements in either domain, wider elements in the host's alone: `host` */
#define REDUCE(name, host)						\
PD_INLINE void loop_##name(const struct pc_lanes *lanes,		\
			   unsigned int streams, unsigned int nl,	\
			   uint8_t *acc, uint8_t *const src[],		\
			   size_t src_step, size_t n, size_t twin,	\
			   bool first, const struct pc_ahead *ahead,	\
			   struct pc_behind *behind)			\
{									\
	unsigned int twins = twin != 0;					\
	struct stages s = stages(lanes);				\
	struct bands b = bands(twins ? NULL : ahead, src, src_step,	\
			       streams, n);				\
	/* twins lie two to a step, and go on in their lines */		\
	struct cursor c = twins ? cursor(ahead) :			\
		cursor_beside(b.nr > 1 ? NULL : ahead, src, src_step,	\
			      streams, nl, n);				\
	struct trail t = trail(lanes, streams, behind);			\
	v64 r[8];							\
									\
	for (size_t k = 0; k < n; k++) {				\
		size_t i = band_row(&b, k);				\
									\
		for (unsigned int o = 0; o <= twins; o++) {		\
			uint8_t *to = acc + 64 * i + o * twin;		\
			v64 a;						\
									\
			read_row(r, &s, src, i * src_step + 64 * o,	\
				 streams, nl, host);			\
			a = r[0];					\
			if (!first)					\
				a = op_##name(v_load(to), a);		\
			for (unsigned int j = 1; j < streams; j++)	\
				a = op_##name(a, r[j]);			\
			v_store(to, a);					\
			look_beside(&c, i, streams);			\
		}							\
		store_behind(&t, streams, twins);			\
	}								\
	trail_end(&t, streams);						\
}									\
									\
static void reduce_##name(const struct pc_lanes *lanes,			\
			  unsigned int streams, uint8_t *acc,		\
			  uint8_t *const src[], size_t src_step,	\
			  size_t n, size_t twin, bool first,		\
			  const struct pc_ahead *ahead,			\
			  struct pc_behind *behind)			\
{									\
	/* few: less than eight, for the compiler to see that it is */	\
	unsigned int few = V_EIGHTS ? lanes->nl % 8 : lanes->nl;	\
									\
	/* apart: to see whose turn it is costs small calls a tenth */	\
	if (twin)							\
		loop_##name(lanes, 8, 8, acc, src, src_step, n, twin,	\
			    first, ahead, behind);			\
	else if (lanes->nl == 8 &&					\
		 (V_EIGHTS || n >= EIGHT_LANES_ROWS))			\
		loop_##name(lanes, 8, 8, acc, src, src_step, n, 0,	\
			    first, ahead, behind);			\
	else								\
		FOR_EACH_NL(streams, loop_##name(lanes, nl, few, acc,	\
						 src, src_step, n, 0,	\
						 first, ahead, behind));	\
}

#define REDUCES_INTEGER(bits, host)					\
	OP(sum, u##bits, uint##bits##_t, A + B)				\
	OP(min, u##bits, uint##bits##_t, B < A ? B : A)			\
	OP(max, u##bits, uint##bits##_t, B > A ? B : A)			\
	OP(min, i##bits, int##bits##_t, B < A ? B : A)			\
	OP(max, i##bits, int##bits##_t, B > A ? B : A)			\
	REDUCE(sum_u##bits, host)					\
	REDUCE(min_u##bits, host)					\
	REDUCE(max_u##bits, host)					\
	REDUCE(min_i##bits, host)					\
	REDUCE(max_i##bits, host)

#define REDUCES_FLOAT(t, type, suffix)					\
	OP(sum, t, type, A + B)					\
	OP_FLOAT(min_##t, min, suffix)					\
	OP_FLOAT(max_##t, max, suffix)					\
	REDUCE(sum_##t, true)					\
	REDUCE(min_##t, true)					\
	REDUCE(max_##t, true)

REDUCES_INTEGER(8, false)
REDUCES_INTEGER(16, true)
REDUCES_INTEGER(32, true)
REDUCES_INTEGER(64, true)
REDUCES_FLOAT(f32, float, ps)
REDUCES_FLOAT(f64, double, pd)

/* in the order of PIDCOMM_SUM, ...; sums wrap: signed and unsigned are one */
#define ROW(t, u)							\
	{ reduce_sum_##u, NULL, reduce_min_##t, reduce_max_##t }

const struct pc_reduces PD_CAT(pc_reduces_, PD_TIER) = {
	.reduce = {
		[PIDCOMM_I8] = ROW(i8, u8),
		[PIDCOMM_I16] = ROW(i16, u16),
		[PIDCOMM_I32] = ROW(i32, u32),
		[PIDCOMM_I64] = ROW(i64, u64),
		[PIDCOMM_U8] = ROW(u8, u8),
		[PIDCOMM_U16] = ROW(u16, u16),
		[PIDCOMM_U32] = ROW(u32, u32),
		[PIDCOMM_U64] = ROW(u64, u64),
		[PIDCOMM_F32] = ROW(f32, f32),
		[PIDCOMM_F64] = ROW(f64, f64),
	},
};

#else

/* the portable tier: too few registers to stay in */
const struct pc_reduces PD_CAT(pc_reduces_, PD_TIER) = { 0 };

#endif
