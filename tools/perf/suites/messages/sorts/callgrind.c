// SPDX-License-Identifier: MIT
/*
 * Reads callgrind's profiles: lines of costs, below lines that say of which object, file and
 * function they are. A name stands once behind its number, and the number alone afterwards.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/messages/sorts/callgrind.h"
#include "tools/tool.h"

enum kind {
	OBJECT,
	FILE_NAME,
	FUNCTION,
	KINDS,
};

struct names {
	char **of;	/* by number */
	size_t nr;
};

struct reader {
	struct names names[KINDS];
	const char *now[KINDS];
	const char *home;	/* the file that the function itself is in */
	bool inclusive;		/* the next line has what a call took */
	bool no_memory;
};

/* which lines have names: of where costs are, and of what is called there */
static const struct {
	const char *begin;
	enum kind kind;
	bool here;
} words[] = {
	{ "ob=", OBJECT, true },
	{ "cob=", OBJECT, false },
	{ "fl=", FILE_NAME, true },
	{ "fi=", FILE_NAME, true },
	{ "fe=", FILE_NAME, true },
	{ "cfi=", FILE_NAME, false },
	{ "cfl=", FILE_NAME, false },
	{ "fn=", FUNCTION, true },
	{ "cfn=", FUNCTION, false },
};

static bool names_grow(struct names *names, size_t number)
{
	size_t nr = number + 1 > 2 * names->nr ? number + 1 : 2 * names->nr;
	char **of;

	if (number < names->nr)
		return true;
	of = realloc(names->of, nr * sizeof(*of));
	if (!of)
		return false;
	memset(of + names->nr, 0, (nr - names->nr) * sizeof(*of));
	names->of = of;
	names->nr = nr;
	return true;
}

/* "(12) name", or "(12)" */
static const char *name_of(struct reader *r, enum kind kind, const char *text)
{
	struct names *names = &r->names[kind];
	unsigned long number;
	char *end;

	if (*text != '(')
		return "?";
	number = strtoul(text + 1, &end, 10);
	if (*end != ')' || number > 1u << 24 || !names_grow(names, number)) {
		r->no_memory |= *end == ')';
		return "?";
	}
	if (end[1] == ' ' && !names->of[number])
		names->of[number] = strdup(end + 2);
	return names->of[number] ? names->of[number] : "?";
}

static bool take_name(struct reader *r, const char *line)
{
	for (size_t i = 0; i < TOOL_COUNT(words); i++) {
		size_t length = strlen(words[i].begin);
		const char *name;

		if (strncmp(line, words[i].begin, length))
			continue;
		name = name_of(r, words[i].kind, line + length);
		if (!words[i].here)
			return true;
		r->now[words[i].kind] = name;
		if (!strcmp(words[i].begin, "fl="))
			r->home = name;
		if (words[i].kind == FUNCTION)
			r->now[FILE_NAME] = r->home;
		return true;
	}
	return false;
}

/* where, then instructions, loads, stores, and misses */
static bool take_cost(struct reader *r, const char *line, struct callgrind_line *cost)
{
	unsigned long long n[3] = { 0 };
	const char *numbers = strchr(line, ' ');

	if (!strchr("0123456789+-*", *line) || !*line || !numbers)
		return false;
	if (r->inclusive) {
		r->inclusive = false;
		return false;
	}
	sscanf(numbers, "%llu %llu %llu", &n[0], &n[1], &n[2]);
	*cost = (struct callgrind_line){
		.object = r->now[OBJECT] ? r->now[OBJECT] : "?",
		.file = r->now[FILE_NAME] ? r->now[FILE_NAME] : "?",
		.function = r->now[FUNCTION] ? r->now[FUNCTION] : "?",
		.instructions = n[0],
		.references = n[1] + n[2],
	};
	return true;
}

static void reader_free(struct reader *r)
{
	for (unsigned int k = 0; k < KINDS; k++) {
		for (size_t i = 0; i < r->names[k].nr; i++)
			free(r->names[k].of[i]);
		free(r->names[k].of);
	}
}

int callgrind_label(const char *path, char label[64])
{
	static const char desc[] = "desc: Trigger: Client Request: ";
	FILE *in = fopen(path, "r");
	size_t room = 0;
	char *line = NULL;
	ssize_t length;

	label[0] = '\0';
	if (!in)
		return tool_error("%s: %s", path, strerror(errno));
	while (!label[0] && (length = getline(&line, &room, in)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (!strncmp(line, desc, sizeof(desc) - 1))
			snprintf(label, 64, "%s", line + sizeof(desc) - 1);
	}
	free(line);
	fclose(in);
	return TOOL_OK;
}

int callgrind_read(const char *path, void (*each)(void *ctx, const struct callgrind_line *line),
		   void *ctx)
{
	FILE *in = fopen(path, "r");
	struct reader r = { 0 };
	size_t room = 0;
	char *line = NULL;
	ssize_t length;

	if (!in)
		return tool_error("%s: %s", path, strerror(errno));
	while ((length = getline(&line, &room, in)) > 0) {
		struct callgrind_line cost;

		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (!strncmp(line, "calls=", 6))
			r.inclusive = true;
		else if (!take_name(&r, line) && take_cost(&r, line, &cost))
			each(ctx, &cost);
	}
	free(line);
	fclose(in);
	reader_free(&r);
	return r.no_memory ? tool_error("%s: no memory", path) : TOOL_OK;
}
