// SPDX-License-Identifier: MIT
/* Writes what a program that is to be profiled counts besides: its cells, and classes. */
#include <string.h>

#include "tools/upmem/count/profiled.h"

/* Adds a value to one of the profile's cells. */
static void add_to_cell(struct writer *w, unsigned long cell, const char *sign, const char *value)
{
	const char *pointer = w->pointers ? "ptr" : "i64*";
	unsigned long n = w->names++;

	emit(w, "  %%pe.g%lu = load i64, %s @pe.cell.%lu, align 8\n", n, pointer, cell);
	emit(w, "  %%pe.h%lu = %s i64 %%pe.g%lu, %s\n", n, sign, n, value);
	emit(w, "  store i64 %%pe.h%lu, %s @pe.cell.%lu, align 8\n", n, pointer, cell);
}

void profiled_block(struct writer *w)
{
	if (!w->profile)
		return;
	w->cell = profile_cell(w->profile, 'b');
	add_to_cell(w, w->cell, "add", "1");
}

/* Adds a value to one of the tasklet's classes. */
static void add_to_class(struct writer *w, enum pe_class class, const char *sign,
			 const char *value)
{
	const char *word = w->pointers ? "ptr" : "i32*", *pointer = w->pointers ? "ptr" : "i64*";
	unsigned long n = w->names++;

	emit(w, "  %%pe.t%lu = load volatile i32, %s inttoptr (i64 " TASKLET " to %s), align 4\n",
	     n, word, word);
	emit(w, "  %%pe.o%lu = zext i32 %%pe.t%lu to i64\n", n, n);
	emit(w, "  %%pe.k%lu = mul i64 %%pe.o%lu, %d\n", n, n, PE_NR_CLASSES);
	emit(w, "  %%pe.a%lu = getelementptr i64, %s inttoptr (i64 %lld to %s), i64 %%pe.k%lu\n",
	     n, pointer, CLASSES + 8 * class, pointer, n);
	emit(w, "  %%pe.w%lu = load i64, %s %%pe.a%lu, align 8\n", n, pointer, n);
	emit(w, "  %%pe.s%lu = %s i64 %%pe.w%lu, %s\n", n, sign, n, value);
	emit(w, "  store i64 %%pe.s%lu, %s %%pe.a%lu, align 8\n", n, pointer, n);
}

void profiled_classes(struct writer *w)
{
	char value[24];

	for (unsigned int c = 0; w->profile && c < PE_NR_CLASSES; c++) {
		if (!w->classes[c])
			continue;
		snprintf(value, sizeof(value), "%lu", w->classes[c]);
		add_to_class(w, c, "add", value);
		w->classes[c] = 0;
	}
}

void profiled_cost(struct writer *w, const struct instruction *i, enum pe_class class,
		   unsigned long n)
{
	if (!w->profile)
		return;
	profile_add(w->profile, w->cell, i, w->name, n);
	w->classes[class] += n;
}

void profiled_value(struct writer *w, const struct instruction *i, unsigned long n,
		    const char *sign, unsigned int by, bool wide)
{
	char value[32];
	unsigned long cell;

	if (!w->profile)
		return;
	snprintf(value, sizeof(value), "%%pe.%c%lu", by != 1 ? 'm' : wide ? 'x' : 'y', n);
	cell = profile_cell(w->profile, 'd');
	profile_add(w->profile, cell, i, w->name, 1);
	add_to_cell(w, cell, sign, value);
	add_to_class(w, PE_CLASS_MULTIPLY, sign, value);
}

/*
 * What comes next may wait: the tasklet's `site` in pe_self is where that is added up.
 * Whoever calls it waits there, whatever library is in between, which has no sites.
 */
void profiled_wait(struct writer *w, const struct instruction *i)
{
	const char *pointer = w->pointers ? "ptr" : "i32*";
	unsigned long n = w->names++, site;

	if (!w->profile)
		return;
	site = profile_site(w->profile, i, w->name);
	emit(w, "  %%pe.t%lu = load volatile i32, %s inttoptr (i64 " TASKLET " to %s), align 4\n",
	     n, pointer, pointer);
	emit(w, "  %%pe.o%lu = zext i32 %%pe.t%lu to i64\n", n, n);
	emit(w, "  %%pe.a%lu = getelementptr i32, %s inttoptr (i64 %lld to %s), i64 %%pe.o%lu\n",
	     n, pointer, SITES, pointer, n);
	emit(w, "  store volatile i32 ptrtoint (%s @pe.cell.%lu to i32), %s %%pe.a%lu, align 4\n",
	     w->pointers ? "ptr" : "i64*", site, pointer, n);
}
