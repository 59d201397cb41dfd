// SPDX-License-Identifier: MIT
/*
 * Random graphs of communities: vertex v is of community v % communities, and has most of
 * its neighbours there. Each edge is drawn in both directions.
 */
#include <math.h>

#include "tools/apps/common/graph/graph.h"
#include "tools/apps/common/graph/planted.h"
#include "tools/apps/common/random.h"

#define STREAM_PLANTED	0x73626d00

/* random numbers of an edge: its ends, and the community of the second */
enum {
	DRAW_FIRST,
	DRAW_SECOND,
	DRAW_COMMUNITY,
	NR_DRAWS,
};

enum {
	SBM_VERTICES, SBM_COMMUNITIES, SBM_INSIDE, SBM_OUTSIDE,
};

/* as many as in the data set */
#define REDDIT_VERTICES		232965
#define REDDIT_COMMUNITIES	41
/* of which 57.3 million are left without repetitions */
#define REDDIT_DRAWS		UINT64_C(59654000)

static uint64_t draw(uint64_t seed, uint64_t edge, unsigned int which)
{
	return app_random(seed, STREAM_PLANTED, edge * NR_DRAWS + which);
}

/* The community of the other end of an edge from this one, `outside` times of `all`. */
static uint64_t draw_community(uint64_t from, uint64_t communities, uint64_t outside,
			       uint64_t all, uint64_t bits)
{
	if (communities == 1 || app_random_below(bits, all) >= outside)
		return from;
	/* the low bits have no part in what was below */
	return (from + 1 + (bits & 0xffffff) % (communities - 1)) % communities;
}

/* A vertex's namesake in a community that has one. */
static uint64_t move_to(uint64_t vertex, uint64_t community, uint64_t communities,
			uint64_t vertices)
{
	uint64_t moved = vertex - vertex % communities + community;

	return moved < vertices ? moved : community;
}

/* The ends of an edge, of which the second is to be in its place in its community. */
static uint64_t join(uint64_t a, uint64_t b, uint64_t at, uint64_t communities,
		     uint64_t vertices)
{
	/* no loop, where there is another one in the community */
	if (a == b)
		b = a + communities < vertices ? a + communities : a % communities;
	return at % 2 ? b << 32 | a : a << 32 | b;
}

static uint64_t sbm_vertices(const uint64_t *keys)
{
	return keys[SBM_VERTICES];
}

static uint64_t sbm_communities(const uint64_t *keys)
{
	return keys[SBM_COMMUNITIES] < keys[SBM_VERTICES] ? keys[SBM_COMMUNITIES] :
							    keys[SBM_VERTICES];
}

static uint64_t sbm_edges(const uint64_t *keys)
{
	return keys[SBM_VERTICES] * (keys[SBM_INSIDE] + keys[SBM_OUTSIDE]) / 2 * 2;
}

static uint64_t sbm_edge(const uint64_t *keys, uint64_t seed, uint64_t at)
{
	uint64_t n = keys[SBM_VERTICES], communities = sbm_communities(keys);
	uint64_t a = app_random_below(draw(seed, at / 2, DRAW_FIRST), n);
	uint64_t b = app_random_below(draw(seed, at / 2, DRAW_SECOND), n);
	uint64_t to = draw_community(a % communities, communities, keys[SBM_OUTSIDE],
				     keys[SBM_INSIDE] + keys[SBM_OUTSIDE],
				     draw(seed, at / 2, DRAW_COMMUNITY));

	return join(a, move_to(b, to, communities, n), at, communities, n);
}

const struct generator graph_sbm = {
	.name = "sbm",
	.kind = "stochastic block model",
	.keys = {
		{ "vertices", 20000, 1, GRAPH_MAX_VERTICES },
		{ "communities", 16, 1, GRAPH_MAX_VERTICES },
		{ "inside", 24, 0, 1048576 },
		{ "outside", 8, 0, 1048576 },
	},
	.vertices = sbm_vertices,
	.communities = sbm_communities,
	.edges = sbm_edges,
	.edge = sbm_edge,
};

static uint64_t reddit_vertices(const uint64_t *keys)
{
	(void)keys;
	return REDDIT_VERTICES;
}

static uint64_t reddit_communities(const uint64_t *keys)
{
	(void)keys;
	return REDDIT_COMMUNITIES;
}

static uint64_t reddit_edges(const uint64_t *keys)
{
	(void)keys;
	return 2 * REDDIT_DRAWS;
}

/*
 * Low numbers have more neighbours: x to the power of 1.5, by operations that are rounded
 * the same everywhere.
 */
static uint64_t draw_skewed(uint64_t bits)
{
	double x = app_random_unit(bits);

	x *= sqrt(x) * (REDDIT_VERTICES - 1);
	return (uint64_t)x;
}

static uint64_t reddit_edge(const uint64_t *keys, uint64_t seed, uint64_t at)
{
	uint64_t a = draw_skewed(draw(seed, at / 2, DRAW_FIRST));
	uint64_t b = draw_skewed(draw(seed, at / 2, DRAW_SECOND));
	uint64_t to = draw_community(a % REDDIT_COMMUNITIES, REDDIT_COMMUNITIES, 1, 4,
				     draw(seed, at / 2, DRAW_COMMUNITY));

	(void)keys;
	return join(a, move_to(b, to, REDDIT_COMMUNITIES, REDDIT_VERTICES), at,
		    REDDIT_COMMUNITIES, REDDIT_VERTICES);
}

const struct generator graph_reddit = {
	.name = "reddit",
	.kind = "graph of Reddit's size",
	.vertices = reddit_vertices,
	.communities = reddit_communities,
	.edges = reddit_edges,
	.edge = reddit_edge,
};
