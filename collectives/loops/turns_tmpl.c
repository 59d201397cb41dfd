// SPDX-License-Identifier: MIT
/* Lane turns, compiled once a tier as the other loops are: see loops.h. */
#include "collectives/loops/loops.h"
#include "runtime/simd/vec.h"

/* one turn of a block, prepared */
struct turn {
	unsigned int bits;	/* of the group's lanes */
	unsigned int k;
	unsigned int qwords;	/* host domain: how far qwords move */
	v64 low[3];
	unsigned int shift[3];
};

PD_INLINE struct turn turn(const struct pc_lanes *lanes, unsigned int k)
{
	struct turn t = {
		.bits = lanes->bits,
		.k = k,
		.qwords = lanes->lane[0][k],
	};

	for (unsigned int b = 0; b < 3; b++) {
		t.low[b] = v_set1(lanes->low[b]);
		t.shift[b] = lanes->shift[b];
	}
	return t;
}

PD_INLINE v64 turn_bytes(v64 a, const struct turn *t)
{
#pragma GCC unroll 3
	for (unsigned int b = 0; b < 3; b++) {
		if (t->k >> b & 1)
			a = v_select(t->low[b], v_shr(a, t->shift[b]),
				     v_shl(a, t->shift[b]));
	}
	return a;
}

PD_INLINE v64 turned(v64 a, const struct turn *t, enum pc_turn how)
{
	if (how == PC_TURN_PIM)
		return turn_bytes(a, t);
	if (how == PC_TURN_IN || how == PC_TURN_BOTH)
		a = v_transpose(a);
	a = v_swap_qwords(a, t->qwords);
	if (how == PC_TURN_OUT || how == PC_TURN_BOTH)
		a = v_transpose(a);
	return a;
}

PD_INLINE void move_loop(const struct turn *t, enum pc_turn how, uint8_t *dst,
			 size_t dst_step, const uint8_t *src, size_t src_step,
			 size_t n, enum pd_stores stores)
{
	for (size_t i = 0; i < n; i++) {
		v_put(dst + i * dst_step,
		      turned(v_load(src + i * src_step), t, how), stores);
	}
}

PD_INLINE void swap_loop(const struct turn *t, enum pc_turn how, uint8_t *a,
			 uint8_t *b, size_t step, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		v64 x = turned(v_load(a + i * step), t, how);
		v64 y = turned(v_load(b + i * step), t, how);

		v_store(b + i * step, x);
		v_store(a + i * step, y);
	}
}

/* the lanes of rank bit `bit`, as a mask of a block's bytes or qwords */
PD_INLINE v64 rank_mask(const struct pc_lanes *lanes, unsigned int bit,
			enum pc_turn how)
{
	_Alignas(64) uint8_t mask[64];

	if (how == PC_TURN_PIM)
		return v_set1(~lanes->low[bit]);
	for (unsigned int i = 0; i < 64; i++)
		mask[i] = lanes->rank[i / 8] >> bit & 1 ? 0xff : 0;
	return v_load(mask);
}

/* In the lane of rank j register k gets what register k ^ j had. */
PD_INLINE void exchange_ranks(v64 r[8], const v64 mask[3], unsigned int nl)
{
#pragma GCC unroll 3
	for (unsigned int b = 0; b < 3; b++) {
#pragma GCC unroll 8
		for (unsigned int k = 0; k < nl; k++) {
			v64 a = r[k], c;

			if (1u << b >= nl || k >> b & 1)
				continue;
			c = r[k | 1u << b];
			r[k] = v_select(mask[b], c, a);
			r[k | 1u << b] = v_select(mask[b], a, c);
		}
	}
}

/*
 * After its turn register k has, in the lane of rank j, what rank j ^ k sent:
 * registers that differ in a bit are exchanged in the lanes that have it.
 */
PD_INLINE void align_loop(const struct pc_lanes *lanes, enum pc_turn how,
			  uint8_t *tile, size_t pitch, uint8_t *const src[],
			  size_t src_step, size_t n, unsigned int nl)
{
	struct turn turns[8];
	v64 mask[3], r[8];

#pragma GCC unroll 8
	for (unsigned int k = 0; k < nl; k++)
		turns[k] = turn(lanes, k);
	for (unsigned int b = 0; b < 3; b++)
		mask[b] = rank_mask(lanes, b, how);
	for (size_t i = 0; i < n; i++) {
#pragma GCC unroll 8
		for (unsigned int k = 0; k < nl; k++)
			r[k] = turned(v_load(src[k] + i * src_step), &turns[k],
				      how);
		exchange_ranks(r, mask, nl);
#pragma GCC unroll 8
		for (unsigned int k = 0; k < nl; k++)
			v_store(tile + 64 * (k * pitch + i), r[k]);
	}
}

PD_INLINE void reorder_loop(const struct pc_lanes *lanes, uint8_t *const dst[],
			    uint8_t *const src[], size_t step, size_t n,
			    enum pd_stores stores, unsigned int nl)
{
	v64 mask[3], r[8];

	for (unsigned int b = 0; b < 3; b++)
		mask[b] = rank_mask(lanes, b, PC_TURN_PIM);
	for (size_t i = 0; i < n; i++) {
#pragma GCC unroll 8
		for (unsigned int k = 0; k < nl; k++)
			r[k] = v_load(src[k] + i * step);
		exchange_ranks(r, mask, nl);
#pragma GCC unroll 8
		for (unsigned int k = 0; k < nl; k++)
			v_put(dst[k] + i * step, r[k], stores);
	}
}

/* expand a call for each way, as a constant */
#define FOR_EACH_HOW(value, call)				\
	do {							\
		switch (value) {				\
		case PC_TURN_PIM: {				\
			const enum pc_turn how = PC_TURN_PIM;	\
			call;					\
			break;					\
		}						\
		case PC_TURN_HOST: {				\
			const enum pc_turn how = PC_TURN_HOST;	\
			call;					\
			break;					\
		}						\
		case PC_TURN_IN: {				\
			const enum pc_turn how = PC_TURN_IN;	\
			call;					\
			break;					\
		}						\
		case PC_TURN_OUT: {				\
			const enum pc_turn how = PC_TURN_OUT;	\
			call;					\
			break;					\
		}						\
		default: {					\
			const enum pc_turn how = PC_TURN_BOTH;	\
			call;					\
			break;					\
		}						\
		}						\
	} while (0)

static void move(const struct pc_lanes *lanes, enum pc_turn way,
		 unsigned int k, uint8_t *dst, size_t dst_step,
		 const uint8_t *src, size_t src_step, size_t n, enum pd_stores stores)
{
	struct turn t = turn(lanes, k);

	V_WITH_STORES(stores,
		      FOR_EACH_HOW(way, move_loop(&t, how, dst, dst_step, src,
						  src_step, n, with)));
}

static void swap(const struct pc_lanes *lanes, enum pc_turn way,
		 unsigned int k, uint8_t *a, uint8_t *b, size_t step, size_t n)
{
	struct turn t = turn(lanes, k);

	FOR_EACH_HOW(way, swap_loop(&t, how, a, b, step, n));
}

static void align(const struct pc_lanes *lanes, enum pc_turn way, uint8_t *tile,
		  size_t pitch, uint8_t *const src[], size_t src_step, size_t n)
{
	switch (lanes->nl) {
	case 1:
		FOR_EACH_HOW(way, align_loop(lanes, how, tile, pitch, src,
					     src_step, n, 1));
		break;
	case 2:
		FOR_EACH_HOW(way, align_loop(lanes, how, tile, pitch, src,
					     src_step, n, 2));
		break;
	case 4:
		FOR_EACH_HOW(way, align_loop(lanes, how, tile, pitch, src,
					     src_step, n, 4));
		break;
	default:
		FOR_EACH_HOW(way, align_loop(lanes, how, tile, pitch, src,
					     src_step, n, 8));
		break;
	}
}

static void reorder(const struct pc_lanes *lanes, uint8_t *const dst[],
		    uint8_t *const src[], size_t step, size_t n, enum pd_stores stores)
{
	switch (lanes->nl) {
	case 1:
		reorder_loop(lanes, dst, src, step, n, stores, 1);
		break;
	case 2:
		reorder_loop(lanes, dst, src, step, n, stores, 2);
		break;
	case 4:
		reorder_loop(lanes, dst, src, step, n, stores, 4);
		break;
	default:
		reorder_loop(lanes, dst, src, step, n, stores, 8);
		break;
	}
}

#define PD_CAT_(a, b)	a##b
#define PD_CAT(a, b)	PD_CAT_(a, b)

const struct pc_turns PD_CAT(pc_turns_, PD_TIER) = {
	.move = move,
	.swap = swap,
	.align = align,
	.reorder = reorder,
};
