// SPDX-License-Identifier: MIT
/* Builds normalised layouts: merges what touches, keeps strides as loops. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/types.h>

#include "collectives/types/nodes.h"
#include "runtime/base/error.h"

int pt_too_large(void)
{
	return pd_error(EINVAL,
			"the type's size, offsets or bounds reach 2^63, expected less");
}

uint64_t pt_mix(uint64_t hash, uint64_t value)
{
	uint64_t x = (hash ^ value) * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

struct pt_node *pt_node_new(enum pt_kind kind, uint64_t offs, uint64_t entries)
{
	uint64_t bytes;
	struct pt_node *node;

	if (__builtin_mul_overflow(offs, sizeof(*node->offs), &bytes) ||
	    __builtin_add_overflow(bytes, entries * sizeof(*node->entries), &bytes) ||
	    entries > SSIZE_MAX / sizeof(*node->entries) ||
	    __builtin_add_overflow(bytes, sizeof(*node), &bytes))
		bytes = SIZE_MAX;
	node = bytes > SSIZE_MAX ? NULL : malloc(bytes);
	if (!node) {
		pd_error_keep("no memory for a type of %llu runs",
			      (unsigned long long)(offs + entries));
		return NULL;
	}
	*node = (struct pt_node){ .kind = (uint8_t)kind, .depth = 1, .n = 1 };
	atomic_init(&node->refs, 1);
	node->offs = offs ? (int64_t *)(node + 1) : NULL;
	node->entries = entries ? (struct pt_entry *)(node + 1) : NULL;
	return node;
}

struct pt_node *pt_get(struct pt_node *node)
{
	if (node)
		atomic_fetch_add_explicit(&node->refs, 1, memory_order_relaxed);
	return node;
}

void pt_put(struct pt_node *node)
{
	if (!node || atomic_fetch_sub_explicit(&node->refs, 1,
					       memory_order_acq_rel) != 1)
		return;
	pt_put(node->child);
	if (node->kind == PT_LIST) {
		for (uint64_t i = 0; i < node->n; i++)
			pt_put(node->entries[i].node);
	}
	free(node);
}

/*
 * Nodes that have users many times over make trees without end of few nodes: where so
 * many have been compared, they pass for different, which costs time and no more.
 */
#define NODES_COMPARED	4096

static bool same_nodes(const struct pt_node *a, const struct pt_node *b,
		       unsigned int *left);

static bool same_entries(const struct pt_node *a, const struct pt_node *b,
			 unsigned int *left)
{
	for (uint64_t i = 0; i < a->n; i++) {
		const struct pt_entry *x = &a->entries[i], *y = &b->entries[i];

		if (x->off[0] != y->off[0] || x->off[1] != y->off[1] ||
		    x->size != y->size || !same_nodes(x->node, y->node, left))
			return false;
	}
	return true;
}

static bool same_offs(const struct pt_node *a, const struct pt_node *b,
		      uint64_t each)
{
	return !memcmp(a->offs, b->offs, each * a->n * sizeof(*a->offs));
}

static bool same_nodes(const struct pt_node *a, const struct pt_node *b,
		       unsigned int *left)
{
	if (a == b)
		return true;
	if (!a || !b || a->hash != b->hash || a->kind != b->kind ||
	    a->size != b->size || a->n != b->n || a->len != b->len ||
	    a->stride[0] != b->stride[0] || a->stride[1] != b->stride[1] ||
	    !*left)
		return false;
	--*left;
	switch ((enum pt_kind)a->kind) {
	case PT_LOOP:
		return same_nodes(a->child, b->child, left);
	case PT_BLOCKS:
		return same_offs(a, b, 1);
	case PT_PAIRS:
		return same_offs(a, b, 2);
	case PT_LIST:
		return same_entries(a, b, left);
	default:
		return true;
	}
}

bool pt_same(const struct pt_node *a, const struct pt_node *b)
{
	unsigned int left = NODES_COMPARED;

	return same_nodes(a, b, &left);
}

static uint64_t hash_begin(const struct pt_node *node)
{
	return pt_mix(pt_mix(node->kind + 1u, node->size), node->n);
}

int pt_dense(uint64_t bytes, struct pt_layout *layout)
{
	struct pt_node *node;

	*layout = (struct pt_layout){ 0 };
	if (!bytes)
		return 0;
	if (bytes > INT64_MAX)
		return pt_too_large();
	node = pt_node_new(PT_DENSE, 0, 0);
	if (!node)
		return -ENOMEM;
	node->size = bytes;
	node->pieces = 1;
	node->hi = (int64_t)bytes;
	node->hash = hash_begin(node);
	layout->node = node;
	return 0;
}

/* [lo, hi) of n of them, stride apart; false where a number reaches 2^63 */
static bool span_of_loop(const struct pt_node *child, uint64_t n, int64_t stride,
			 int64_t *lo, int64_t *hi)
{
	int64_t last;

	if (n - 1 > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)(n - 1), stride, &last))
		return false;
	return !__builtin_add_overflow(child->lo, last < 0 ? last : 0, lo) &&
	       !__builtin_add_overflow(child->hi, last > 0 ? last : 0, hi);
}

static int loop_over(struct pt_node *child, uint64_t n, int64_t stride,
		     struct pt_node **loop)
{
	struct pt_node *node;
	int64_t lo, hi, size;

	if (n > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)n, (int64_t)child->size, &size) ||
	    !span_of_loop(child, n, stride, &lo, &hi))
		return pt_too_large();
	if (child->depth >= PIMTYPE_MAX_DEPTH)
		return pd_error(EINVAL,
				"the type is nested deeper than %d loops and lists",
				PIMTYPE_MAX_DEPTH);
	node = pt_node_new(PT_LOOP, 0, 0);
	if (!node)
		return -ENOMEM;
	node->n = n;
	node->size = (uint64_t)size;
	node->lo = lo;
	node->hi = hi;
	node->depth = child->depth + 1;
	node->stride[0] = stride;
	node->stride[1] = (int64_t)child->size;
	if (__builtin_mul_overflow(n, child->pieces, &node->pieces))
		node->pieces = UINT64_MAX;
	node->child = pt_get(child);
	node->hash = pt_mix(pt_mix(hash_begin(node), (uint64_t)stride),
			    child->hash);
	*loop = node;
	return 0;
}

int pt_repeat(struct pt_layout old, uint64_t n, int64_t stride,
	      struct pt_layout *layout)
{
	struct pt_node *node = old.node;
	uint64_t all;

	*layout = (struct pt_layout){ 0 };
	if (!n || !node)
		return 0;
	layout->off = old.off;
	if (n == 1) {
		layout->node = pt_get(node);
		return 0;
	}
	if (node->kind == PT_DENSE && stride >= 0 &&
	    (uint64_t)stride == node->size) {
		int ret;

		if (__builtin_mul_overflow(n, node->size, &all))
			return pt_too_large();
		ret = pt_dense(all, layout);
		layout->off = old.off;
		return ret;
	}
	/* a loop whose last step leads to where the next one begins */
	if (node->kind == PT_LOOP && !__builtin_mul_overflow(n, node->n, &all)) {
		int64_t turn;

		if (!__builtin_mul_overflow((int64_t)node->n, node->stride[0],
					    &turn) && turn == stride)
			return loop_over(node->child, all, node->stride[0],
					 &layout->node);
	}
	return loop_over(node, n, stride, &layout->node);
}

int pt_list_begin(struct pt_list *list, uint64_t room)
{
	*list = (struct pt_list){ .room = room };
	if (room > SSIZE_MAX / sizeof(*list->entries))
		return pd_error(ENOMEM, "no memory for a type of %llu runs",
				(unsigned long long)room);
	list->entries = malloc((room ? room : 1) * sizeof(*list->entries));
	return list->entries ? 0 : pd_error(ENOMEM, "no memory for a type of %llu runs",
					     (unsigned long long)room);
}

void pt_list_drop(struct pt_list *list)
{
	for (uint64_t i = 0; i < list->n; i++)
		pt_put(list->entries[i].node);
	free(list->entries);
	*list = (struct pt_list){ 0 };
}

/* all that is added goes through here: bytes that touch become one run */
static int list_append(struct pt_list *list, int64_t off, uint64_t size,
		       struct pt_node *node)
{
	struct pt_entry *last = list->n ? &list->entries[list->n - 1] : NULL;
	uint64_t at = list->size;
	int64_t end;

	if (__builtin_add_overflow(list->size, size, &list->size) ||
	    list->size > INT64_MAX ||
	    __builtin_add_overflow(off, (int64_t)size, &end))
		return pt_too_large();
	if (last && !node && !last->node &&
	    last->off[0] + (int64_t)last->size == off) {
		last->size += size;
		return 0;
	}
	list->entries[list->n++] = (struct pt_entry){
		.off = { off, (int64_t)at },
		.size = size,
		.node = pt_get(node),
	};
	return 0;
}

int pt_list_add_run(struct pt_list *list, int64_t off, uint64_t bytes)
{
	return bytes ? list_append(list, off, bytes, NULL) : 0;
}

int pt_list_add(struct pt_list *list, struct pt_layout old, int64_t move)
{
	struct pt_node *node = old.node;
	int64_t off, end;

	if (!node)
		return 0;
	if (__builtin_add_overflow(old.off, move, &off) ||
	    __builtin_add_overflow(off, node->hi, &end) ||
	    __builtin_add_overflow(off, node->lo, &end))
		return pt_too_large();
	return list_append(list, off, node->size,
			   node->kind == PT_DENSE ? NULL : node);
}

/* whether they are one layout again and again, evenly spaced */
static bool list_even(const struct pt_list *list)
{
	const struct pt_entry *e = list->entries;
	int64_t step, next;

	if (__builtin_sub_overflow(e[1].off[0], e[0].off[0], &step))
		return false;
	for (uint64_t i = 1; i < list->n; i++) {
		if (e[i].size != e[0].size || !pt_same(e[i].node, e[0].node) ||
		    __builtin_add_overflow(e[i - 1].off[0], step, &next) ||
		    next != e[i].off[0])
			return false;
	}
	return true;
}

static int list_to_loop(const struct pt_list *list, struct pt_layout *layout)
{
	const struct pt_entry *e = list->entries;
	struct pt_layout one = { 0 };
	int ret = 0;

	if (e->node)
		one.node = pt_get(e->node);
	else
		ret = pt_dense(e->size, &one);
	if (!ret)
		ret = pt_repeat(one, list->n,
				list->n > 1 ? e[1].off[0] - e[0].off[0] : 0,
				layout);
	layout->off = e->off[0];
	pt_put(one.node);
	return ret;
}

uint64_t pt_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

uint64_t pt_unit(const struct pt_entry *entries, uint64_t n, uint64_t size)
{
	uint64_t unit = entries[0].size;

	for (uint64_t i = 0; i < n && unit; i++) {
		if (entries[i].node)
			return 0;
		if (entries[i].size == unit)
			continue;
		unit = pt_common_divisor(unit, entries[i].size);
		if (size / unit > PT_UNITS_MOST * n)
			return 0;
	}
	return unit;
}

/* one more of a list at `off`: the bounds that follow; false: too large */
static bool list_widen(struct pt_node *node, int64_t off,
		       const struct pt_entry *e)
{
	int64_t lo = e->node ? e->node->lo : 0;
	int64_t hi = e->node ? e->node->hi : (int64_t)e->size;

	if (__builtin_add_overflow(off, lo, &lo) ||
	    __builtin_add_overflow(off, hi, &hi))
		return false;
	node->lo = lo < node->lo ? lo : node->lo;
	node->hi = hi > node->hi ? hi : node->hi;
	return true;
}

static uint64_t pieces_of(const struct pt_entry *e)
{
	return e->node ? e->node->pieces : 1;
}

/* an entry of a list becomes the node's, behind `*at` others; -EINVAL and a sentence */
static int list_settle(struct pt_node *node, struct pt_entry *e, uint64_t *at,
		       int64_t first)
{
	int64_t off;

	if (__builtin_sub_overflow(e->off[0], first, &off) ||
	    !list_widen(node, off, e))
		return pt_too_large();
	if (e->node && e->node->depth >= PIMTYPE_MAX_DEPTH)
		return pd_error(EINVAL,
				"the type is nested deeper than %d loops and lists",
				PIMTYPE_MAX_DEPTH);
	if (e->node && e->node->depth >= node->depth)
		node->depth = e->node->depth + 1;
	if (__builtin_add_overflow(node->pieces, pieces_of(e), &node->pieces))
		node->pieces = UINT64_MAX;
	node->hash = pt_mix(pt_mix(node->hash, (uint64_t)off), e->size);
	if (e->node)
		node->hash = pt_mix(node->hash, e->node->hash);
	if (node->kind == PT_BLOCKS) {
		for (uint64_t in = 0; in < e->size; in += node->len)
			node->offs[(*at)++] = off + (int64_t)in;
		return 0;
	}
	node->entries[*at] = *e;
	node->entries[(*at)++].off[0] = off;
	return 0;
}

static int list_to_node(struct pt_list *list, struct pt_layout *layout)
{
	uint64_t len = pt_unit(list->entries, list->n, list->size), at = 0;
	uint64_t n = len ? list->size / len : list->n;
	struct pt_node *node = pt_node_new(len ? PT_BLOCKS : PT_LIST,
					   len ? n : 0, len ? 0 : n);
	int ret = 0;

	if (!node)
		return -ENOMEM;
	node->n = n;
	node->len = len;
	node->size = list->size;
	node->stride[1] = (int64_t)len;
	node->lo = INT64_MAX;
	node->hi = INT64_MIN;
	node->hash = hash_begin(node);
	for (uint64_t i = 0; i < list->n && !ret; i++)
		ret = list_settle(node, &list->entries[i], &at,
				  list->entries[0].off[0]);
	if (ret) {
		free(node);
		return ret;
	}
	/* nodes of the entries are the list's from here on */
	layout->off = list->entries[0].off[0];
	layout->node = node;
	free(list->entries);
	*list = (struct pt_list){ 0 };
	return 0;
}

int pt_list_end(struct pt_list *list, struct pt_layout *layout)
{
	int ret = 0;

	*layout = (struct pt_layout){ 0 };
	if (list->n == 1 || (list->n && list_even(list)))
		ret = list_to_loop(list, layout);
	else if (list->n)
		ret = list_to_node(list, layout);
	pt_list_drop(list);
	return ret;
}
