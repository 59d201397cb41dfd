// SPDX-License-Identifier: MIT
/* Follows !DILocation to its scope, its file and what it was inlined into. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/count/places.h"

#define MAX_SCOPES 64

struct places {
	const char **nodes;	/* by number: what stands behind "!N = ", or NULL */
	unsigned long nr;
};

static const char *node_begin(const char *line, unsigned long *number)
{
	char *end;

	if (line[0] != '!' || line[1] < '0' || line[1] > '9')
		return NULL;
	*number = strtoul(line + 1, &end, 10);
	return strncmp(end, " = ", 3) ? NULL : end + 3;
}

static void note_node(struct places *p, unsigned long number, const char *node)
{
	unsigned long room = p->nr ? p->nr : 1024;

	/* numbers are dense; one that is not is none of a compiler's */
	if (number > 1ul << 24)
		return;
	while (room <= number)
		room *= 2;
	if (room > p->nr) {
		p->nodes = realloc(p->nodes, room * sizeof(*p->nodes));
		if (!p->nodes) {
			fputs("pe-count: out of memory\n", stderr);
			exit(1);
		}
		memset(p->nodes + p->nr, 0, (room - p->nr) * sizeof(*p->nodes));
		p->nr = room;
	}
	p->nodes[number] = node;
}

struct places *places_of(const char *text)
{
	struct places *p = calloc(1, sizeof(*p));

	if (!p) {
		fputs("pe-count: out of memory\n", stderr);
		exit(1);
	}
	while (text) {
		unsigned long number;
		const char *node = node_begin(text, &number);

		if (node)
			note_node(p, number, node);
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return p;
}

void places_free(struct places *p)
{
	free(p->nodes);
	free(p);
}

/* What follows "name: " in a node, or NULL. */
static const char *field(const char *node, const char *name)
{
	size_t length = strlen(name);
	const char *end = node ? strchr(node, '\n') : NULL;

	for (; node && node < end; node++)
		if (!strncmp(node, name, length) && (node[-1] == '(' || node[-1] == ' '))
			return node + length;
	return NULL;
}

static const char *node_at(const struct places *p, const char *reference)
{
	unsigned long number;

	if (!reference || *reference != '!')
		return NULL;
	number = strtoul(reference + 1, NULL, 10);
	return number < p->nr ? p->nodes[number] : NULL;
}

/* Behind its quotation mark; a tab ends it, since it would end the field of a table. */
static struct text quoted(const char *value)
{
	if (!value || *value != '"')
		return (struct text){ "?", 1 };
	return (struct text){ value + 1, strcspn(value + 1, "\"\t\n;") };
}

/* The function that a scope is in. */
static struct text function_of(const struct places *p, const char *scope)
{
	for (unsigned int k = 0; scope && k < MAX_SCOPES; k++) {
		const char *what = strncmp(scope, "distinct ", 9) ? scope : scope + 9;

		if (!strncmp(what, "!DISubprogram(", 14))
			return quoted(field(scope, "name: "));
		scope = node_at(p, field(scope, "scope: "));
	}
	return (struct text){ "?", 1 };
}

/* The !DILocation of an instruction, or NULL. */
static const char *location_of(const struct places *p, const struct instruction *i)
{
	const char *at = i->line.at, *end = at + i->line.length;

	for (; at + 8 < end; at++)
		if (!memcmp(at, ", !dbg !", 8))
			return node_at(p, at + 7);
	return NULL;
}

static struct text file_of(const struct places *p, const char *location)
{
	const char *scope = node_at(p, field(location, "scope: "));

	return quoted(field(node_at(p, field(scope, "file: ")), "filename: "));
}

static bool is_ours(struct text file)
{
	static const char folder[] = "share/upmem/include/syslib/";
	const size_t length = sizeof(folder) - 1;

	for (size_t k = 0; k + length <= file.length; k++)
		if (!memcmp(file.at + k, folder, length))
			return true;
	return false;
}

/* Where what the tool chain's headers have inlined was called. */
static const char *caller_of(const struct places *p, const char *location)
{
	for (unsigned int k = 0; k < MAX_SCOPES && is_ours(file_of(p, location)); k++) {
		const char *into = node_at(p, field(location, "inlinedAt: "));

		if (!into)
			break;
		location = into;
	}
	return location;
}

void places_find(const struct places *p, const struct instruction *i, struct text function,
		 bool call, char place[PLACE_BYTES])
{
	const char *location = location_of(p, i), *line;
	struct text stack[MAX_SCOPES], file;
	unsigned int depth = 0;
	size_t used;

	if (call)
		location = caller_of(p, location);
	line = field(location, "line: ");
	file = file_of(p, location);
	used = (size_t)snprintf(place, PLACE_BYTES, "%lu\t%.*s\t%.*s",
				line ? strtoul(line, NULL, 10) : 0ul,
				file.length > 256 ? 256 : (int)file.length, file.at,
				function.length > 256 ? 256 : (int)function.length, function.at);
	while (location && depth < MAX_SCOPES) {
		const char *into = node_at(p, field(location, "inlinedAt: "));

		/* the outermost is the function itself */
		if (into)
			stack[depth++] = function_of(p, node_at(p, field(location, "scope: ")));
		location = into;
	}
	while (depth-- && used + stack[depth].length + 2 < PLACE_BYTES)
		used += (size_t)snprintf(place + used, PLACE_BYTES - used, ";%.*s",
					 (int)stack[depth].length, stack[depth].at);
}
