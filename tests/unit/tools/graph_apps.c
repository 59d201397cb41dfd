// SPDX-License-Identifier: MIT
/*
 * bfs and cc on random graphs, PEs, algorithms and layouts, against the plainest search
 * and labelling there are; how bfs deals edges out; and generators, which make the same
 * graph for a seed whatever the threads.
 */
#include "tests/unit/unit.h"

#include "tools/apps/bfs/bfs.h"
#include "tools/apps/bfs/slices.h"
#include "tools/apps/cc/cc.h"
#include "tools/apps/common/app.h"
#include "tools/apps/common/graph/generator.h"
#include "tools/apps/common/graph/generators.h"
#include "tools/apps/common/graph/graph_load.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/random.h"

/* of each application; sanitizers take long for one */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES 20
#else
#define CASES 150
#endif

/* a run that a number makes */
struct sample {
	char input[128], uri[128];
	const char *algorithm;
	uint32_t pes;
	bool directed;
};

static void draw_input(struct sample *s, uint64_t seed)
{
	unsigned int n = 1 + (unsigned int)(app_random(seed, 1, 0) % 400);
	unsigned int m = (unsigned int)(app_random(seed, 1, 1) % 5);

	switch (app_random(seed, 1, 2) % 6) {
	case 0:
		snprintf(s->input, sizeof(s->input), "kron:scale=%u,edges=%u",
			 1 + n % 9, 1 + m);
		break;
	case 1:
		snprintf(s->input, sizeof(s->input), "grid:rows=%u,columns=%u",
			 1 + n % 20, 1 + m * 3);
		break;
	case 2:
		snprintf(s->input, sizeof(s->input), "path:vertices=%u,shuffled=%u",
			 1 + n % 50, m % 2);
		break;
	default:
		snprintf(s->input, sizeof(s->input), "uniform:vertices=%u,edges=%u",
			 n, m);
	}
	snprintf(s->input + strlen(s->input), sizeof(s->input) - strlen(s->input),
		 ",seed=%u", (unsigned int)seed);
}

static void draw_sample(struct sample *s, uint64_t seed)
{
	static const char *const algorithms[] = {
		NULL, "direct", "conventional", "pr", "pr+im", "sdk",
	};

	draw_input(s, seed);
	s->directed = app_random(seed, 2, 0) % 2;
	s->pes = 8 * (1 + (uint32_t)(app_random(seed, 2, 1) % 24));
	s->algorithm = algorithms[app_random(seed, 2, 2) % TOOL_COUNT(algorithms)];
	snprintf(s->uri, sizeof(s->uri), "mem:ranks=3,mram=128K,layout=%s%s",
		 app_random(seed, 2, 3) % 2 ? "linear" : "xeon_sp",
		 app_random(seed, 2, 4) % 3 ? "" : ",strict=1");
}

static void load_again(const struct sample *s, bool directed, struct graph *graph)
{
	const struct graph_wish wish = {
		.path = s->input, .directed = directed, .threads = 1,
	};

	assert_ok(graph_load(&wish, graph));
}

static void begin_sample(struct app_context *ctx, const struct app *app,
			 const struct sample *s)
{
	assert_ok(app_begin(ctx, app));
	ctx->input = s->input;
	ctx->uri = s->uri;
	ctx->algorithm = s->algorithm;
	ctx->pes_asked = s->pes;
	ctx->threads = 2;
}

static void run_sample(struct app_context *ctx)
{
	assert_ok(app_load(ctx));
	assert_ok(app_open(ctx));
	assert_ok(app_execute(ctx));
	assert_int_equal(ctx->wrong, 0);
}

/* a level of all vertices after another, along all edges */
static void plain_levels(const struct graph *graph, uint32_t source, uint32_t *levels)
{
	bool found = true;

	memset(levels, 0xff, graph->nr_vertices * sizeof(*levels));
	levels[source] = 0;
	for (uint32_t level = 0; found; level++) {
		found = false;
		for (uint64_t i = 0; i < graph->nr_edges; i++) {
			uint32_t a = graph_edge_low(graph->edges[i]);
			uint32_t b = graph_edge_high(graph->edges[i]);

			if (levels[a] == level && levels[b] == UINT32_MAX) {
				levels[b] = level + 1;
				found = true;
			}
			if (!graph->directed && levels[b] == level &&
			    levels[a] == UINT32_MAX) {
				levels[a] = level + 1;
				found = true;
			}
		}
	}
}

/* AllReduce reads and writes a vector of each PE, a round, where it does so once. */
static void check_allreduce(const struct app_context *ctx, uint64_t rounds,
			    uint64_t bytes)
{
	const struct pimdimm_report_row *row = app_report_row(&ctx->report, APP_RUN,
							      "allreduce");

	assert_non_null(row);
	assert_int_equal(row->calls, rounds);
	if (!ctx->algorithm || !strcmp(ctx->algorithm, "direct"))
		assert_int_equal(row->mram_bytes,
				 2 * rounds * ctx->nr_pes * bytes);
}

static void check_bfs(uint64_t seed)
{
	struct app_context *ctx = calloc(1, sizeof(*ctx));
	struct graph graph;
	uint32_t *expected;
	struct sample s;
	struct bfs *bfs;

	draw_sample(&s, seed);
	begin_sample(ctx, &app_bfs, &s);
	bfs = ctx->state;
	bfs->directed = s.directed;
	load_again(&s, s.directed, &graph);
	bfs->source_given = true;
	bfs->source_name = app_random(seed, 3, 0) % graph.nr_vertices;
	run_sample(ctx);
	expected = calloc(graph.nr_vertices, sizeof(*expected));
	plain_levels(&graph, bfs->source, expected);
	assert_memory_equal(bfs->levels, expected, graph.nr_vertices * 4);
	check_allreduce(ctx, bfs->nr_levels, bfs->layout.bitmap_bytes + 8);
	free(expected);
	graph_free(&graph);
	app_end(ctx);
	free(ctx);
}

static void searches(void **state)
{
	(void)state;
	if (!app_runs_here(&app_bfs))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	for (uint64_t seed = 0; seed < CASES; seed++)
		check_bfs(seed);
}

/* labels passed along edges until none falls */
static void plain_labels(const struct graph *graph, uint32_t *labels)
{
	bool fell = true;

	for (uint32_t v = 0; v < graph->nr_vertices; v++)
		labels[v] = v;
	while (fell) {
		fell = false;
		for (uint64_t i = 0; i < graph->nr_edges; i++) {
			uint32_t *a = &labels[graph_edge_low(graph->edges[i])];
			uint32_t *b = &labels[graph_edge_high(graph->edges[i])];

			fell |= *a != *b;
			*a = *b = *a < *b ? *a : *b;
		}
	}
}

static void check_cc(uint64_t seed)
{
	struct app_context *ctx = calloc(1, sizeof(*ctx));
	struct graph graph;
	uint32_t *expected;
	struct sample s;
	struct cc *cc;

	draw_sample(&s, seed);
	begin_sample(ctx, &app_cc, &s);
	cc = ctx->state;
	load_again(&s, false, &graph);
	run_sample(ctx);
	expected = calloc(graph.nr_vertices, sizeof(*expected));
	plain_labels(&graph, expected);
	assert_memory_equal(cc->labels, expected, graph.nr_vertices * 4);
	check_allreduce(ctx, cc->rounds, cc->layout.label_bytes + 8);
	free(expected);
	graph_free(&graph);
	app_end(ctx);
	free(ctx);
}

static void components(void **state)
{
	(void)state;
	if (!app_runs_here(&app_cc))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	for (uint64_t seed = CASES; seed < 2 * CASES; seed++)
		check_cc(seed);
}

/* Slices together are all edges, in order, none longer than the mean allows. */
static void check_slices(const struct csr *csr, uint32_t pes)
{
	uint64_t slice = (csr->nr_edges + pes - 1) / pes, at = 0;
	struct bfs_source *sources = calloc(slice + 2, sizeof(*sources));

	for (uint32_t pe = 0; pe < pes; pe++) {
		uint64_t n = slice_sources(csr, pe, slice, sources), edges;

		edges = slice_edges(csr, pe, slice);
		assert_true(edges * pes < csr->nr_edges + pes);
		assert_int_equal(sources[n].first, edges);
		for (uint64_t i = 0; i < n; i++) {
			assert_true(sources[i].first < sources[i + 1].first);
			for (uint64_t e = sources[i].first; e < sources[i + 1].first; e++) {
				assert_true(csr->first[sources[i].vertex] <= at);
				assert_true(at < csr->first[sources[i].vertex + 1]);
				at++;
			}
		}
	}
	assert_int_equal(at, csr->nr_edges);
	free(sources);
}

static void slices(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct graph graph;
		struct csr csr;
		struct sample s;

		draw_sample(&s, seed);
		load_again(&s, s.directed, &graph);
		assert_ok(csr_make(&csr, &graph, CSR_OUT));
		check_slices(&csr, s.pes);
		csr_free(&csr);
		graph_free(&graph);
	}
}

/* FNV-1a over the edges' words */
static uint64_t hash_of(const char *text, unsigned int threads)
{
	const struct graph_wish wish = {
		.path = text, .threads = threads, .seed = 1,
	};
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	struct graph graph;

	assert_ok(graph_load(&wish, &graph));
	for (uint64_t i = 0; i < graph.nr_edges; i++) {
		for (unsigned int byte = 0; byte < 8; byte++)
			hash = (hash ^ (graph.edges[i] >> 8 * byte & 0xff)) *
			       UINT64_C(0x100000001b3);
	}
	graph_free(&graph);
	return hash;
}

static void generators(void **state)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} known[] = {
		{ "kron:scale=10", UINT64_C(0x45dcccea31ae8ab1) },
		{ "rmat:scale=9,edges=8,a=45,b=22,c=22,seed=7",
		  UINT64_C(0x5bdc18a86c79ac7c) },
		{ "uniform:vertices=1000,edges=5", UINT64_C(0x810612e8c05ecea1) },
		{ "grid:rows=17,columns=23", UINT64_C(0xef37c51afd3d3333) },
		{ "path:vertices=999,shuffled=1,seed=3",
		  UINT64_C(0x6157e2e269d93b8a) },
		{ "sbm:vertices=500", UINT64_C(0x64dce68a7e7af42a) },
	};
	bool right = true;

	(void)state;
	for (size_t i = 0; i < TOOL_COUNT(known); i++) {
		for (unsigned int threads = 1; threads < 6; threads += 2) {
			uint64_t hash = hash_of(known[i].text, threads);

			if (hash != known[i].hash) {
				print_error("%s, %u threads: %#llx\n",
					    known[i].text, threads,
					    (unsigned long long)hash);
				right = false;
			}
		}
	}
	assert_true(right);
}

/* Reddit's size takes long: one edge of so many, and how many there are. */
static void reddit(void **state)
{
	const struct generator *g = NULL;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	(void)state;
	for (size_t i = 0; generator_at(i); i++)
		if (!strcmp(generator_at(i)->name, "reddit"))
			g = generator_at(i);
	assert_non_null(g);
	for (uint64_t at = 0; at < g->edges(NULL); at += 997) {
		uint64_t edge = g->edge(NULL, 1, at);

		for (unsigned int byte = 0; byte < 8; byte++)
			hash = (hash ^ (edge >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3);
	}
	assert_int_equal(g->vertices(NULL), 232965);
	/* of which some fall together */
	assert_int_equal(g->edges(NULL), 119308000);
	if (hash != UINT64_C(0x2b0b6b93efc6233a))
		fail_msg("%#llx", (unsigned long long)hash);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(generators),
	cmocka_unit_test(reddit),
	cmocka_unit_test(slices),
	cmocka_unit_test(searches),
	cmocka_unit_test(components),
};

UNIT_MAIN(tests)
