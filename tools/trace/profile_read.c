// SPDX-License-Identifier: MIT
/* Reads the counts of a profile; a program can write what it likes to them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trace/profile_read.h"
#include "tools/tool.h"

#define MAX_FIELDS 11

const char *const profile_waits[PROFILE_NR_WAITS] = {
	[PROFILE_DMA] = "dma",
	[PROFILE_BARRIER] = "barrier",
	[PROFILE_MUTEX] = "mutex",
	[PROFILE_SEMAPHORE] = "semaphore",
	[PROFILE_HANDSHAKE] = "handshake",
	[PROFILE_WORD] = "word",
	[PROFILE_PIPELINE] = "pipeline",
};

/* Room for one more, by powers of two; the old array is freed where there is none. */
static void *more(void *array, size_t nr, size_t size)
{
	void *larger;

	if (nr & (nr - 1))
		return array;
	larger = realloc(array, (nr ? 2 * nr : 1) * size);
	if (!larger)
		free(array);
	return larger;
}

/* What a terminal would not show as it is, is shown as "?". */
static char *plain_text(const char *text)
{
	char *copy = strdup(text);

	for (char *p = copy; p && *p; p++)
		if (!isprint((unsigned char)*p) && (unsigned char)*p < 0x80)
			*p = '?';
	return copy;
}

/* @place: line, file and functions */
static bool add_line(struct profile *p, char **place, const struct profile_line *what)
{
	struct profile_line l = *what;

	l.functions = plain_text(place[2]);
	l.file = plain_text(place[1]);
	l.line = (uint32_t)strtoul(place[0], NULL, 10);
	p->lines = more(p->lines, p->nr_lines, sizeof(*p->lines));
	if (!p->lines || !l.functions || !l.file) {
		p->nr_lines = p->lines ? p->nr_lines : 0;
		free(l.functions);
		free(l.file);
		return false;
	}
	l.function = strrchr(l.functions, ';');
	l.function = l.function ? l.function + 1 : l.functions;
	p->attributed += l.instructions;
	p->waited += l.waited;
	p->lines[p->nr_lines++] = l;
	return true;
}

static bool add_waits(struct profile *p, char **field)
{
	struct profile_line l = { .waited = 0 };

	for (unsigned int i = 0; i < PROFILE_NR_WAITS; i++) {
		l.waits[i] = strtoull(field[1 + i], NULL, 10);
		l.waited += l.waits[i];
	}
	return add_line(p, field + 1 + PROFILE_NR_WAITS, &l);
}

static bool add_pe(struct profile *p, char **field)
{
	struct profile_pe pe = {
		.pe = (uint32_t)strtoul(field[1], NULL, 10),
		.cycles = strtoull(field[2], NULL, 10),
		.instructions = strtoull(field[3], NULL, 10),
		.idle_dma = strtoull(field[4], NULL, 10),
		.idle_stop = strtoull(field[5], NULL, 10),
		.idle_few = strtoull(field[6], NULL, 10),
	};

	p->pes = more(p->pes, p->nr_pes, sizeof(*p->pes));
	if (!p->pes) {
		p->nr_pes = 0;
		return false;
	}
	p->cycles += pe.cycles;
	p->instructions += pe.instructions;
	p->pes[p->nr_pes++] = pe;
	return true;
}

/* false: there is no memory; a line of another form is not the library's */
static bool read_fact(struct profile *p, char *text)
{
	char *field[MAX_FIELDS] = { text }, *rest = text;
	int nr = 0;

	text[strcspn(text, "\n")] = '\0';
	while (rest && nr < MAX_FIELDS)
		field[nr++] = strsep(&rest, "\t");
	if (!strcmp(field[0], "line") && nr == 5)
		return add_line(p, field + 2, &(struct profile_line){
			.instructions = strtoll(field[1], NULL, 10) });
	if (!strcmp(field[0], "wait") && nr == 4 + PROFILE_NR_WAITS)
		return add_waits(p, field);
	if (!strcmp(field[0], "pe") && nr == 7)
		return add_pe(p, field);
	if (!strcmp(field[0], "issue") && nr == 2)
		p->issue_cycles = (uint32_t)strtoul(field[1], NULL, 10);
	if (!strcmp(field[0], "plain") && nr == 2)
		p->plain += strtoull(field[1], NULL, 10);
	return true;
}

static int by_cycles(const void *a, const void *b)
{
	const struct profile_pe *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return x->pe < y->pe ? -1 : x->pe > y->pe;
}

int profile_read(struct profile *p, const char *path)
{
	FILE *f = fopen(path, "r");
	bool enough = true;
	char *text = NULL;
	size_t room = 0;

	*p = (struct profile){ 0 };
	if (!f)
		return tool_error("%s: %s", path, strerror(errno));
	while (enough && getline(&text, &room, f) > 0)
		enough = read_fact(p, text);
	free(text);
	fclose(f);
	p->merged = calloc(p->nr_lines + 1, sizeof(*p->merged));
	if (!enough || !p->merged)
		return tool_error("no memory for the profile");
	if (p->nr_pes)
		qsort(p->pes, p->nr_pes, sizeof(*p->pes), by_cycles);
	return TOOL_OK;
}

void profile_free(struct profile *p)
{
	for (size_t i = 0; i < p->nr_lines; i++) {
		free(p->lines[i].functions);
		free(p->lines[i].file);
	}
	free(p->lines);
	free(p->merged);
	free(p->pes);
}

static int by_function(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	return strcmp(x->function, y->function);
}

static int by_line(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;
	int order = by_function(a, b);

	if (!order)
		order = strcmp(x->file, y->file);
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static int by_stack(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;
	int order = strcmp(x->functions, y->functions);

	return order ? order : by_line(a, b);
}

static int by_instructions(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions < y->instructions ? 1 : -1;
	return by_stack(a, b);
}

static int by_waits(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited < y->waited ? 1 : -1;
	return by_stack(a, b);
}

static void add_to_line(struct profile_line *sum, const struct profile_line *l)
{
	sum->instructions += l->instructions;
	sum->waited += l->waited;
	for (unsigned int i = 0; i < PROFILE_NR_WAITS; i++)
		sum->waits[i] += l->waits[i];
}

void profile_merge(const struct profile *p, enum profile_key by, enum profile_order order,
		   struct profile_line **merged, size_t *nr)
{
	static int (*const orders[])(const void *a, const void *b) = {
		[PROFILE_FUNCTION] = by_function,
		[PROFILE_LINE] = by_line,
		[PROFILE_STACK] = by_stack,
	};
	struct profile_line *all = p->merged;

	*merged = all;
	*nr = 0;
	if (!p->nr_lines)
		return;
	memcpy(all, p->lines, p->nr_lines * sizeof(*all));
	qsort(all, p->nr_lines, sizeof(*all), orders[by]);
	for (size_t i = 0; i < p->nr_lines; i++) {
		struct profile_line *last = *nr ? &all[*nr - 1] : NULL;

		if (last && !orders[by](last, &all[i]))
			add_to_line(last, &all[i]);
		else
			all[(*nr)++] = all[i];
	}
	qsort(all, *nr, sizeof(*all),
	      order == PROFILE_BY_WAITS ? by_waits : by_instructions);
}
