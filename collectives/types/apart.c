// SPDX-License-Identifier: MIT
/*
 * Finds out whether a layout has a byte twice: from its strides where these tell, else
 * by marking each of its bytes. What is found of a node is kept there, and that loops which
 * are no type's keep apart for a while, by content.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <pimdimm/types.h>

#include "collectives/types/apart.h"
#include "collectives/types/layouts.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"

/* loops that were marked lately, which takes longer than to move what they name */
#define KEPT	16

struct axis_of {
	uint64_t n, step;
};

/* [lo, hi) of an entry of a list */
struct span {
	int64_t lo, hi;
};

static int by_step(const void *a, const void *b)
{
	const struct axis_of *x = a, *y = b;

	return (x->step > y->step) - (x->step < y->step);
}

static int by_lo(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static uint64_t magnitude(int64_t x)
{
	return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

/* bytes from the first to the last; of a count that goes backwards up to 2^64 - 1 */
static uint64_t extent_of(const struct pt_node *node)
{
	return (uint64_t)node->hi - (uint64_t)node->lo;
}

struct marks {
	uint8_t *bits;
	int64_t lo;
	bool twice;
};

static bool mark_run(struct marks *m, int64_t from, uint64_t bytes)
{
	for (uint64_t at = (uint64_t)(from - m->lo); bytes; at++, bytes--) {
		uint8_t bit = (uint8_t)(1u << at % 8);

		if (m->bits[at / 8] & bit) {
			m->twice = true;
			return false;
		}
		m->bits[at / 8] |= bit;
	}
	return true;
}

static bool mark_leaf(void *ctx, const struct pt_leaf *leaf)
{
	for (uint64_t j = 0; j < leaf->n[1]; j++) {
		int64_t mem = leaf->mem + (int64_t)j * leaf->stride[1];

		for (uint64_t i = 0; i < leaf->n[0]; i++) {
			int64_t at = leaf->offs ? leaf->offs[i] :
						  (int64_t)i * leaf->stride[0];

			if (!mark_run(ctx, mem + at, leaf->len))
				return false;
		}
	}
	return true;
}

/* every byte of [lo, hi) once; PT_APART_UNKNOWN: no memory */
static enum pt_apart mark_all(const struct pt_node *node)
{
	struct pt_whole whole = { .node = node, .size = node->size };
	uint64_t span = extent_of(node);
	struct marks m = { .lo = node->lo };

	m.bits = calloc(span / 8 + 1, 1);
	if (!m.bits)
		return PT_APART_UNKNOWN;
	pt_walk(&whole, 0, whole.size, mark_leaf, &m);
	free(m.bits);
	return m.twice ? PT_APART_NO : PT_APART_YES;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pt_side marked[KEPT];	/* they keep apart */
static unsigned int oldest;

PD_FORK_SAFE(&lock);

static bool is_kept(const struct pt_side *side)
{
	unsigned int i = 0;

	pthread_mutex_lock(&lock);
	while (i < KEPT && !(marked[i].node && pt_same_side(&marked[i], side)))
		i++;
	pthread_mutex_unlock(&lock);
	return i < KEPT;
}

static void keep(struct pt_side side)
{
	struct pt_side drop;

	pt_get((struct pt_node *)(uintptr_t)side.node);
	pthread_mutex_lock(&lock);
	drop = marked[oldest];
	marked[oldest] = side;
	oldest = (oldest + 1) % KEPT;
	pthread_mutex_unlock(&lock);
	pt_put((struct pt_node *)(uintptr_t)drop.node);
}

/* That of a part over several of a type is made anew for each call, and keeps nothing itself. */
static enum pt_apart mark_loop(const struct pt_node *loop)
{
	const struct pt_side side = { loop->child, loop->n, loop->stride[0] };
	enum pt_apart apart;

	if (is_kept(&side))
		return PT_APART_YES;
	apart = mark_all(loop);
	if (apart == PT_APART_YES)
		keep(side);
	return apart;
}

static enum pt_apart node_apart(const struct pt_node *node);

static struct span span_at(const struct pt_node *list, uint64_t i)
{
	const struct pt_entry *e;
	int64_t off;

	if (list->kind == PT_BLOCKS)
		return (struct span){ list->offs[i],
				      list->offs[i] + (int64_t)list->len };
	e = &list->entries[i];
	off = e->off[0];
	if (!e->node)
		return (struct span){ off, off + (int64_t)e->size };
	return (struct span){ off + e->node->lo, off + e->node->hi };
}

/* whether runs that are in order of their places keep apart */
static bool spans_apart(const struct span spans[], uint64_t n)
{
	for (uint64_t i = 1; i < n; i++) {
		if (spans[i].lo < spans[i - 1].hi)
			return false;
	}
	return true;
}

/* PT_APART_UNKNOWN and *known: spans do not tell; without: no memory */
static enum pt_apart list_apart(const struct pt_node *list, bool *known)
{
	struct span *spans = malloc(list->n * sizeof(*spans));
	bool apart;

	*known = spans;
	if (!spans)
		return PT_APART_UNKNOWN;
	for (uint64_t i = 0; i < list->n; i++)
		spans[i] = span_at(list, i);
	apart = spans_apart(spans, list->n);
	if (!apart) {
		qsort(spans, list->n, sizeof(*spans), by_lo);
		apart = spans_apart(spans, list->n);
	}
	free(spans);
	if (!apart)
		return list->kind == PT_BLOCKS ? PT_APART_NO : PT_APART_UNKNOWN;
	for (uint64_t i = 0; i < list->n && list->kind == PT_LIST; i++) {
		enum pt_apart of = list->entries[i].node ?
			node_apart(list->entries[i].node) : PT_APART_YES;

		if (of == PT_APART_UNKNOWN)
			*known = false;
		if (of != PT_APART_YES)
			return of;
	}
	return PT_APART_YES;
}

/*
 * Loops in loops are the same set of bytes whichever is the outer one: from the least
 * step to the largest, each must lead beyond what those before it span.
 */
static bool steps_apart(const struct pt_node *node, const struct pt_node **leaf)
{
	struct axis_of axes[PIMTYPE_MAX_DEPTH + 1];
	unsigned int n = 0;
	uint64_t span;

	for (; node->kind == PT_LOOP; node = node->child)
		axes[n++] = (struct axis_of){ node->n,
					      magnitude(node->stride[0]) };
	*leaf = node;
	qsort(axes, n, sizeof(*axes), by_step);
	span = extent_of(node);
	for (unsigned int i = 0; i < n; i++) {
		if (axes[i].step < span)
			return false;
		span += (axes[i].n - 1) * axes[i].step;
	}
	return true;
}

static enum pt_apart find_apart(const struct pt_node *node)
{
	const struct pt_node *leaf;
	enum pt_apart of;
	bool known = true;

	/* more bytes than places */
	if (node->size > extent_of(node))
		return PT_APART_NO;
	if (node->kind == PT_DENSE)
		return PT_APART_YES;
	if (node->kind == PT_LOOP) {
		bool apart = steps_apart(node, &leaf);

		of = node_apart(leaf);
		if (of != PT_APART_YES || apart)
			return of;
		return mark_loop(node);
	}
	of = list_apart(node, &known);
	return of == PT_APART_UNKNOWN && known ? mark_all(node) : of;
}

static enum pt_apart node_apart(const struct pt_node *node)
{
	struct pt_node *kept = (struct pt_node *)(uintptr_t)node;
	uint8_t apart = atomic_load_explicit(&kept->apart, memory_order_relaxed);

	if (apart == PT_APART_UNKNOWN) {
		apart = (uint8_t)find_apart(node);
		atomic_store_explicit(&kept->apart, apart, memory_order_relaxed);
	}
	return (enum pt_apart)apart;
}

int pt_check_apart(const struct pt_whole *whole, const char *name)
{
	enum pt_apart apart = whole->node ? node_apart(whole->node) :
					    PT_APART_YES;

	if (apart == PT_APART_UNKNOWN)
		return pd_error(ENOMEM, "no memory to look at the bytes of %s", name);
	if (apart == PT_APART_NO)
		return pd_error(EINVAL,
				"%s has a byte more than once, expected a type to receive with",
				name);
	return 0;
}
