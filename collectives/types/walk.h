/* SPDX-License-Identifier: MIT */
/* Walks over a part's bytes, from any byte of the stream to any other. */
#ifndef PT_WALK_H
#define PT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/types.h>

#include "collectives/types/nodes.h"

/* a part as one layout */
struct pt_whole {
	const struct pt_node *node;	/* NULL: no bytes */
	int64_t off;			/* of its first byte, from the buffer's address */
	uint64_t size;
	int64_t lo, hi;			/* the buffer's bytes that it has lie there */
	struct pt_node loop;		/* over the part's types, if there is any */
	struct pt_node dense;
};

/*
 * Runs of memory which follow each other in the stream: n[1] times n[0] of len bytes,
 * the inner ones stride[0] apart, or n[0] at mem + offs[]. None of the numbers is 0.
 */
struct pt_leaf {
	int64_t mem;
	uint64_t at;		/* from the walk's first byte of the stream */
	uint64_t len;
	uint64_t n[2];
	int64_t stride[2];
	const int64_t *offs;
};

/* false ends the walk */
typedef bool (*pt_leaf_fn)(void *ctx, const struct pt_leaf *leaf);

/* -EINVAL and a sentence that calls the part `name` */
int pt_whole_of(struct pt_whole *whole, const struct pimtype_part *part,
		const char *name);
/* [first, first + bytes) of the stream, which has them */
bool pt_walk(const struct pt_whole *whole, uint64_t first, uint64_t bytes,
	     pt_leaf_fn fn, void *ctx);
/* the run that a part is, where it is one */
static inline bool pt_is_run(const struct pt_whole *whole)
{
	return whole->node && whole->node->kind == PT_DENSE;
}

#endif /* PT_WALK_H */
