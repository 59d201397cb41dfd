/* SPDX-License-Identifier: MIT */
/*
 * Whole vectors of the members of a set, nl words at a time: lane rank r of a
 * register holds word nl * i + r of its group. Allreduce, reduce and broadcast
 * are made of these halves.
 */
#ifndef PC_ROWS_H
#define PC_ROWS_H

#include "collectives/call/call.h"

/* registers of a tile at most, those of twins together, and blocks of a tile of inputs */
#ifndef PC_ROWS
#define PC_ROWS		128
#define PC_ROWS_BLOCKS	256
#endif

/* whether a tile's rows lie end to end in memory that is read sooner in several places */
static inline bool pc_rows_in_bands(const struct pc_call *call)
{
	return call->req->moves->bands && call->req->fold.reduce && !call->req->small &&
	       pd_stride(call->req->sys) == 64;
}

/*
 * Words of a tile: where a group has few lanes an item walks as far in each
 * entangled group, so that it is worth the new page; and as far as the accumulator
 * reaches where each group is read in several places.
 */
static inline uint64_t pc_rows_words(const struct pc_call *call)
{
	uint64_t words = (call->req->shape->lanes.nl * PC_ROWS) >> call->work.paired;

	return words < PC_ROWS_BLOCKS || pc_rows_in_bands(call) ? words : PC_ROWS_BLOCKS;
}

/*
 * n words of a vector as registers, the last of which may be short: all, the
 * whole ones, and the words of a short one. A division takes as long as a fold
 * of some registers, and small calls make many.
 */
static inline uint64_t pc_rows(const struct pc_call *call, uint64_t n)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;

	return (n + lanes->nl - 1) >> lanes->bits;
}

static inline uint64_t pc_rows_whole(const struct pc_call *call, uint64_t n)
{
	return n >> call->req->shape->lanes.bits;
}

static inline unsigned int pc_rows_rest(const struct pc_call *call, uint64_t n)
{
	return (unsigned int)n & (call->req->shape->lanes.nl - 1);
}

/*
 * Store registers in the PIM domain, as words [word, word + n) at call->req->dst, to
 * every member, and where the call is paired as many that follow to those of the set's
 * twin; ask meanwhile for what the next tile reads, if it will.
 */
void pc_rows_spread(struct pc_call *call, uint32_t set, uint64_t word,
		    uint64_t n, const uint8_t rows[], bool read_next);

/* a set's entangled groups [e, end), and words that are no more than a tile's */
struct pc_rows_part {
	uint32_t set, e, end;
	uint64_t word, n;
};

/* bytes of an accumulator of n words: elements are folded in a wider type, or not */
static inline uint64_t pc_rows_acc_bytes(const struct pc_call *call, uint64_t n)
{
	return 64 * pc_rows(call, n) * (call->req->fold.widen ? 2 : 1);
}

/*
 * Fold such a part into acc, which has what was folded of the groups before e; then make
 * registers of what all groups left there, in the host domain if the fold works there, else in
 * the PIM domain. Store registers in the PIM domain to a part's groups; registers in the host
 * domain, to the groups' buffers.
 */
void pc_rows_fold(struct pc_call *call, const struct pc_rows_part *part, uint8_t *acc);
void pc_rows_fold_last(struct pc_call *call, uint64_t n, uint8_t *out, const uint8_t *acc);
void pc_rows_spread_some(struct pc_call *call, const struct pc_rows_part *part,
			 const uint8_t rows[]);
void pc_rows_store(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n,
		   const uint8_t *rows);

/* Reduce and spread any n words. */
void pc_rows_allreduce(struct pc_call *call, uint32_t set, uint64_t word,
		       uint64_t n);

/* Reduce any n words, into the groups' buffers. */
void pc_rows_to_buffers(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n);

#endif /* PC_ROWS_H */
