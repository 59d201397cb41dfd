// SPDX-License-Identifier: MIT
/* Walks over layouts: whole loops at once, pieces of them where a walk begins or ends. */
#include <errno.h>
#include <inttypes.h>

#include "collectives/types/type.h"
#include "collectives/types/walk.h"
#include "runtime/base/error.h"

struct walk {
	pt_leaf_fn fn;
	void *ctx;
};

static int span_too_large(const char *name)
{
	return pd_error(EINVAL,
			"%s: its offset, count and type reach 2^63 bytes, expected less",
			name);
}

/* n of them, a step apart: a run where they touch, else a loop */
static bool whole_repeat(struct pt_whole *w, const struct pt_node *node,
			 uint64_t n, int64_t step)
{
	int64_t last, size;

	if (n - 1 > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)(n - 1), step, &last) ||
	    n > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)n, (int64_t)node->size, &size) ||
	    __builtin_add_overflow(node->lo, last < 0 ? last : 0, &w->lo) ||
	    __builtin_add_overflow(node->hi, last > 0 ? last : 0, &w->hi))
		return false;
	w->size = (uint64_t)size;
	if (node->kind == PT_DENSE && step == (int64_t)node->size) {
		w->dense = (struct pt_node){ .kind = PT_DENSE, .size = w->size,
					     .hi = size, .n = 1, .depth = 1 };
		w->node = &w->dense;
		return true;
	}
	w->loop = (struct pt_node){
		.kind = PT_LOOP, .size = w->size, .lo = w->lo, .hi = w->hi,
		.n = n, .stride = { step, (int64_t)node->size },
		.child = (struct pt_node *)(uintptr_t)node,
		.depth = node->depth + 1,
	};
	/* a loop whose last step leads to where the next one begins */
	if (node->kind == PT_LOOP &&
	    !__builtin_mul_overflow((int64_t)node->n, node->stride[0], &last) &&
	    last == step) {
		w->loop.n = n * node->n;
		w->loop.child = node->child;
		w->loop.stride[0] = node->stride[0];
		w->loop.stride[1] = node->stride[1];
	}
	w->node = &w->loop;
	return true;
}

int pt_whole_of(struct pt_whole *w, const struct pimtype_part *part,
		const char *name)
{
	const struct pimtype *type = part->type;
	const struct pt_node *node;
	int ret;

	w->node = NULL;
	w->size = 0;
	w->off = part->offset;
	w->lo = w->hi = part->offset;
	if (!type && !part->count)
		return 0;
	if (!type)
		return pd_error(EINVAL, "%s: type is NULL, expected one for count=%llu",
				name, (unsigned long long)part->count);
	ret = pt_check_type(name, type);
	if (ret)
		return ret;
	node = type->layout.node;
	if (!node || !part->count)
		return 0;
	if (part->count == 1) {
		w->node = node;
		w->size = node->size;
		w->lo = node->lo;
		w->hi = node->hi;
	} else if (!whole_repeat(w, node, part->count, pt_extent(type))) {
		return span_too_large(name);
	}
	if (__builtin_add_overflow(w->off, type->layout.off, &w->off) ||
	    __builtin_add_overflow(w->off, w->lo, &w->lo) ||
	    __builtin_add_overflow(w->off, w->hi, &w->hi))
		return span_too_large(name);
	return 0;
}

static bool walk_node(const struct walk *walk, const struct pt_node *node,
		      int64_t mem, uint64_t at, uint64_t first, uint64_t bytes);

static bool walk_run(const struct walk *walk, int64_t mem, uint64_t at,
		     uint64_t bytes)
{
	const struct pt_leaf leaf = { .mem = mem, .at = at, .len = bytes,
				      .n = { 1, 1 } };

	return walk->fn(walk->ctx, &leaf);
}

/* n whole ones of a loop */
static bool walk_turns(const struct walk *walk, const struct pt_node *loop,
		       int64_t mem, uint64_t at, uint64_t n)
{
	const struct pt_node *child = loop->child;
	struct pt_leaf leaf = { .mem = mem, .at = at, .len = child->size,
				.n = { n, 1 }, .stride = { loop->stride[0], 0 } };

	if (child->kind == PT_DENSE)
		return walk->fn(walk->ctx, &leaf);
	if (child->kind == PT_LOOP && child->child->kind == PT_DENSE) {
		leaf.len = child->child->size;
		leaf.n[0] = child->n;
		leaf.n[1] = n;
		leaf.stride[0] = child->stride[0];
		leaf.stride[1] = loop->stride[0];
		return walk->fn(walk->ctx, &leaf);
	}
	for (uint64_t i = 0; i < n; i++) {
		/* behind the last one there may be no number */
		mem += i ? loop->stride[0] : 0;
		if (!walk_node(walk, child, mem, at, 0, child->size))
			return false;
		at += child->size;
	}
	return true;
}

/* a part of the loop's number i */
static bool walk_turn(const struct walk *walk, const struct pt_node *loop,
		      uint64_t i, int64_t mem, uint64_t at, uint64_t first,
		      uint64_t bytes)
{
	return walk_node(walk, loop->child,
			 mem + (int64_t)i * loop->stride[0], at, first, bytes);
}

static bool walk_loop(const struct walk *walk, const struct pt_node *loop,
		      int64_t mem, uint64_t at, uint64_t first, uint64_t bytes)
{
	const uint64_t size = loop->child->size;
	uint64_t i = 0, inside = 0, n;

	if (first) {
		i = first / size;
		inside = first % size;
	}
	if (inside) {
		uint64_t had = size - inside < bytes ? size - inside : bytes;

		if (!walk_turn(walk, loop, i++, mem, at, inside, had))
			return false;
		at += had;
		bytes -= had;
	}
	n = bytes == loop->size ? loop->n : bytes / size;
	if (n && !walk_turns(walk, loop, mem + (int64_t)i * loop->stride[0],
			     at, n))
		return false;
	bytes -= n * size;
	return !bytes || walk_turn(walk, loop, i + n, mem, at + n * size, 0,
				   bytes);
}

static bool walk_blocks(const struct walk *walk, const struct pt_node *node,
			int64_t mem, uint64_t at, uint64_t first, uint64_t bytes)
{
	uint64_t i = first / node->len, inside = first % node->len, n;
	struct pt_leaf leaf = { .mem = mem, .len = node->len, .n = { 1, 1 } };

	if (inside) {
		uint64_t had = node->len - inside;

		had = had < bytes ? had : bytes;
		if (!walk_run(walk, mem + node->offs[i++] + (int64_t)inside, at,
			      had))
			return false;
		at += had;
		bytes -= had;
	}
	n = bytes / node->len;
	leaf.at = at;
	leaf.n[0] = n;
	leaf.offs = node->offs + i;
	if (n && !walk->fn(walk->ctx, &leaf))
		return false;
	bytes -= n * node->len;
	return !bytes || walk_run(walk, mem + node->offs[i + n],
				  at + n * node->len, bytes);
}

/* the entry that has byte `first` of a list's stream */
static uint64_t entry_of(const struct pt_node *list, uint64_t first)
{
	uint64_t low = 0, high = list->n - 1;

	while (low < high) {
		uint64_t mid = low + (high - low + 1) / 2;

		if ((uint64_t)list->entries[mid].off[1] <= first)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

static bool walk_list(const struct walk *walk, const struct pt_node *list,
		      int64_t mem, uint64_t at, uint64_t first, uint64_t bytes)
{
	uint64_t i = first ? entry_of(list, first) : 0;
	uint64_t inside = first - (uint64_t)list->entries[i].off[1];

	for (; bytes; i++) {
		const struct pt_entry *e = &list->entries[i];
		uint64_t had = e->size - inside;
		int64_t from = mem + e->off[0];

		had = had < bytes ? had : bytes;
		if (!(e->node ? walk_node(walk, e->node, from, at, inside, had) :
				walk_run(walk, from + (int64_t)inside, at, had)))
			return false;
		at += had;
		bytes -= had;
		inside = 0;
	}
	return true;
}

static bool walk_node(const struct walk *walk, const struct pt_node *node,
		      int64_t mem, uint64_t at, uint64_t first, uint64_t bytes)
{
	switch ((enum pt_kind)node->kind) {
	case PT_LOOP:
		return walk_loop(walk, node, mem, at, first, bytes);
	case PT_BLOCKS:
		return walk_blocks(walk, node, mem, at, first, bytes);
	case PT_LIST:
		return walk_list(walk, node, mem, at, first, bytes);
	default:
		return walk_run(walk, mem + (int64_t)first, at, bytes);
	}
}

bool pt_walk(const struct pt_whole *whole, uint64_t first, uint64_t bytes,
	     pt_leaf_fn fn, void *ctx)
{
	const struct walk walk = { fn, ctx };

	return !bytes || walk_node(&walk, whole->node, whole->off, 0, first,
				   bytes);
}
