// SPDX-License-Identifier: MIT
/* Collects the names of a function in one pass over its text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/count/names.h"

static void *room_for(size_t nr, size_t size)
{
	void *room = calloc(nr, size);

	if (!room) {
		fputs("pe-count: out of memory\n", stderr);
		exit(1);
	}
	return room;
}

/* of a name without its % */
static size_t bucket_of(const struct names *n, const char *at, size_t length)
{
	size_t h = 5381;

	for (size_t i = 0; i < length; i++)
		h = 33 * h + (unsigned char)at[i];
	return h & (n->nr_buckets - 1);
}

static size_t find(const struct names *n, const char *at, size_t length)
{
	size_t i = n->buckets[bucket_of(n, at, length)];

	while (i != NO_NAME && (n->all[i].text.length != length + 1 ||
				memcmp(n->all[i].text.at + 1, at, length)))
		i = n->all[i].next;
	return i;
}

size_t names_find(const struct names *n, struct text text)
{
	if (!text.length || *text.at != '%')
		return NO_NAME;
	return find(n, text.at + 1, text.length - 1);
}

size_t names_block(const struct names *n, struct text label)
{
	size_t i = find(n, label.at, label.length);

	return i != NO_NAME && n->all[i].of_block ? n->all[i].block : NO_NAME;
}

static struct name *name_of(struct names *n, struct text text)
{
	size_t i = names_find(n, text), bucket;

	if (i == NO_NAME) {
		bucket = bucket_of(n, text.at + 1, text.length - 1);
		i = n->nr++;
		n->all[i] = (struct name){
			.text = text,
			.next = n->buckets[bucket],
			.last_use = NO_NAME,
		};
		n->buckets[bucket] = i;
	}
	return &n->all[i];
}

/* The name that begins at a %, up to what cannot be in one. */
static struct text read_name(const char *p, const char *end)
{
	const char *q = p + 1;

	if (q < end && *q == '"') {
		q = memchr(q + 1, '"', (size_t)(end - q - 1));
		q = q ? q + 1 : end;
	}
	while (q < end && !strchr(" ,()[]{}<>*=\n", *q))
		q++;
	return (struct text){ p, (size_t)(q - p) };
}

/* What tells a debugger of values takes none. */
static bool is_for_debuggers(const struct instruction *i)
{
	return text_begins(i->op, "#dbg") ||
	       (text_is(i->op, "call") && text_begins(ir_callee(i), "@llvm.dbg"));
}

static void note_use(struct name *name, const struct instruction *i, size_t number)
{
	/* an instruction takes a value once, however often it names it */
	if (name->last_use == number)
		return;
	name->last_use = number;
	name->uses++;
	name->in_phi += text_is(i->op, "phi");
	name->in_br += text_is(i->op, "br");
	name->in_select += text_is(i->op, "select");
}

static void note_instruction(struct names *n, const struct function *f, size_t block, size_t at,
			     size_t number)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	const char *p = i->op.at, *end = i->line.at + i->line.length;
	bool silent = is_for_debuggers(i);

	if (i->result.length) {
		struct name *result = name_of(n, i->result);

		result->by = i;
		result->block = block;
		result->at = at;
	}
	while ((p = memchr(p, '%', (size_t)(end - p)))) {
		struct text text = read_name(p, end);
		struct name *name = name_of(n, text);

		if (!silent)
			note_use(name, i, number);
		p = text.at + text.length;
	}
}

static void note_block(struct names *n, size_t block, struct text label)
{
	size_t i = find(n, label.at, label.length);

	/* only what is gone to has been named */
	if (i == NO_NAME)
		return;
	n->all[i].of_block = true;
	n->all[i].block = block;
}

/* no more names than there are of their first characters */
static size_t count_names(const struct function *f)
{
	size_t nr = 1;

	for (size_t b = 0; b < f->nr; b++)
		for (size_t k = 0; k < f->blocks[b].nr; k++) {
			struct text t = f->blocks[b].instructions[k].line;

			for (size_t c = 0; c < t.length; c++)
				nr += t.at[c] == '%';
		}
	return nr;
}

/* An edge from a block to where its last instruction may go. */
struct edge {
	struct function *f;
	size_t from;
	bool counted;		/* there is room for it already */
};

static void note_edge(void *ctx, struct text label)
{
	const struct edge *e = ctx;
	size_t block = names_block(e->f->names, label);
	struct block *to;

	if (block == NO_NAME)
		return;
	to = &e->f->blocks[block];
	if (e->counted)
		to->from[to->nr_from] = e->from;
	to->nr_from++;
}

static void note_edges(struct function *f, bool counted)
{
	for (size_t b = 0; b < f->nr; b++) {
		struct edge e = { f, b, counted };

		if (f->blocks[b].nr)
			ir_targets(&f->blocks[b].instructions[f->blocks[b].nr - 1],
				   note_edge, &e);
	}
}

static void find_predecessors(struct function *f)
{
	note_edges(f, false);
	for (size_t b = 0; b < f->nr; b++) {
		if (f->blocks[b].nr_from)
			f->blocks[b].from = room_for(f->blocks[b].nr_from, sizeof(size_t));
		f->blocks[b].nr_from = 0;
	}
	note_edges(f, true);
}

void names_of(struct function *f)
{
	struct names *n = room_for(1, sizeof(*n));
	size_t nr = count_names(f), number = 0;

	for (n->nr_buckets = 64; n->nr_buckets < nr; n->nr_buckets *= 2)
		;
	n->all = room_for(nr, sizeof(*n->all));
	n->buckets = room_for(n->nr_buckets, sizeof(*n->buckets));
	for (size_t k = 0; k < n->nr_buckets; k++)
		n->buckets[k] = NO_NAME;
	for (size_t b = 0; b < f->nr; b++)
		for (size_t k = 0; k < f->blocks[b].nr; k++)
			note_instruction(n, f, b, k, number++);
	for (size_t b = 0; b < f->nr; b++)
		note_block(n, b, f->blocks[b].label);
	f->names = n;
	find_predecessors(f);
}

void names_free(struct function *f)
{
	free(f->names->all);
	free(f->names->buckets);
	free(f->names);
}
