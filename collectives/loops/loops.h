/* SPDX-License-Identifier: MIT */
/*
 * The collectives' loops on blocks, compiled once a tier. A stream is a row
 * of blocks `step` bytes apart; a tile is packed blocks in host memory, small
 * enough for the first cache.
 */
#ifndef PC_LOOPS_H
#define PC_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#include "runtime/simd/isa.h"
#include "collectives/loops/lanes.h"
#include "runtime/simd/stores.h"

#define PC_NR_TYPES	(PIDCOMM_F64 + 1)
#define PC_NR_OPS	10

/* acc[i] = acc[i] op in[i], over `bytes` of elements */
typedef void (*pc_fold_fn)(void *acc, const void *in, size_t bytes);

/*
 * What is read next: `streams` of n blocks, `step` bytes apart. A loop asks
 * for it block by block while it works on what it was given, stream by stream,
 * so that memory sees long rows however the loop itself interleaves. Where memory is
 * read sooner in several places at once (V_BESIDE, and V_GROUPS_BESIDE or `first` for
 * streams of several groups), and there are as many of these streams as are read, as far
 * apart, reduce() and collect() ask for what comes next in each of them instead. NULL, or
 * no streams: nothing.
 */
struct pc_ahead {
	uint8_t *ptr[8];
	unsigned int streams;
	bool first;		/* into the first cache: see pd_isa_asks_first() */
	size_t step;
	size_t n;
};

/* Lines that are yet to go to host memory, around the caches: runs [first, end) of them,
 * each of which has some. */
struct pc_lines {
	struct pc_run {
		uint8_t *to;	/* aligned to a line */
		const uint8_t *from;
		size_t n;
	} run[16];
	unsigned int first, end;
};

/*
 * What was folded last and is yet to be stored: n registers, to the streams of a
 * lane broadcast, nl for each entangled group. A loop that reads stores a
 * register for each that it makes, so that memory is read and written at once, but
 * after what it reads: what is stored often lies at the same place of its page; n,
 * rows and other tell what is left, and the streams go on `step` bytes a register.
 * Or, unless `lines` is NULL, n lines that go to host memory: one for each register that
 * the loop makes, those of twins too. `lines` tells what is left of them, and n.
 * NULL, or none: nothing.
 */
struct pc_behind {
	uint8_t *to[8];
	size_t step;
	const uint8_t *rows;
	const uint8_t *other;	/* registers of groups that share their lines, or NULL */
	size_t n;
	enum pd_stores stores;
	struct pc_lines *lines;
};

struct pc_moves {
	/*
	 * Lane exchange of nl streams of n blocks: lane rank r of the result's
	 * stream j is lane rank j of stream r. dst may be src.
	 */
	void (*exchange)(const struct pc_lanes *lanes, uint8_t *const dst[],
			 size_t dst_step, uint8_t *const src[], size_t src_step,
			 size_t n, enum pd_stores stores,
			 const struct pc_ahead *ahead);
	/*
	 * The same between two entangled groups and two others, each of which
	 * share lines: the second one's block lies behind the first one's.
	 * src[k] are the first source's streams for destination k, dst[k] the
	 * first destination's for source k. Where `ahead` is NULL long streams ask for their
	 * own next words.
	 */
	void (*exchange_pairs)(const struct pc_lanes *lanes,
			       uint8_t *const dst[2][8],
			       uint8_t *const src[2][8], size_t step, size_t n,
			       enum pd_stores stores,
			       const struct pc_ahead *ahead);
	/* exchange() from a to b and from b to a, in place */
	void (*swap)(const struct pc_lanes *lanes, uint8_t *const a[],
		     uint8_t *const b[], size_t step, size_t n);
	/* lane exchange of nl streams into a tile: n blocks of each, `pitch`
	 * blocks after those of the one before, transposed if asked */
	void (*collect)(const struct pc_lanes *lanes, uint8_t *tile,
			size_t pitch, uint8_t *const src[], size_t src_step,
			size_t n, bool transpose, const struct pc_ahead *ahead,
			struct pc_behind *behind);
	/* one stream into a tile, and back */
	void (*load)(uint8_t *tile, const uint8_t *src, size_t src_step,
		     size_t n);
	void (*store)(uint8_t *dst, size_t dst_step, const uint8_t *tile,
		      size_t n, bool transpose, enum pd_stores stores);
	/* lane broadcast of a tile: stream j, of `streams`, gets in all lanes
	 * what rank j of their group has. Streams far apart are written one
	 * after the other, those of rows of neighbouring blocks together */
	void (*spread)(const struct pc_lanes *lanes, uint8_t *const dst[],
		       unsigned int streams, size_t dst_step,
		       const uint8_t *tile, size_t n, enum pd_stores stores,
		       const struct pc_ahead *ahead);
	/* spread() to all nl streams, each of two groups that share lines: the second
	 * one's block, of `other`, lies behind the first one's, of `tile` */
	void (*spread_pairs)(const struct pc_lanes *lanes, uint8_t *const dst[],
			     size_t dst_step, const uint8_t *tile,
			     const uint8_t *other, size_t n, enum pd_stores stores,
			     const struct pc_ahead *ahead);
	/*
	 * A tile in the host domain, and the host buffers of its groups: word
	 * nl * i + r of group g is rank r's word of block i. The last block
	 * holds words_last of nl.
	 */
	void (*rows_out)(const struct pc_lanes *lanes, uint8_t *const bufs[],
			 const uint8_t *tile, size_t n, size_t words_last);
	void (*rows_in)(const struct pc_lanes *lanes, uint8_t *tile,
			const uint8_t *const bufs[], size_t n,
			size_t words_last);
	/* memory is read sooner in several places by turns than in order: in streams of several
	 * entangled groups, and in bands of rows that lie end to end */
	bool beside, bands;
};

/*
 * A lane turn by k: every lane gets what the one of rank ^ k in its group has.
 * Where blocks are, and go: in the PIM domain lanes are bytes, in the host
 * domain qwords.
 */
enum pc_turn {
	PC_TURN_PIM,	/* both in the PIM domain */
	PC_TURN_HOST,	/* both in the host domain */
	PC_TURN_IN,	/* domain transfer, then turned */
	PC_TURN_OUT,	/* turned, then domain transfer */
	PC_TURN_BOTH,	/* between two domain transfers */
};

struct pc_turns {
	/* one stream; dst may be src */
	void (*move)(const struct pc_lanes *lanes, enum pc_turn how,
		     unsigned int k, uint8_t *dst, size_t dst_step,
		     const uint8_t *src, size_t src_step, size_t n,
		     enum pd_stores stores);
	/* from a to b and from b to a */
	void (*swap)(const struct pc_lanes *lanes, enum pc_turn how,
		     unsigned int k, uint8_t *a, uint8_t *b, size_t step,
		     size_t n);
	/* nl streams, number k turned by k, into a tile whose row r holds in all
	 * lanes what rank r of their group sent */
	void (*align)(const struct pc_lanes *lanes, enum pc_turn how,
		      uint8_t *tile, size_t pitch, uint8_t *const src[],
		      size_t src_step, size_t n);
	/* what PEs do, those of all lanes at once: in the PIM domain, the lane
	 * of rank j of stream k is that of stream k ^ j. dst may be src */
	void (*reorder)(const struct pc_lanes *lanes, uint8_t *const dst[],
			uint8_t *const src[], size_t step, size_t n,
			enum pd_stores stores);
};

/*
 * acc[i] = [acc[i] op] the lane exchange's streams of block i, in the host
 * domain, in rank order; without acc[i] where these are the first. The streams,
 * 1, 2, 4 or 8, are nl of each of one or more entangled groups; what is behind
 * has as many. Where `twin` is not 0, with eight lanes alone, the blocks behind them, 64
 * bytes on, are those of other groups, which are folded by turns with these: into acc[i]
 * `twin` bytes on.
 */
typedef void (*pc_reduce_fn)(const struct pc_lanes *lanes, unsigned int streams,
			     uint8_t *acc, uint8_t *const src[],
			     size_t src_step, size_t n, size_t twin, bool first,
			     const struct pc_ahead *ahead,
			     struct pc_behind *behind);

struct pc_reduces {
	pc_reduce_fn reduce[PC_NR_TYPES][PC_NR_OPS];	/* NULL: collect, fold */
};

/* folds and conversions, apart from the movement of data */
struct pc_folds {
	pc_fold_fn fold[PC_NR_TYPES][PC_NR_OPS];	/* NULL: none such */
	const struct pc_reduces *reduces;
	/* n elements to fp32 and back, rounded to nearest even */
	void (*widen_f16)(float *dst, const uint16_t *src, size_t n);
	void (*widen_bf16)(float *dst, const uint16_t *src, size_t n);
	void (*narrow_f16)(uint16_t *dst, const float *src, size_t n);
	void (*narrow_bf16)(uint16_t *dst, const float *src, size_t n);
};

#define PC_LOOPS_OF(id, tier)					\
	extern const struct pc_moves pc_moves_##tier;     \
	extern const struct pc_folds pc_folds_##tier;     \
	extern const struct pc_reduces pc_reduces_##tier; \
	extern const struct pc_turns pc_turns_##tier;
PD_TIERS(PC_LOOPS_OF)

/* NULL: this build has no such tier */
const struct pc_moves *pc_isa_moves(enum pd_isa isa);
const struct pc_folds *pc_isa_folds(enum pd_isa isa);
const struct pc_turns *pc_isa_turns(enum pd_isa isa);

#endif /* PC_LOOPS_H */
