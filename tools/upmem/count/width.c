// SPDX-License-Identifier: MIT
/*
 * Values that meet in a phi, a sum, a selection or a comparison are of one width.
 * Data are 64 bits wide where they are loaded, stored, passed, returned, divided or
 * shifted down as such.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/count/width.h"

struct value {
	struct text name;	/* with its % */
	size_t parent;
	bool wide;
};

struct widths {
	struct value *values;
	size_t nr, room;
	size_t *slots;		/* of a hash table: index + 1, or 0 */
};

static size_t hash(struct text t)
{
	size_t h = 5381;

	for (size_t i = 0; i < t.length; i++)
		h = 33 * h + (unsigned char)t.at[i];
	return h;
}

/* Its index; a name that was not seen is added. The table never fills up. */
static size_t value_of(struct widths *w, struct text name)
{
	size_t slot = hash(name) & (w->room - 1);

	for (; w->slots[slot]; slot = (slot + 1) & (w->room - 1))
		if (text_same(w->values[w->slots[slot] - 1].name, name))
			return w->slots[slot] - 1;
	w->values[w->nr] = (struct value){ .name = name, .parent = w->nr };
	w->slots[slot] = ++w->nr;
	return w->nr - 1;
}

static size_t root_of(struct widths *w, size_t v)
{
	while (w->values[v].parent != v) {
		w->values[v].parent = w->values[w->values[v].parent].parent;
		v = w->values[v].parent;
	}
	return v;
}

static bool is_name(struct text t)
{
	return t.length && *t.at == '%';
}

static void join(struct widths *w, struct text a, struct text b)
{
	size_t x, y;

	if (!is_name(a) || !is_name(b))
		return;
	x = root_of(w, value_of(w, a));
	y = root_of(w, value_of(w, b));
	w->values[x].parent = y;
	w->values[y].wide |= w->values[x].wide;
}

static void widen(struct widths *w, struct text name)
{
	if (is_name(name))
		w->values[root_of(w, value_of(w, name))].wide = true;
}

/* "[ %a, %block ], [ 0, %entry ]" */
static void join_phi(struct widths *w, const struct instruction *i)
{
	const char *p = i->type.at + i->type.length, *end = i->line.at + i->line.length;

	while (p < end && *p != '!') {
		const char *name;

		if (*p++ != '[')
			continue;
		while (p < end && *p == ' ')
			p++;
		for (name = p; p < end && *p != ',' && *p != ' '; p++)
			;
		join(w, i->result, (struct text){ name, (size_t)(p - name) });
	}
}

/* Arguments of 64 bits of a function that has them by its source. */
static void widen_arguments(struct widths *w, const struct instruction *i)
{
	/* sizes, which have 32 bits on a DPU, are all that these are given */
	static const char *const of_sizes[] = {
		"@llvm.", "@mem", "@str", "@buddy_", "@fsb_", "@barrier_", "@qsort", "@bsearch",
	};
	struct text callee = ir_callee(i);

	for (size_t k = 0; k < sizeof(of_sizes) / sizeof(*of_sizes); k++)
		if (text_begins(callee, of_sizes[k]))
			return;
	for (unsigned int k = 0; ir_argument(i, k).length; k++)
		if (text_begins(ir_argument(i, k), "i64 "))
			widen(w, ir_last_word(ir_argument(i, k)));
}

static bool is_one_of(struct text op, const char *const *words)
{
	for (; *words; words++)
		if (text_is(op, *words))
			return true;
	return false;
}

/* Of a call: 64 bits that its function returns by its source. */
static bool yields_data(const struct instruction *i)
{
	struct text callee = ir_callee(i);
	const char *p = i->op.at;

	for (; p + 4 < (callee.length ? callee.at : i->op.at + 40); p++)
		if (!memcmp(p, "i64 ", 4) && p[-1] == ' ')
			return !text_begins(callee, "@str");
	return false;
}

/* A shift by a word or more: there is another word. */
static bool shifts_words(const struct instruction *i)
{
	long long by;

	return text_begins(i->op, "lshr") && ir_constant(i->operand[1], &by) && by >= 32;
}

static void look(struct widths *w, const struct instruction *i)
{
	static const char *const joining[] = {
		"add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "freeze",
		NULL
	};
	static const char *const widening[] = { "udiv", "sdiv", "urem", "srem", NULL };

	if (text_is(i->op, "call")) {
		if (yields_data(i))
			widen(w, i->result);
		widen_arguments(w, i);
		return;
	}
	if (text_is(i->op, "select") && i->nr_operands > 2 &&
	    text_begins(i->operand[1], "i64 ")) {
		join(w, i->result, ir_last_word(i->operand[1]));
		join(w, i->result, ir_last_word(i->operand[2]));
	}
	if (text_is(i->op, "store") && text_is(i->type, "i64"))
		widen(w, i->operand[0]);
	if (!text_is(i->type, "i64"))
		return;
	if (text_is(i->op, "phi")) {
		join_phi(w, i);
	} else if (is_one_of(i->op, joining)) {
		join(w, i->result, i->operand[0]);
		join(w, i->result, i->operand[1]);
		if (shifts_words(i))
			widen(w, i->result);
	} else if (text_is(i->op, "icmp")) {
		join(w, i->operand[0], i->operand[1]);
	} else if (text_is(i->op, "load") || is_one_of(i->op, widening)) {
		widen(w, i->result);
		if (!text_is(i->op, "load"))
			widen(w, i->operand[0]);
	} else if (text_is(i->op, "ret")) {
		widen(w, i->operand[0]);
	}
}

struct widths *widths_of(const struct function *f)
{
	struct widths *w = calloc(1, sizeof(*w));
	size_t names = 64;

	for (size_t b = 0; b < f->nr; b++)
		for (size_t k = 0; k < f->blocks[b].nr; k++)
			names += f->blocks[b].instructions[k].line.length / 2;
	if (w) {
		for (w->room = 64; w->room < 2 * names; w->room *= 2)
			;
		w->values = calloc(names, sizeof(*w->values));
		w->slots = calloc(w->room, sizeof(*w->slots));
	}
	if (!w || !w->values || !w->slots) {
		fputs("pe-count: out of memory\n", stderr);
		exit(1);
	}
	for (size_t b = 0; b < f->nr; b++)
		for (size_t k = 0; k < f->blocks[b].nr; k++)
			look(w, &f->blocks[b].instructions[k]);
	return w;
}

void widths_free(struct widths *w)
{
	free(w->values);
	free(w->slots);
	free(w);
}

static bool is_wide_name(const struct widths *w, struct text name)
{
	struct widths *found = (struct widths *)(uintptr_t)w;

	return is_name(name) && found->values[root_of(found, value_of(found, name))].wide;
}

bool widths_is_wide(const struct widths *w, const struct instruction *i)
{
	if (text_is(i->op, "icmp"))
		return is_wide_name(w, i->operand[0]) || is_wide_name(w, i->operand[1]);
	return is_wide_name(w, i->result);
}
