/* SPDX-License-Identifier: MIT */
/*
 * Normalised layouts: trees of loops and lists over runs of bytes. A node is counted
 * by its users and never changes. Offsets are from the layout's first byte in the
 * order of the stream; side 0 is memory, side 1 the stream or, in a layout merged of
 * two, the other memory.
 */
#ifndef PT_NODES_H
#define PT_NODES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum pt_kind {
	PT_DENSE,	/* size bytes */
	PT_LOOP,	/* n of child, stride[] apart */
	PT_BLOCKS,	/* n runs of len bytes, at offs[]; packed on side 1 */
	PT_PAIRS,	/* the same of a merged layout: two offsets each */
	PT_LIST,	/* n entries */
};

/* whether a layout has any byte twice */
enum pt_apart {
	PT_APART_UNKNOWN,
	PT_APART_YES,
	PT_APART_NO,
};

struct pt_node;

struct pt_entry {
	int64_t off[2];
	uint64_t size;		/* bytes of data */
	struct pt_node *node;	/* NULL: a run of bytes */
};

struct pt_node {
	_Atomic uint32_t refs;
	uint8_t kind;
	uint8_t depth;		/* 1 without a child */
	_Atomic uint8_t apart;	/* enum pt_apart */
	uint64_t size;		/* bytes of data, 1 at least */
	uint64_t pieces;	/* contiguous runs at most, UINT64_MAX for more */
	uint64_t hash;
	int64_t lo, hi;		/* data lies in [lo, hi) on side 0 */
	uint64_t n;
	uint64_t len;
	int64_t stride[2];
	struct pt_node *child;
	int64_t *offs;		/* these two behind the node */
	struct pt_entry *entries;
};

/* a tree and where its first byte lies; NULL: no bytes at all */
struct pt_layout {
	int64_t off;
	struct pt_node *node;
};

/* where a list of layouts is collected */
struct pt_list {
	struct pt_entry *entries;
	uint64_t n, room;
	uint64_t size;
};

struct pt_node *pt_get(struct pt_node *node);
void pt_put(struct pt_node *node);
/* whether two are the same layout, whatever their addresses */
bool pt_same(const struct pt_node *a, const struct pt_node *b);
uint64_t pt_mix(uint64_t hash, uint64_t value);

/*
 * New layouts of others, which stay their owners'. -ENOMEM, or -EINVAL and a sentence
 * where a number would reach 2^63 or the tree become too deep.
 */
int pt_dense(uint64_t bytes, struct pt_layout *layout);
int pt_repeat(struct pt_layout old, uint64_t n, int64_t stride,
	      struct pt_layout *layout);

/* one after the other: begin with room for so many, add, end */
int pt_list_begin(struct pt_list *list, uint64_t room);
/* `old` moved by `move` */
int pt_list_add(struct pt_list *list, struct pt_layout old, int64_t move);
/* a run of bytes, for which no node is needed */
int pt_list_add_run(struct pt_list *list, int64_t off, uint64_t bytes);
int pt_list_end(struct pt_list *list, struct pt_layout *layout);
/* ends it without a layout */
void pt_list_drop(struct pt_list *list);

/*
 * The length that all runs have, or that all are multiples of where that cuts them into no
 * more than PT_UNITS_MOST times as many: a loop over one length is several times as fast as
 * runs of which each has its own, and a list of which some happen to touch has two. 0: there
 * is none, or not only runs.
 */
#define PT_UNITS_MOST	2
uint64_t pt_unit(const struct pt_entry *entries, uint64_t n, uint64_t size);
/* the greatest number that divides both */
uint64_t pt_common_divisor(uint64_t a, uint64_t b);

/* a node to fill: with so many offsets or entries behind it; NULL and a sentence */
struct pt_node *pt_node_new(enum pt_kind kind, uint64_t offs, uint64_t entries);

/* -EINVAL and a sentence */
int pt_too_large(void);

#endif /* PT_NODES_H */
