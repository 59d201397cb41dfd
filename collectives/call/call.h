/* SPDX-License-Identifier: MIT */
/*
 * One call of a collective, checked, as the algorithms see it. Work is split
 * into items, one for a set of entangled groups and a tile of word positions:
 * no collective ever mixes words of different positions, so items are
 * independent, in place too.
 */
#ifndef PC_CALL_H
#define PC_CALL_H

#include "collectives/call/fold.h"
#include "collectives/call/comm.h"
#include "collectives/call/crew.h"
#include "collectives/loops/loops.h"
#include "collectives/call/phases.h"
#include "runtime/ranks/system.h"
#include "runtime/machine/trials.h"

/* streams of several entangled groups that a fold takes together at most: two
 * and four measured alike, eight no better than one */
#define PC_FOLD_STREAMS	4

struct pc_call;
struct pc_mailed;

/* the words [word, word + n) of a set */
typedef void (*pc_tile_fn)(struct pc_call *call, uint32_t set, uint64_t word,
			   uint64_t n);
/* the words [word, word + n) of entangled group number e of a set */
typedef void (*pc_part_fn)(struct pc_call *call, uint32_t set, uint32_t e,
			   uint64_t word, uint64_t n);

/* what is asked for: the same for all threads, as long as they work on it */
struct pc_request {
	struct pidcomm *hc;
	struct pimdimm *sys;	/* all that the hypercube lies in */
	struct pc_crew *crew;	/* of several hosts; NULL: there is this one alone */
	struct pc_mailed *mailed;	/* what a call by messages has taken: see mailed.h */
	const uint32_t *places;	/* of the hypercube's entangled groups */
	const struct pc_shape *shape;
	const struct pc_moves *moves;
	enum pc_collective id;
	uint64_t bytes;		/* of a PE, on the larger side */
	uint64_t words;		/* of a chunk, or of bytes where it has none */
	uint64_t src, dst;	/* first words in MRAM */
	uint8_t *const *bufs;	/* host buffers by group */
	enum pidcomm_type type;
	pidcomm_op op;
	struct pc_fold fold;
	bool small;		/* all in the second cache: no use to ask ahead */
};

/* how it is cut into items, and what an item is to do */
struct pc_work {
	uint64_t words;		/* of a chunk, as far as they are worked on */
	uint64_t tile_words;
	uint64_t tiles;
	uint32_t first_eg, nr_egs;
	uint64_t parts;		/* that the groups of a set are split into */
	pc_tile_fn tile;
	pc_part_fn part;
	enum pd_stores stores;	/* to the destination */
	struct pd_trial *trial;	/* of other ways; NULL: there are none */
	enum pc_share share;	/* of hosts */
	/* an item of a set does its twin, too: see pc_blocks(); pc_pair_up() */
	bool paired;
	size_t apart;		/* set there */
	const void *own;	/* what the algorithm keeps for its parts while it runs */
	/* the host has failed before: it hands on what others wait for, and touches no MRAM */
	bool idle;
};

/* Counters for struct pidcomm_stats: each thread has counters of its own */
struct pc_counts {
	uint64_t blocks_read, blocks_written, transfers;
	uint64_t host_read, host_written;
};

struct pc_call {
	const struct pc_request *req;
	struct pc_work work;
	struct pc_counts counts;

	/* told by the calling thread alone */
	uint64_t phase_ns[PC_NR_PHASES];
	uint64_t pe_moved;
	uint64_t pe_modelled_ns;	/* no time of this machine's */
};

/*
 * Do `tile` for every set and every tile of [0, words): words are those of a
 * chunk, and tile_words of them at most are in a tile.
 */
void pc_for_each_tile(struct pc_call *call, uint64_t words, uint64_t tile_words,
		      pc_tile_fn tile);

/*
 * A phase begins: when, for pc_phase_end(). Of several hosts the others learn which it is where
 * this one dies in it.
 */
uint64_t pc_phase_begin(const struct pc_call *call, enum pc_phase phase);

/* A run of items of a call that several hosts make: see pc_crew_run(). */
void pc_call_crew(struct pc_call *call, enum pc_share share, uint64_t items, uint64_t grain,
		  enum pd_stores stores, struct pd_trial *trial, pd_part_fn fn, void *ctx);

/*
 * Do `part` for each of these, and for every entangled group of the set from
 * `first` on, nr of them. Parts must not depend on each other.
 */
void pc_for_each_part(struct pc_call *call, uint64_t words, uint64_t tile_words,
		      uint32_t first, uint32_t nr, pc_part_fn part);

/*
 * How many entangled groups of a set a part may stand for where one alone is
 * hardly worth a visit: `most`, or what leaves work for every thread.
 */
uint32_t pc_egs_together(const struct pc_call *call, uint64_t most);

static inline void pc_count(uint64_t *counter, uint64_t n)
{
	*counter += n;
}

/*
 * A call that counts for itself, for whatever counts on several threads (an atomic
 * addition takes as long as a small fold) or does a part of it that is a request of
 * its own. When that is done the counters go to the call.
 */
static inline struct pc_call pc_call_copy(const struct pc_call *call)
{
	return (struct pc_call){ .req = call->req, .work = call->work };
}

static inline struct pc_call pc_call_derive(const struct pc_call *call,
					    const struct pc_request *req)
{
	return (struct pc_call){ .req = req, .work = call->work };
}

void pc_call_add(struct pc_call *call, const struct pc_call *copy);

/*
 * Streams of blocks of one entangled group: stream j begins at word
 * first + j * gap and goes on every `step` words. Sets ptr[] and returns how
 * many blocks of each, at most n, lie evenly pc_step() apart.
 */
uint64_t pc_streams(const struct pc_call *call, uint32_t eg, uint64_t first,
		    uint64_t gap, uint64_t step, unsigned int streams,
		    uint64_t n, uint8_t *ptr[8]);

/* distance in bytes of the blocks of a stream whose words are `step` apart */
static inline size_t pc_step(const struct pc_call *call, uint64_t step)
{
	return step * pd_stride(call->req->sys);
}

/*
 * Where a call is `paired`, every word is a line of the twins' memory: the block of
 * the set that an item is given, then its twin's. n words are so many blocks,
 * call->work.apart bytes from one to the next.
 */
static inline uint64_t pc_blocks(const struct pc_call *call, uint64_t n)
{
	return n << call->work.paired;
}

/* Take twins together, if there are any. */
static inline void pc_pair_up(struct pc_call *call)
{
	call->work.paired = call->req->shape->twins;
	call->work.apart = pd_stride(call->req->sys) >> call->work.paired;
}

/* the set, or its twin */
static inline uint32_t pc_twin(const struct pc_call *call, uint32_t set, unsigned int twin)
{
	return set + twin * call->req->shape->twins;
}

/* the first of the n-th two groups of a set that share lines */
static inline uint32_t pc_pair(const struct pc_call *call, uint32_t n)
{
	uint32_t pairs = call->req->shape->pairs;

	return n / pairs * 2 * pairs + n % pairs;
}

/*
 * Whether a fold takes the two groups of a set that share lines at once, row by row, each into
 * an accumulator of its own: where the order does not matter to the result, lines are read as
 * they lie.
 */
static inline bool pc_folds_pairs(const struct pc_call *call)
{
	const struct pc_shape *shape = call->req->shape;

	return shape->pairs && shape->lanes.nl == 8 && call->req->fold.reduce &&
	       call->req->fold.exact;
}

/* the group of a set that a fold visits after `sources` from the e-th on */
static inline uint32_t pc_visited_next(const struct pc_call *call, uint32_t e, uint32_t sources)
{
	uint32_t pairs = pc_folds_pairs(call) ? call->req->shape->pairs : 0;

	e += sources;
	return e & pairs ? e + pairs : e;
}

/* the e-th entangled group of a set, as the hypercube numbers them */
static inline uint32_t pc_eg(const struct pc_call *call, uint32_t set,
			     uint32_t e)
{
	return call->req->shape->base[set] + call->req->shape->off[e];
}

/*
 * How many entangled groups of a set, from the e-th on, a fold takes at a visit:
 * where groups have few lanes there would be few streams of one alone, and the
 * accumulator would be loaded and stored for each.
 */
static inline uint32_t pc_sources(const struct pc_call *call, uint32_t e)
{
	uint32_t left = call->req->shape->egs - e;
	uint32_t count = PC_FOLD_STREAMS >> call->req->shape->lanes.bits;

	if (!call->req->fold.reduce || !count)
		return 1;
	while (count > left)
		count /= 2;
	return count;
}

/* whether streams of several groups are asked for by turns */
static inline bool pc_groups_beside(const struct pc_call *call)
{
	return call->req->moves->beside || call->req->sys->asks_first;
}

/*
 * What a visit to `sources` groups of a set from the e-th on asks for: `sources` of
 * them from e on, in the next tile if the set has been visited. `beside`: its streams ask
 * for what comes next in each of them, where the loops do.
 *
 * Groups of a set that share lines by pairs are to be read as these lie: every other line,
 * and those between later, take half as long again. Where `lines` is set pc_ask_lines() makes
 * that of their streams. Where the two are not visited at once a visit asks for lower groups
 * a block of pairs further on, for all visits to a block to ask for an equal part: that to a
 * single group for one half of a pair's words, `half` 1 or 2.
 */
struct pc_next {
	uint32_t e, sources;
	unsigned int half;
	bool next_tile, lines;
};

struct pc_next pc_next_visit(const struct pc_call *call, uint32_t e, uint32_t sources,
			     bool beside);

/* Make streams of whole lines of those that pairs share, of both groups or the lower one,
 * whose blocks begin the lines. */
void pc_ask_lines(struct pc_ahead *ahead);

#endif /* PC_CALL_H */
