// SPDX-License-Identifier: MIT
/* A type's normalised layout as text. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "collectives/types/type.h"
#include "runtime/base/error.h"

#define SHOWN	16	/* runs of a list */
#define LONGEST	4096	/* characters before what is left is left out */

struct text {
	char *at;
	size_t room;
	uint64_t length;
};

__attribute__((format(printf, 2, 3)))
static void say(struct text *t, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(t->room ? t->at : NULL, t->room, format, ap);
	va_end(ap);
	if (n < 0)
		return;
	t->length += (unsigned int)n;
	n = (size_t)n < t->room ? n : (int)t->room;
	if (t->room) {
		t->at += n;
		t->room -= (size_t)n;
	}
}

static void describe_node(struct text *t, const struct pt_node *node);

/* blocks, whose runs may be several of them */
static void describe_blocks(struct text *t, const struct pt_node *node)
{
	uint64_t runs = 0;

	for (uint64_t i = 0; i < node->n && runs < SHOWN; runs++) {
		int64_t off = node->offs[i];
		uint64_t bytes = node->len;

		while (++i < node->n && node->offs[i] == off + (int64_t)bytes)
			bytes += node->len;
		say(t, "%s%lld:[%llu]", runs ? ", " : "{", (long long)off,
		    (unsigned long long)bytes);
	}
}

static void describe_entries(struct text *t, const struct pt_node *node)
{
	for (uint64_t i = 0; i < node->n && i < SHOWN; i++) {
		const struct pt_entry *e = &node->entries[i];

		say(t, "%s%lld:", i ? ", " : "{", (long long)e->off[0]);
		if (e->node)
			describe_node(t, e->node);
		else
			say(t, "[%llu]", (unsigned long long)e->size);
	}
}

static void describe_list(struct text *t, const struct pt_node *node)
{
	uint64_t n = node->n;

	if (node->kind == PT_BLOCKS) {
		n = node->pieces;
		describe_blocks(t, node);
	} else {
		describe_entries(t, node);
	}
	if (n > SHOWN)
		say(t, ", %llu more", (unsigned long long)(n - SHOWN));
	say(t, "}");
}

static void describe_node(struct text *t, const struct pt_node *node)
{
	/* a tree may be far larger than what it is made of */
	if (t->length > LONGEST) {
		say(t, "...");
	} else if (node->kind == PT_DENSE) {
		say(t, "[%llu]", (unsigned long long)node->size);
	} else if (node->kind == PT_LOOP) {
		say(t, "%llu*%lld:", (unsigned long long)node->n,
		    (long long)node->stride[0]);
		describe_node(t, node->child);
	} else {
		describe_list(t, node);
	}
}

int pimtype_describe(const struct pimtype *type, char *text, size_t bytes)
{
	struct text t = { .at = text, .room = bytes };
	int ret = pt_check_type("type", type);

	if (ret)
		return ret;
	if (!text && bytes)
		return pd_error(EINVAL, "text is NULL, expected room for %zu characters",
				bytes);
	if (type->layout.off)
		say(&t, "%+lld ", (long long)type->layout.off);
	if (type->layout.node)
		describe_node(&t, type->layout.node);
	else
		say(&t, "[0]");
	say(&t, " lb %lld extent %lld", (long long)type->bounds.lb,
	    (long long)pt_extent(type));
	return t.length > INT32_MAX ? INT32_MAX : (int)t.length;
}
