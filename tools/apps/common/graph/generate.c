// SPDX-License-Identifier: MIT
/* Reads what a generator is told, and has threads make its edges. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/generate.h"
#include "tools/apps/common/graph/generators.h"
#include "tools/apps/common/memory.h"
#include "tools/apps/common/files/number.h"
#include "tools/apps/common/parallel.h"
#include "tools/tool.h"

struct generation {
	const char *text;
	const struct generator *of;
	uint64_t keys[GENERATOR_KEYS];
	uint64_t seed;
	uint64_t *words;
	uint64_t count;
	bool directed;
};

static const struct generator *find_generator(const char *text)
{
	const char *colon = strchr(text, ':');

	for (size_t i = 0; colon && generator_at(i); i++) {
		const char *name = generator_at(i)->name;

		if (strlen(name) == (size_t)(colon - text) &&
		    !strncmp(name, text, strlen(name)))
			return generator_at(i);
	}
	return NULL;
}

bool graph_is_generated(const char *text)
{
	return find_generator(text);
}

/* "scale, edges or seed", or "seed" */
static const char *key_words(const struct generator *of)
{
	static char text[128];
	size_t length = 0;

	for (size_t i = 0; i < GENERATOR_KEYS && of->keys[i].name; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%s", i ? ", " : "",
					   of->keys[i].name);
	snprintf(text + length, sizeof(text) - length, "%sseed",
		 length ? " or " : "");
	return text;
}

static int take_value(struct generation *g, const char *key, const char *value)
{
	uint64_t n, min = 0, max = UINT64_MAX, *to = NULL;

	for (size_t i = 0; i < GENERATOR_KEYS && g->of->keys[i].name; i++) {
		if (strcmp(key, g->of->keys[i].name))
			continue;
		to = &g->keys[i];
		min = g->of->keys[i].min;
		max = g->of->keys[i].max;
	}
	if (!to && !strcmp(key, "seed"))
		to = &g->seed;
	if (!to) {
		tool_error("%s: unknown key \"%s\", expected %s", g->text, key,
			   key_words(g->of));
		return -EINVAL;
	}
	if (!app_parse_number(value, &n) || n < min || n > max) {
		tool_error("%s: %s is \"%s\", expected a number from %" PRIu64 " to %" PRIu64,
			   g->text, key, value, min, max);
		return -EINVAL;
	}
	*to = n;
	return 0;
}

static int read_keys(struct generation *g)
{
	char *copy = strdup(strchr(g->text, ':') + 1), *at = copy, *item, *value;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && *at && (item = strsep(&at, ","))) {
		value = strchr(item, '=');
		if (value)
			*value++ = '\0';
		ret = take_value(g, item, value ? value : "");
		if (!at)
			break;
	}
	free(copy);
	return ret;
}

static void generate_part(unsigned int part, unsigned int parts, void *arg)
{
	struct generation *g = arg;
	uint64_t end = app_part_first(g->count, part + 1, parts);

	for (uint64_t i = app_part_first(g->count, part, parts); i < end; i++) {
		uint64_t word = g->of->edge(g->keys, g->seed, i);

		if (!g->directed && graph_edge_low(word) > graph_edge_high(word))
			word = word << 32 | word >> 32;
		g->words[i] = word;
	}
}

static int check_size(const struct generation *g)
{
	uint64_t vertices = g->of->vertices(g->keys);

	if (vertices > GRAPH_MAX_VERTICES) {
		tool_error("%s: %s vertices, expected 1 to %s", g->text,
			   tool_count(vertices), tool_count(GRAPH_MAX_VERTICES));
		return -EINVAL;
	}
	/* with as many again while they are sorted */
	if (g->count <= app_memory_bound() / 16)
		return 0;
	tool_error("%s: %s edges exceed three quarters of the memory available, expected at most %s",
		   g->text, tool_count(g->count),
		   tool_count(app_memory_bound() / 16));
	return -ENOMEM;
}

static int check_keys(const struct generation *g)
{
	const char *wrong = g->of->wrong ? g->of->wrong(g->keys) : NULL;

	if (!wrong)
		return 0;
	tool_error("%s: %s", g->text, wrong);
	return -EINVAL;
}

static int generate_edges(struct generation *g, struct graph *graph)
{
	struct pairs pairs = { .directed = graph->directed };
	int ret;

	g->words = malloc(g->count ? g->count * sizeof(*g->words) : 1);
	if (!g->words) {
		tool_error("no memory for %s edges", tool_count(g->count));
		return -ENOMEM;
	}
	app_parallel(graph->threads, generate_part, g);
	pairs.words = g->words;
	pairs.count = g->count;
	ret = graph_take_pairs(graph, &pairs);
	pairs_free(&pairs);
	return ret;
}

int graph_generate(const char *text, uint64_t seed, struct graph *graph)
{
	struct generation g = {
		.text = text,
		.of = find_generator(text),
		.seed = seed,
		.directed = graph->directed,
	};
	int ret;

	for (size_t i = 0; i < GENERATOR_KEYS; i++)
		g.keys[i] = g.of->keys[i].value;
	graph->kind = g.of->kind;
	graph->pairs_are = "draws";
	ret = read_keys(&g);
	if (!ret)
		ret = check_keys(&g);
	if (ret)
		return ret;
	g.count = g.of->edges(g.keys);
	ret = check_size(&g);
	if (ret)
		return ret;
	graph->nr_vertices = (uint32_t)g.of->vertices(g.keys);
	if (g.of->communities)
		graph->communities = (uint32_t)g.of->communities(g.keys);
	return generate_edges(&g, graph);
}
