// SPDX-License-Identifier: MIT
/* Makes random graphs whose vertices have most of their neighbours in a community. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/graph_planted.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/common/random.h"
#include "tools/tool.h"

#define STREAM_PLANTED	0x73626d00
/* random numbers of an edge: its ends, and whether it stays inside */
#define DRAWS		3

static const struct planted sbm = {
	.vertices = 20000, .communities = 16, .inside = 24, .outside = 8,
};

/* as many vertices, communities and edges as the data set has */
static const struct planted reddit = {
	.vertices = 232965, .communities = 41, .inside = 3, .outside = 1,
	.edges = 57307946, .skewed = true,
};

bool planted_named(const char *text)
{
	return !strncmp(text, "sbm:", 4) || !strncmp(text, "reddit:", 7);
}

/* Where a key's value goes, of 32 or 64 bits. */
struct key {
	const char *name;
	uint32_t *small;
	uint64_t *large;
};

/* The number behind a key and its "=". */
static bool read_value(const char *text, const struct key *key, const char **end)
{
	uint64_t most = key->small ? UINT32_MAX - 1 : UINT64_MAX, value;
	char *stop;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &stop, 10);
	if (errno || value > most || (key->small && !value) || (*stop && *stop != ','))
		return false;
	if (key->small)
		*key->small = (uint32_t)value;
	else
		*key->large = value;
	*end = stop + (*stop == ',');
	return true;
}

static int read_keys(const char *text, const char *at, const struct key *keys)
{
	while (*at) {
		size_t length = strcspn(at, "=,");
		const struct key *key = keys;

		while (key->name && (strlen(key->name) != length ||
				     strncmp(key->name, at, length)))
			key++;
		if (!key->name || at[length] != '=' ||
		    !read_value(at + length + 1, key, &at)) {
			tool_error("%s: found \"%.*s\", expected KEY=NUMBER of the keys %s",
				   text, (int)strcspn(at, ","), at,
				   keys->small ?
				   "vertices, communities, inside, outside, seed" :
				   "seed");
			return -EINVAL;
		}
	}
	return 0;
}

static uint64_t planted_edges(const struct planted *planted)
{
	if (planted->edges)
		return planted->edges;
	return (uint64_t)planted->vertices *
	       ((uint64_t)planted->inside + planted->outside) / 2;
}

int planted_read(const char *text, uint64_t seed, struct planted *planted)
{
	bool large = *text == 'r';
	const struct key keys[] = {
		{ "vertices", &planted->vertices, NULL },
		{ "communities", &planted->communities, NULL },
		{ "inside", &planted->inside, NULL },
		{ "outside", &planted->outside, NULL },
		{ "seed", NULL, &planted->seed },
		{ NULL, NULL, NULL },
	};

	*planted = large ? reddit : sbm;
	planted->seed = seed;
	if (read_keys(text, strchr(text, ':') + 1, large ? keys + 4 : keys))
		return -EINVAL;
	if (planted->communities > planted->vertices) {
		tool_error("%s: %u communities, expected at most as many as vertices, %u",
			   text, planted->communities, planted->vertices);
		return -EINVAL;
	}
	if (planted_edges(planted) > UINT32_MAX) {
		tool_error("%s: %s edges, expected fewer than 2^32", text,
			   tool_count(planted_edges(planted)));
		return -EINVAL;
	}
	return 0;
}

struct drawing {
	const struct planted *planted;
	uint64_t count;
	uint64_t *words;
};

static uint32_t draw_vertex(const struct planted *planted, uint64_t bits)
{
	double x;

	if (!planted->skewed)
		return (uint32_t)app_random_below(bits, planted->vertices);
	/* to the power of 1.5, by operations that round the same everywhere */
	x = app_random_unit(bits);
	x *= sqrt(x) * (planted->vertices - 1);
	return (uint32_t)x;
}

/* A vertex's namesake in this community. */
static uint32_t move_to(const struct planted *planted, uint32_t vertex,
			uint32_t community)
{
	uint32_t moved = vertex - planted_community(planted, vertex) + community;

	return moved < planted->vertices ? moved : community;
}

/* Where the other end of an edge from `community` goes, by a random number. */
static uint32_t draw_community(const struct planted *planted, uint32_t community,
			       uint64_t bits)
{
	uint64_t turn = app_random_below(bits, (uint64_t)planted->inside +
					       planted->outside);

	if (turn < planted->inside || planted->communities == 1)
		return community;
	/* the low bits have no part in what app_random_below() gives */
	return (uint32_t)((community + 1 +
			   (bits & 0xffffff) % (planted->communities - 1)) %
			  planted->communities);
}

static void draw_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct drawing *d = arg;
	const struct planted *planted = d->planted;
	uint64_t end = app_part_first(d->count, part + 1, parts);

	for (uint64_t i = app_part_first(d->count, part, parts); i < end; i++) {
		uint64_t bits[DRAWS];
		uint32_t a, b;

		for (unsigned int j = 0; j < DRAWS; j++)
			bits[j] = app_random(planted->seed, STREAM_PLANTED,
					     i * DRAWS + j);
		a = draw_vertex(planted, bits[0]);
		b = move_to(planted, draw_vertex(planted, bits[1]),
			    draw_community(planted, planted_community(planted, a),
					   bits[2]));
		d->words[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	}
}

/* So many of the edges, at even distances. */
static void thin_out(struct graph *graph, uint64_t wanted)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; wanted < graph->nr_edges && i < graph->nr_edges; i++) {
		if ((unsigned __int128)(i + 1) * wanted / graph->nr_edges > kept)
			graph->edges[kept++] = graph->edges[i];
	}
	if (wanted < graph->nr_edges)
		graph->nr_edges = wanted;
}

int planted_load(const char *text, uint64_t seed, unsigned int threads,
		 struct graph *graph)
{
	struct planted planted;
	struct drawing d = { .planted = &planted };
	struct pairs pairs = { 0 };
	int ret = planted_read(text, seed, &planted);

	if (ret)
		return ret;
	d.count = planted_edges(&planted);
	/* some are loops or repetitions; of what is too much, some go again */
	if (planted.edges)
		d.count += d.count / 4;
	d.words = reallocarray(NULL, d.count ? d.count : 1, sizeof(*d.words));
	if (!d.words) {
		tool_error("%s: no memory for %s edges", text,
			   tool_count(d.count));
		return -ENOMEM;
	}
	app_parallel(threads, draw_part, &d);
	pairs.words = d.words;
	pairs.count = d.count;
	pairs.room = d.count;
	*graph = (struct graph){
		.threads = threads,
		.kind = "planted communities",
		.pairs_are = "edges drawn",
		.nr_vertices = planted.vertices,
	};
	ret = graph_take_pairs(graph, &pairs);
	pairs_free(&pairs);
	if (!ret && planted.edges)
		thin_out(graph, planted.edges);
	return ret;
}
