/* SPDX-License-Identifier: MIT */
/*
 * How calls of `auto` run on a hypercube over several hosts. Host 0 decides for all and says
 * so with its arrival; it learns by whole calls, of which it has each way make a few.
 */
#ifndef PC_CUBES_CHOICES_H
#define PC_CUBES_CHOICES_H

#include <stdbool.h>
#include <stdint.h>

#include "collectives/call/crew.h"

/* ways that a kind of calls may have */
#define PC_CHOICES_WAYS	6
#define PC_CHOICES_KINDS	64

/* calls that do the same, so that what one has taken says something about the others */
struct pc_choice_kind {
	uint64_t what;		/* the collective, its groups, its operands */
	uint64_t work_set;	/* bytes; of one kind up to half as many more */
};

struct pc_choice {
	struct pc_choice_kind kind;
	struct pc_way ways[PC_CHOICES_WAYS];
	unsigned int count;
	bool mapped;		/* the groups' buffers, by all hosts */
	uint64_t used;		/* when; 0: the place is free */
	uint64_t calls, again;	/* calls so far, and the one that tries next */
	unsigned int at, times;	/* the way that is tried, and calls of it */
	unsigned int in_vain;	/* further ones, which told nothing */
	unsigned int best;
	uint64_t ns[PC_CHOICES_WAYS];
};

struct pc_choices {
	struct pc_choice known[PC_CHOICES_KINDS];
	struct pc_choice *current;	/* the call's that is on; NULL: nothing is learned of it */
	uint64_t now;
	bool tries;
};

/*
 * The way that the next call of the kind goes, of those given: the first where nothing is known,
 * and that is preferred.
 */
struct pc_way pc_choices_begin(struct pc_choices *c, const struct pc_choice_kind *kind,
			       const struct pc_way ways[], unsigned int count);
/*
 * It took so long; ns 0: it failed; faulted: a host had page faults meanwhile, which take longer
 * than what is tried, so that another call of the way is to tell.
 */
void pc_choices_end(struct pc_choices *c, uint64_t ns, bool mapped, bool faulted);

#endif /* PC_CUBES_CHOICES_H */
