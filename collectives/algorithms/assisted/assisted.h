/* SPDX-License-Identifier: MIT */
/*
 * What the PE-assisted algorithms share (PID-Comm, section V). PEs reorder first,
 * last or both, see reorder.h; between, the host moves blocks, each of which it
 * turns by the number of its chunk in the row:
 *
 *	pr		in host memory, a domain transfer before and one after
 *	pr+im		in registers, between two domain transfers
 *	pr+im+cm	in registers, in the PIM domain
 *
 * Reductions fold in rank order, so turned registers are aligned by rank.
 */
#ifndef PC_ASSISTED_H
#define PC_ASSISTED_H

#include "collectives/call/call.h"

enum pc_steps {
	PC_STEPS_PR,
	PC_STEPS_PR_IM,
	PC_STEPS_PR_IM_CM,
};

/* blocks in host memory, of entangled groups or of sets, one after the other */
struct pc_blocks {
	uint8_t *at;
	uint64_t words;		/* of each */
};

struct pc_assisted {
	enum pc_steps steps;
	const struct pc_turns *turns;
	uint64_t chunk;		/* words of one in a row */
	uint64_t from;		/* word in MRAM where reordered data lies */
	struct pc_blocks in, out;	/* staging of `pr` */
};

/* begin a call: chunk words in a chunk, data at word `from` after reordering */
struct pc_assisted pc_assisted(const struct pc_call *call, enum pc_steps steps,
			       uint64_t chunk, uint64_t from);

static inline const struct pc_assisted *pc_own(const struct pc_call *call)
{
	return call->work.own;
}

static inline uint8_t *pc_staged(const struct pc_blocks *b, uint32_t number,
				 uint64_t word)
{
	return b->at + 64 * (number * b->words + word);
}

/* staging for `in` words of every entangled group, and `out` of each of `nr` */
int pc_stage_blocks(struct pc_call *call, struct pc_assisted *own, uint64_t in,
		    uint64_t nr, uint64_t out);
/* all entangled groups' words from MRAM word own->from on, into own->in */
void pc_pull_blocks(struct pc_call *call);
/* own->out to MRAM word `word` of all entangled groups */
void pc_push_blocks(struct pc_call *call, uint64_t word);

/*
 * Do `rows` on the vectors' whole chunks, a lane one, in steps that begin at
 * offset `from`, and `tail` on the words left over, whose chunks are of none.
 */
int pc_assisted_vectors(struct pc_call *call, enum pc_steps steps,
			uint64_t from,
			int (*rows)(struct pc_call *call,
				    struct pc_assisted *own),
			pc_tile_fn tail);

/* pc_reorder(), timed; with strict=1 the ranks are their PEs' meanwhile */
int pc_assist(struct pc_call *call, uint64_t from, uint64_t to, uint64_t rows);

/*
 * Fold the words [word, word + n) of the chunks of row `row` over all members of
 * a set, PC_FOLD_WORDS of them at most: the lane of rank j gets those of chunk j.
 * The result is in the host domain, with PC_STEPS_PR_IM_CM in the PIM domain.
 */
#define PC_FOLD_WORDS	128
void pc_fold_turned(struct pc_call *call, uint32_t set, uint64_t row,
		    uint64_t word, uint64_t n, uint8_t acc[PC_FOLD_ACC_BYTES]);
/* words of a tile for it */
uint64_t pc_fold_words(const struct pc_call *call);

/*
 * The words [word, word + n) of every chunk of row `row` at call->req->dst of an
 * entangled group become a tile's, turned by the chunk's number.
 */
void pc_spread_turned(struct pc_call *call, const uint8_t *tile, uint32_t eg,
		      uint64_t row, uint64_t word, uint64_t n);

#define PC_BYTES_ALONE	"all sizes, i8 and u8, built-in operations"

/* -EOPNOTSUPP for a reduction that `pr+im+cm` does not serve: it folds bytes as
 * they lie, and nothing else */
int pc_check_bytes_alone(const struct pc_algorithm *self,
			 const struct pc_args *args);

#endif /* PC_ASSISTED_H */
