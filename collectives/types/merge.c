// SPDX-License-Identifier: MIT
/*
 * Merges two layouts: loops that turn together stay loops, lists that have the same
 * lengths stay lists, and what is left is taken run by run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/types/merge.h"
#include "runtime/base/error.h"

#define MOST_RUNS	65536	/* of what is taken run by run */
#define SOME_RUNS	64

/* n turns of a child, or of `len` bytes where there is none */
struct view {
	int64_t off, stride;
	uint64_t n, len;
	const struct pt_node *child;
};

struct merge {
	uint64_t runs;	/* so many may still be taken run by run */
};

/* 1: no merged layout is worth it */
#define UNFIT	1

static int merge_views(struct merge *m, struct view to, struct view from,
		       struct pt_entry *e);

static struct view view_of(const struct pt_node *node, int64_t off)
{
	if (node->kind == PT_LOOP)
		return (struct view){
			.off = off, .stride = node->stride[0], .n = node->n,
			.len = node->child->size,
			.child = node->child->kind == PT_DENSE ? NULL :
								 node->child,
		};
	return (struct view){ .off = off, .n = 1, .len = node->size,
			      .child = node->kind == PT_DENSE ? NULL : node };
}

static struct view run_view(int64_t off, uint64_t bytes)
{
	return (struct view){ .off = off, .n = 1, .len = bytes };
}

static bool is_run(const struct view *v)
{
	return v->n == 1 && !v->child;
}

/* a run as turns of so many bytes */
static struct view cut(struct view v, uint64_t len)
{
	v.n = v.len / len;
	v.stride = (int64_t)len;
	v.len = len;
	return v;
}

/* `each` turns of every turn */
static struct view group(struct view v, uint64_t each)
{
	return (struct view){ .off = 0, .stride = v.stride, .n = each,
			      .len = v.len, .child = v.child };
}

/* n turns of what is merged already, which becomes part of it */
static int merged_turns(uint64_t n, int64_t to, int64_t from,
			struct pt_entry inner, struct pt_entry *e)
{
	struct pt_node *loop, *child = inner.node;

	*e = inner;
	e->size = n * inner.size;
	if (n == 1)
		return 0;
	if (!child && to == (int64_t)inner.size && from == to)
		return 0;
	loop = pt_node_new(PT_LOOP, 0, 0);
	if (loop && !child) {
		child = pt_node_new(PT_DENSE, 0, 0);
		if (child)
			child->size = inner.size;
	}
	if (!loop || !child) {
		pt_put(loop);
		pt_put(inner.node);
		return -ENOMEM;
	}
	loop->n = n;
	loop->size = e->size;
	loop->stride[0] = to;
	loop->stride[1] = from;
	loop->child = child;
	e->node = loop;
	return 0;
}

/* outer turns of both at once */
static int merge_turns(struct merge *m, uint64_t n, struct view to,
		       struct view from, struct pt_entry *e)
{
	struct view a = to, b = from;
	struct pt_entry inner;
	int ret;

	a.n /= n;
	b.n /= n;
	a = group(a, a.n);
	b = group(b, b.n);
	ret = merge_views(m, a, b, &inner);
	if (ret)
		return ret;
	inner.off[0] += to.off;
	inner.off[1] += from.off;
	return merged_turns(n, to.stride * (int64_t)a.n,
			    from.stride * (int64_t)b.n, inner, e);
}

/* runs of one length, as offsets alone */
static void entries_to_pairs(const struct pt_entry *entries, uint64_t n,
			     struct pt_node *pairs)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t in = 0; in < entries[i].size; in += pairs->len) {
			pairs->offs[at++] = entries[i].off[0] + (int64_t)in;
			pairs->offs[at++] = entries[i].off[1] + (int64_t)in;
		}
	}
}

/* entries that have a length in common as pairs, others as a list; takes their nodes */
static int entries_to_node(struct pt_entry *entries, uint64_t n,
			   struct pt_entry *e)
{
	uint64_t len, size = 0;
	struct pt_node *node;

	for (uint64_t i = 0; i < n; i++)
		size += entries[i].size;
	len = pt_unit(entries, n, size);
	node = pt_node_new(len ? PT_PAIRS : PT_LIST, len ? 2 * (size / len) : 0,
			   len ? 0 : n);
	if (!node)
		return -ENOMEM;
	node->n = len ? size / len : n;
	node->len = len;
	node->size = size;
	if (len)
		entries_to_pairs(entries, n, node);
	else
		memcpy(node->entries, entries, n * sizeof(*entries));
	*e = (struct pt_entry){ .size = size, .node = node };
	return 0;
}

static int end_entries(int ret, struct pt_entry *entries, uint64_t n,
		       struct pt_entry *e)
{
	if (!ret && n == 1)
		*e = entries[0];
	else if (!ret)
		ret = entries_to_node(entries, n, e);
	for (uint64_t i = 0; i < n && ret; i++)
		pt_put(entries[i].node);
	free(entries);
	return ret;
}

/* the next runs of one side */
struct runs {
	struct pt_whole whole;
	uint64_t at;
	struct pimtype_piece pieces[SOME_RUNS];
	uint64_t n, next;
};

static bool take_run(void *ctx, const struct pt_leaf *leaf)
{
	struct runs *r = ctx;

	for (uint64_t i = 0; i < leaf->n[0] * leaf->n[1]; i++) {
		uint64_t in = i % leaf->n[0];
		int64_t off = leaf->mem +
			      (int64_t)(i / leaf->n[0]) * leaf->stride[1] +
			      (leaf->offs ? leaf->offs[in] :
					    (int64_t)in * leaf->stride[0]);

		if (r->n == SOME_RUNS)
			return false;
		r->pieces[r->n++] = (struct pimtype_piece){ off, leaf->len };
	}
	return true;
}

static void runs_begin(struct runs *r, const struct view *v)
{
	struct pt_whole *w = &r->whole;

	*r = (struct runs){ .at = 0 };
	w->size = v->n * v->len;
	w->off = v->off;
	w->dense = (struct pt_node){ .kind = PT_DENSE, .size = v->len };
	w->loop = (struct pt_node){
		.kind = PT_LOOP, .n = v->n, .size = w->size,
		.stride = { v->stride, (int64_t)v->len },
		.child = v->child ? (struct pt_node *)(uintptr_t)v->child :
				    &w->dense,
	};
	w->node = &w->loop;
}

static struct pimtype_piece *runs_next(struct runs *r)
{
	if (r->next == r->n) {
		r->n = r->next = 0;
		pt_walk(&r->whole, r->at, r->whole.size - r->at, take_run, r);
	}
	return &r->pieces[r->next];
}

static void runs_take(struct runs *r, uint64_t bytes)
{
	struct pimtype_piece *p = &r->pieces[r->next];

	r->at += bytes;
	p->offset += (int64_t)bytes;
	p->bytes -= bytes;
	if (!p->bytes)
		r->next++;
}

/* false: no room */
static bool add_entry(struct pt_entry *entries, uint64_t *n, uint64_t room,
		      int64_t to, int64_t from, uint64_t bytes)
{
	struct pt_entry *last = *n ? &entries[*n - 1] : NULL;

	if (last && last->off[0] + (int64_t)last->size == to &&
	    last->off[1] + (int64_t)last->size == from) {
		last->size += bytes;
		return true;
	}
	if (*n == room)
		return false;
	entries[(*n)++] = (struct pt_entry){ .off = { to, from }, .size = bytes };
	return true;
}

static int zip_runs(struct runs *a, struct runs *b, struct merge *m,
		    struct pt_entry *e)
{
	struct pt_entry *entries = malloc(m->runs * sizeof(*entries));
	uint64_t n = 0;
	int ret = entries ? 0 : -ENOMEM;

	while (!ret && a->at < a->whole.size) {
		const struct pimtype_piece *to = runs_next(a);
		const struct pimtype_piece *from = runs_next(b);
		uint64_t bytes = to->bytes < from->bytes ? to->bytes :
							   from->bytes;

		if (!add_entry(entries, &n, m->runs, to->offset, from->offset,
			       bytes))
			ret = UNFIT;
		runs_take(a, bytes);
		runs_take(b, bytes);
	}
	m->runs -= n;
	return end_entries(ret, entries, n, e);
}

static int zip_views(struct merge *m, const struct view *to,
		     const struct view *from, struct pt_entry *e)
{
	struct runs *both;
	int ret;

	if (!m->runs)
		return UNFIT;
	both = malloc(2 * sizeof(*both));
	if (!both)
		return -ENOMEM;
	runs_begin(&both[0], to);
	runs_begin(&both[1], from);
	ret = zip_runs(&both[0], &both[1], m, e);
	free(both);
	return ret;
}

/* the part of a view that an entry of a list is merged with */
static struct view list_view(const struct pt_node *list, uint64_t i)
{
	const struct pt_entry *e = &list->entries[i];

	return e->node ? view_of(e->node, e->off[0]) :
			 run_view(e->off[0], e->size);
}

static bool same_lengths(const struct pt_node *a, const struct pt_node *b)
{
	if (a->n != b->n)
		return false;
	for (uint64_t i = 0; i < a->n; i++) {
		if (a->entries[i].size != b->entries[i].size)
			return false;
	}
	return true;
}

/* one side is a list of others, and the other one as well or a run */
static int merge_lists(struct merge *m, const struct view *to,
		       const struct view *from, struct pt_entry *e)
{
	const struct pt_node *lead = to->child ? to->child : from->child;
	struct pt_entry *entries = NULL;
	uint64_t i = 0;
	int64_t at = 0;
	int ret = lead->n > m->runs ? UNFIT : 0;

	if (!ret) {
		entries = calloc(lead->n, sizeof(*entries));
		ret = entries ? 0 : -ENOMEM;
	}
	for (; i < lead->n && !ret; i++) {
		uint64_t bytes = lead->entries[i].size;

		ret = merge_views(m, to->child ? list_view(to->child, i) :
						 run_view(at, bytes),
				  from->child ? list_view(from->child, i) :
						run_view(at, bytes),
				  &entries[i]);
		if (ret)
			break;
		entries[i].off[0] += to->off;
		entries[i].off[1] += from->off;
		at += (int64_t)bytes;
	}
	if (!ret)
		m->runs -= lead->n;
	return end_entries(ret, entries, i, e);
}

static bool is_list(const struct view *v)
{
	return v->n == 1 && v->child && v->child->kind == PT_LIST;
}

/* turns of both that begin together: as many as divide the two into equal parts */
static uint64_t common_turns(const struct view *to, const struct view *from)
{
	return pt_common_divisor(to->n, from->n);
}

/* a turn of one that is no loop is what it turns */
static struct view opened(struct view v)
{
	if (v.n == 1 && v.child && v.child->kind == PT_LOOP)
		return view_of(v.child, v.off);
	return v;
}

/* Both have as many bytes. On failure *e has nothing. */
static int merge_views(struct merge *m, struct view to, struct view from,
		       struct pt_entry *e)
{
	to = opened(to);
	from = opened(from);
	if (is_run(&to) && is_run(&from)) {
		*e = (struct pt_entry){ .off = { to.off, from.off },
					.size = to.len };
		return 0;
	}
	if (is_run(&to) && from.n > 1)
		to = cut(to, from.len);
	else if (is_run(&from) && to.n > 1)
		from = cut(from, to.len);
	if (common_turns(&to, &from) > 1)
		return merge_turns(m, common_turns(&to, &from), to, from, e);
	if ((is_list(&to) && is_list(&from) &&
	     same_lengths(to.child, from.child)) ||
	    (is_list(&to) && is_run(&from)) || (is_run(&to) && is_list(&from)))
		return merge_lists(m, &to, &from, e);
	return zip_views(m, &to, &from, e);
}

int pt_merge(const struct pt_whole *to, const struct pt_whole *from,
	     struct pt_node **merged)
{
	struct merge m = { .runs = MOST_RUNS };
	struct pt_entry e;
	int ret = merge_views(&m, view_of(to->node, 0), view_of(from->node, 0),
			      &e);

	*merged = NULL;
	if (ret == UNFIT)
		return 0;
	if (!ret && !e.node) {
		e.node = pt_node_new(PT_DENSE, 0, 0);
		if (e.node)
			e.node->size = e.size;
		ret = e.node ? 0 : -ENOMEM;
	}
	if (ret)
		return pd_error(ENOMEM, "no memory for a merged layout");
	*merged = e.node;
	return 0;
}
