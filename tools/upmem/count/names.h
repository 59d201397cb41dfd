/* SPDX-License-Identifier: MIT */
/*
 * The names of a function's values and blocks: which instruction yields a value, and
 * which take it. Made once a function, so that looking one up takes no longer in a
 * large one.
 */
#ifndef COUNT_NAMES_H
#define COUNT_NAMES_H

#include "tools/upmem/count/ir.h"

#define NO_NAME ((size_t)-1)

struct name {
	struct text text;	/* with its % */
	size_t next;		/* of those whose text has the same hash, or NO_NAME */
	/* what yields it: NULL for an argument and a block */
	const struct instruction *by;
	size_t block, at;	/* where that is; of a block's name, which block */
	bool of_block;
	/* instructions that take it, all and by what they do */
	size_t uses, in_phi, in_br, in_select;
	size_t last_use;	/* number of the instruction that was counted last */
};

struct names {
	struct name *all;
	size_t nr;
	size_t *buckets, nr_buckets;
};

/* Sets those of @f, and its blocks' predecessors. */
void names_of(struct function *f);
void names_free(struct function *f);

/* Its number, or NO_NAME. */
size_t names_find(const struct names *n, struct text text);

/* The block that a label without % names, or NO_NAME. */
size_t names_block(const struct names *n, struct text label);

#endif /* COUNT_NAMES_H */
