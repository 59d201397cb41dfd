// SPDX-License-Identifier: MIT
/* Collects a module's table, and writes it as assembly for the module's IR. */
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/count/inside.h"
#include "tools/upmem/count/profile.h"

/* a cell that the table does not name, since it follows from the one before */
#define REST_OF_SITE	'-'

struct entry {
	char *place;
	unsigned long instructions;
};

struct cell {
	char kind;
	struct entry *entries;
	size_t nr;
};

struct profile {
	struct places *places;
	struct cell *cells;
	size_t nr;
};

static void *one_more(void *array, size_t nr, size_t size)
{
	/* by powers of two */
	if (nr & (nr - 1))
		return array;
	array = realloc(array, (nr ? 2 * nr : 1) * size);
	if (!array) {
		fputs("pe-count: out of memory\n", stderr);
		exit(1);
	}
	return array;
}

struct profile *profile_begin(const char *text)
{
	struct profile *p = one_more(NULL, 0, sizeof(*p));

	*p = (struct profile){ .places = places_of(text) };
	return p;
}

unsigned long profile_cell(struct profile *p, char kind)
{
	p->cells = one_more(p->cells, p->nr, sizeof(*p->cells));
	p->cells[p->nr] = (struct cell){ .kind = kind };
	return p->nr++;
}

static void add_entry(struct cell *c, const char *place, unsigned long instructions)
{
	c->entries = one_more(c->entries, c->nr, sizeof(*c->entries));
	c->entries[c->nr] = (struct entry){ strdup(place), instructions };
	if (!c->entries[c->nr++].place) {
		fputs("pe-count: out of memory\n", stderr);
		exit(1);
	}
}

unsigned long profile_site(struct profile *p, const struct instruction *i,
			   struct text function)
{
	unsigned long first = profile_cell(p, 'w');
	char place[PLACE_BYTES];

	places_find(p->places, i, function, true, place);
	add_entry(&p->cells[first], place, 0);
	for (unsigned int k = 1; k < PE_NR_WAITED; k++)
		profile_cell(p, REST_OF_SITE);
	return first;
}

void profile_add(struct profile *p, unsigned long cell, const struct instruction *i,
		 struct text function, unsigned long instructions)
{
	struct cell *c = &p->cells[cell];
	char place[PLACE_BYTES];

	if (!instructions)
		return;
	places_find(p->places, i, function, false, place);
	for (size_t k = 0; k < c->nr; k++)
		if (!strcmp(c->entries[k].place, place)) {
			c->entries[k].instructions += instructions;
			return;
		}
	add_entry(c, place, instructions);
}

/* As numbers, since names may hold what an assembler would take for something else. */
static void put_bytes(FILE *out, const char *text, size_t bytes)
{
	fputs("module asm \".byte ", out);
	for (size_t k = 0; k < bytes; k++)
		fprintf(out, "%s%u", k ? "," : "", (unsigned char)text[k]);
	fputs("\"\n", out);
}

static void put_cell(FILE *out, const struct cell *c)
{
	char line[PLACE_BYTES + 32] = { c->kind, '\n' };

	if (c->kind == REST_OF_SITE)
		return;
	put_bytes(out, line, 2);
	for (size_t k = 0; k < c->nr; k++)
		put_bytes(out, line, (size_t)snprintf(line, sizeof(line), "%lu\t%s\n",
						      c->entries[k].instructions,
						      c->entries[k].place));
}

static void free_cell(struct cell *c)
{
	for (size_t k = 0; k < c->nr; k++)
		free(c->entries[k].place);
	free(c->entries);
}

void profile_end(struct profile *p, FILE *out)
{
	for (size_t k = 0; k < p->nr; k++)
		fprintf(out, "@pe.cell.%zu = private global i64 0, section \".bss.pe.profile\", align 8\n",
			k);
	if (p->nr)
		fprintf(out, "module asm \".section .pimdimm.profile,\\22\\22,@progbits\"\n"
			"module asm \".quad .Lpe.cell.0, %zu\"\n", p->nr);
	for (size_t k = 0; k < p->nr; k++) {
		put_cell(out, &p->cells[k]);
		free_cell(&p->cells[k]);
	}
	if (p->nr)
		put_bytes(out, "", 1);
	places_free(p->places);
	free(p->cells);
	free(p);
}
