// SPDX-License-Identifier: MIT
/*
 * A tree is written from its root on, each node as its kind and its numbers, and made
 * again by the constructors, which check what they are given.
 */
#include <errno.h>

#include <pimdimm/types.h>

#include "collectives/types/shared/words.h"
#include "runtime/base/error.h"

struct writer {
	int64_t *words;
	size_t nr, room;
	bool full;
};

static void put(struct writer *w, int64_t word)
{
	w->full |= w->nr == w->room;
	if (!w->full)
		w->words[w->nr++] = word;
}

static void put_run(struct writer *w, uint64_t bytes)
{
	put(w, PT_DENSE);
	put(w, (int64_t)bytes);
}

static void put_node(struct writer *w, const struct pt_node *node)
{
	if (node->kind == PT_DENSE) {
		put_run(w, node->size);
		return;
	}
	put(w, node->kind);
	put(w, (int64_t)node->n);
	if (node->kind == PT_LOOP) {
		put(w, node->stride[0]);
		put_node(w, node->child);
		return;
	}
	if (node->kind == PT_BLOCKS)
		put(w, (int64_t)node->len);
	/* a tree whose nodes have many users has no end: it is left where there is no room */
	for (uint64_t i = 0; i < node->n && !w->full; i++) {
		const struct pt_entry *e = &node->entries[i];

		put(w, node->kind == PT_BLOCKS ? node->offs[i] : e->off[0]);
		if (node->kind == PT_LIST && e->node)
			put_node(w, e->node);
		else if (node->kind == PT_LIST)
			put_run(w, e->size);
	}
}

size_t pt_encode(const struct pt_node *node, int64_t words[], size_t room)
{
	struct writer w = { .words = words, .room = room };

	if (node->depth > PIMTYPE_MAX_DEPTH)
		return 0;
	put_node(&w, node);
	return w.full ? 0 : w.nr;
}

struct reader {
	const int64_t *at, *end;
};

/* -EBADMSG where there is none left, or it is below `least` */
static int take(struct reader *r, int64_t least, int64_t *word)
{
	if (r->at == r->end || *r->at < least)
		return -EBADMSG;
	*word = *r->at++;
	return 0;
}

static int take_node(struct reader *r, unsigned int depth, struct pt_layout *layout);

static int take_loop(struct reader *r, unsigned int depth, int64_t n, struct pt_layout *layout)
{
	struct pt_layout child = { 0 };
	int64_t stride;
	int ret = take(r, INT64_MIN, &stride);

	if (!ret)
		ret = take_node(r, depth, &child);
	if (!ret)
		ret = pt_repeat(child, (uint64_t)n, stride, layout);
	pt_put(child.node);
	return ret;
}

static int take_entry(struct reader *r, unsigned int depth, int64_t len, struct pt_list *list)
{
	struct pt_layout one = { 0 };
	int64_t off;
	int ret = take(r, INT64_MIN, &off);

	if (!ret && len)
		return pt_list_add_run(list, off, (uint64_t)len);
	if (!ret)
		ret = take_node(r, depth, &one);
	if (!ret)
		ret = pt_list_add(list, one, off);
	pt_put(one.node);
	return ret;
}

/* of blocks, which have one length, or of whatever else */
static int take_list(struct reader *r, unsigned int depth, int64_t n, bool blocks,
		     struct pt_layout *layout)
{
	struct pt_list list;
	int64_t len = 0;
	int ret = blocks ? take(r, 1, &len) : 0;

	/* memory for what was sent, not for what somebody says that he has sent */
	if (ret || n > r->end - r->at)
		return -EBADMSG;
	ret = pt_list_begin(&list, (uint64_t)n);
	if (ret)
		return ret;
	for (int64_t i = 0; i < n && !ret; i++)
		ret = take_entry(r, depth, len, &list);
	if (!ret)
		return pt_list_end(&list, layout);
	pt_list_drop(&list);
	return ret;
}

static int take_node(struct reader *r, unsigned int depth, struct pt_layout *layout)
{
	int64_t kind = 0, n = 0;

	*layout = (struct pt_layout){ 0 };
	if (!depth || take(r, 0, &kind) || take(r, 1, &n))
		return -EBADMSG;
	switch (kind) {
	case PT_DENSE:
		return pt_dense((uint64_t)n, layout);
	case PT_LOOP:
		return take_loop(r, depth - 1, n, layout);
	case PT_BLOCKS:
	case PT_LIST:
		return take_list(r, depth - 1, n, kind == PT_BLOCKS, layout);
	default:
		return -EBADMSG;
	}
}

int pt_decode(const int64_t words[], size_t nr, struct pt_layout *layout)
{
	struct reader r = { words, words + nr };
	struct pd_error_text kept;
	int ret;

	pd_error_save(&kept);
	ret = take_node(&r, PIMTYPE_MAX_DEPTH + 1, layout);
	pd_error_restore(&kept);
	if (!ret && (r.at != r.end || layout->off || !layout->node))
		ret = -EBADMSG;
	if (!ret)
		return 0;
	pt_put(layout->node);
	*layout = (struct pt_layout){ 0 };
	return ret == -ENOMEM ? ret : -EBADMSG;
}
