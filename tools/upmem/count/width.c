// SPDX-License-Identifier: MIT
/*
 * Values that meet in a phi, a sum, a selection or a comparison are of one width.
 * Data are 64 bits wide where they are loaded, stored, passed, returned, divided or
 * shifted down as such.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/count/names.h"
#include "tools/upmem/count/width.h"

struct value {
	size_t parent;
	bool wide;
};

/* the values have the numbers of their names */
struct widths {
	const struct names *names;
	struct value *values;
};

static size_t root_of(const struct widths *w, size_t v)
{
	while (w->values[v].parent != v) {
		w->values[v].parent = w->values[w->values[v].parent].parent;
		v = w->values[v].parent;
	}
	return v;
}

static void join(struct widths *w, struct text a, struct text b)
{
	size_t x = names_find(w->names, a), y = names_find(w->names, b);

	if (x == NO_NAME || y == NO_NAME)
		return;
	x = root_of(w, x);
	y = root_of(w, y);
	w->values[x].parent = y;
	w->values[y].wide |= w->values[x].wide;
}

static void widen(struct widths *w, struct text name)
{
	size_t value = names_find(w->names, name);

	if (value != NO_NAME)
		w->values[root_of(w, value)].wide = true;
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
	const char *p = i->op.at, *end = i->line.at + i->line.length;

	end = callee.length ? callee.at : memchr(p, '%', (size_t)(end - p));
	for (; end && p + 4 < end; p++)
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

	if (w) {
		w->names = f->names;
		w->values = calloc(f->names->nr + 1, sizeof(*w->values));
	}
	if (!w || !w->values) {
		fputs("pe-count: out of memory\n", stderr);
		exit(1);
	}
	for (size_t v = 0; v < f->names->nr; v++)
		w->values[v].parent = v;
	for (size_t b = 0; b < f->nr; b++)
		for (size_t k = 0; k < f->blocks[b].nr; k++)
			look(w, &f->blocks[b].instructions[k]);
	return w;
}

void widths_free(struct widths *w)
{
	free(w->values);
	free(w);
}

static bool is_wide_name(const struct widths *w, struct text name)
{
	size_t value = names_find(w->names, name);

	return value != NO_NAME && w->values[root_of(w, value)].wide;
}

bool widths_is_wide(const struct widths *w, const struct instruction *i)
{
	if (text_is(i->op, "icmp"))
		return is_wide_name(w, i->operand[0]) || is_wide_name(w, i->operand[1]);
	return is_wide_name(w, i->result);
}
