// SPDX-License-Identifier: MIT
/*
 * Random and regular graphs. An edge is a function of its number, by random numbers that
 * depend on seed and place alone, so that threads can share the work as they like.
 */
#include "tools/apps/common/graph/generators.h"
#include "tools/apps/common/graph/graph.h"
#include "tools/apps/common/graph/planted.h"
#include "tools/apps/common/random.h"
#include "tools/tool.h"

/* streams of random numbers */
enum {
	STREAM_EDGES = 1,
	STREAM_ENDS,
	STREAM_ORDER,
};

static uint64_t word_of(uint64_t a, uint64_t b)
{
	return a << 32 | b;
}

/* A bijection of the numbers of so many bits, another one for each seed. */
static uint64_t shuffle_bits(uint64_t x, unsigned int bits, uint64_t seed)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	unsigned int shift = bits / 2 + 1;

	for (uint64_t round = 0; round < 4; round++) {
		uint64_t r = app_random(seed, STREAM_ORDER, round);

		x = (x * (r | 1) + (r >> 32)) & mask;
		x ^= x >> shift;
	}
	return x;
}

/* A permutation of 0 to n - 1: numbers beyond are shuffled on until they are below. */
static uint64_t shuffle(uint64_t x, uint64_t n, uint64_t seed)
{
	unsigned int bits = n > 1 ? 64 - (unsigned int)__builtin_clzll(n - 1) : 1;

	do {
		x = shuffle_bits(x, bits, seed);
	} while (x >= n);
	return x;
}

/* --- R-MAT and Graph500's Kronecker graphs --- */

enum {
	RMAT_SCALE, RMAT_EDGES, RMAT_A, RMAT_B, RMAT_C,
};

static uint64_t rmat_vertices(const uint64_t *keys)
{
	return UINT64_C(1) << keys[RMAT_SCALE];
}

static uint64_t rmat_edges(const uint64_t *keys)
{
	return keys[RMAT_EDGES] << keys[RMAT_SCALE];
}

/* Each bit of both ends by one of four quarters, whose shares are percents. */
static uint64_t rmat_draw(const uint64_t *quarters, uint64_t scale, uint64_t seed,
			  uint64_t at)
{
	uint64_t a = 0, b = 0, bits = 0;

	for (uint64_t i = 0; i < scale; i++) {
		uint64_t share;

		if (i % 4 == 0)
			bits = app_random(seed, STREAM_EDGES + (i / 4 << 8), at);
		share = (bits & 0xffff) * 100;
		bits >>= 16;
		a <<= 1;
		b <<= 1;
		if (share >= (quarters[0] + quarters[1]) << 16)
			a |= 1;
		if ((share >= quarters[0] << 16 &&
		     share < (quarters[0] + quarters[1]) << 16) ||
		    share >= (quarters[0] + quarters[1] + quarters[2]) << 16)
			b |= 1;
	}
	return word_of(a, b);
}

static uint64_t rmat_edge(const uint64_t *keys, uint64_t seed, uint64_t at)
{
	return rmat_draw(keys + RMAT_A, keys[RMAT_SCALE], seed, at);
}

static const char *rmat_wrong(const uint64_t *keys)
{
	return keys[RMAT_A] + keys[RMAT_B] + keys[RMAT_C] > 100 ?
	       "a, b and c are percents of the edges, expected 100 together at most" : NULL;
}

/* Graph500's shares, and vertices in an order that tells nothing. */
static uint64_t kron_edge(const uint64_t *keys, uint64_t seed, uint64_t at)
{
	static const uint64_t quarters[] = { 57, 19, 19 };
	unsigned int scale = (unsigned int)keys[RMAT_SCALE];
	uint64_t edge = rmat_draw(quarters, scale, seed, at);

	return word_of(shuffle_bits(graph_edge_low(edge), scale, seed),
		       shuffle_bits(graph_edge_high(edge), scale, seed));
}

static const struct generator kron = {
	.name = "kron",
	.kind = "Kronecker graph",
	.keys = { { "scale", 16, 1, 31 }, { "edges", 16, 1, 1024 } },
	.vertices = rmat_vertices,
	.edges = rmat_edges,
	.edge = kron_edge,
};

static const struct generator rmat = {
	.name = "rmat",
	.kind = "R-MAT graph",
	.keys = { { "scale", 16, 1, 31 }, { "edges", 16, 1, 1024 },
		  { "a", 57, 0, 100 }, { "b", 19, 0, 100 }, { "c", 19, 0, 100 } },
	.wrong = rmat_wrong,
	.vertices = rmat_vertices,
	.edges = rmat_edges,
	.edge = rmat_edge,
};

/* --- any two vertices --- */

enum {
	UNIFORM_VERTICES, UNIFORM_EDGES,
};

static uint64_t first_key(const uint64_t *keys)
{
	return keys[0];
}

static uint64_t uniform_edges(const uint64_t *keys)
{
	return keys[UNIFORM_VERTICES] * keys[UNIFORM_EDGES];
}

static uint64_t uniform_edge(const uint64_t *keys, uint64_t seed, uint64_t at)
{
	uint64_t n = keys[UNIFORM_VERTICES];

	return word_of(app_random_below(app_random(seed, STREAM_EDGES, at), n),
		       app_random_below(app_random(seed, STREAM_ENDS, at), n));
}

static const struct generator uniform = {
	.name = "uniform",
	.kind = "uniform random graph",
	.keys = { { "vertices", 65536, 1, GRAPH_MAX_VERTICES },
		  { "edges", 16, 0, 1024 } },
	.vertices = first_key,
	.edges = uniform_edges,
	.edge = uniform_edge,
};

/* --- grids and paths --- */

enum {
	GRID_ROWS, GRID_COLUMNS,
};

static uint64_t grid_vertices(const uint64_t *keys)
{
	return keys[GRID_ROWS] * keys[GRID_COLUMNS];
}

static uint64_t grid_edges(const uint64_t *keys)
{
	return 2 * grid_vertices(keys) - keys[GRID_ROWS] - keys[GRID_COLUMNS];
}

static uint64_t grid_edge(const uint64_t *keys, uint64_t seed, uint64_t at)
{
	uint64_t columns = keys[GRID_COLUMNS], along = keys[GRID_ROWS] * (columns - 1);
	uint64_t v = at - along;

	(void)seed;
	if (at >= along)
		return word_of(v, v + columns);
	v = at / (columns - 1) * columns + at % (columns - 1);
	return word_of(v, v + 1);
}

static const struct generator grid = {
	.name = "grid",
	.kind = "grid",
	.keys = { { "rows", 256, 1, 65535 }, { "columns", 256, 1, 65535 } },
	.vertices = grid_vertices,
	.edges = grid_edges,
	.edge = grid_edge,
};

enum {
	PATH_VERTICES, PATH_SHUFFLED,
};

static uint64_t path_edges(const uint64_t *keys)
{
	return keys[PATH_VERTICES] - 1;
}

static uint64_t path_edge(const uint64_t *keys, uint64_t seed, uint64_t at)
{
	uint64_t n = keys[PATH_VERTICES];

	if (!keys[PATH_SHUFFLED])
		return word_of(at, at + 1);
	return word_of(shuffle(at, n, seed), shuffle(at + 1, n, seed));
}

static const struct generator path = {
	.name = "path",
	.kind = "path",
	.keys = { { "vertices", 4096, 1, GRAPH_MAX_VERTICES }, { "shuffled", 0, 0, 1 } },
	.vertices = first_key,
	.edges = path_edges,
	.edge = path_edge,
};

static const struct generator *const generators[] = {
	&kron, &rmat, &uniform, &grid, &path, &graph_sbm, &graph_reddit,
};

const struct generator *generator_at(size_t at)
{
	return at < TOOL_COUNT(generators) ? generators[at] : NULL;
}
