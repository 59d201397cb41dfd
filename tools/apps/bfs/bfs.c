// SPDX-License-Identifier: MIT
/* Breadth-first search: deals edges out, has PEs expand the frontier, compares. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/bfs/bfs.h"
#include "tools/apps/bfs/programs.h"
#include "tools/apps/bfs/search.h"
#include "tools/apps/bfs/slices.h"
#include "tools/apps/common/exchange.h"
#include "tools/apps/common/graph/graph_load.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/progress.h"

enum {
	BFS_DIRECTED = APP_OPTION,
	BFS_SOURCE,
};

static int bfs_option(struct app_context *ctx, int option, const char *value)
{
	struct bfs *bfs = ctx->state;

	if (option == BFS_DIRECTED) {
		bfs->directed = true;
		return TOOL_OK;
	}
	bfs->source_given = true;
	return app_number(ctx, "source", value, 0, UINT32_MAX, &bfs->source_name);
}

/* The vertex that the file calls so; names ascend. */
static int find_source(const struct app_context *ctx, uint32_t *source)
{
	const struct bfs *bfs = ctx->state;
	uint32_t low = 0, high = bfs->graph.nr_vertices;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (graph_name(&bfs->graph, middle) < bfs->source_name)
			low = middle + 1;
		else
			high = middle;
	}
	*source = low;
	if (low < bfs->graph.nr_vertices &&
	    graph_name(&bfs->graph, low) == bfs->source_name)
		return TOOL_OK;
	return tool_error("%s: there is no vertex %" PRIu64 " to begin at, expected one from %" PRIu32 " to %" PRIu32,
			  ctx->input, bfs->source_name, graph_name(&bfs->graph, 0),
			  graph_name(&bfs->graph, bfs->graph.nr_vertices - 1));
}

/* The vertex with most edges, the first of these: it reaches much. */
static uint32_t busiest(const struct csr *csr)
{
	uint32_t best = 0;

	for (uint32_t v = 0; v < csr->nr_vertices; v++) {
		if (csr_degree(csr, v) > csr_degree(csr, best))
			best = v;
	}
	return best;
}

static int bfs_load(struct app_context *ctx)
{
	struct bfs *bfs = ctx->state;
	struct graph_wish wish = {
		.path = ctx->input,
		.directed = bfs->directed,
		.threads = ctx->threads,
		.seed = ctx->seed,
	};

	if (graph_load(&wish, &bfs->graph))
		return TOOL_FAILED;
	if (csr_make(&bfs->out, &bfs->graph, CSR_OUT) ||
	    (bfs->directed && csr_make(&bfs->in, &bfs->graph, CSR_IN)))
		return TOOL_FAILED;
	free(bfs->graph.edges);
	bfs->graph.edges = NULL;
	if (bfs->source_given)
		return find_source(ctx, &bfs->source);
	bfs->source = busiest(&bfs->out);
	return TOOL_OK;
}

/* with the entry behind the last one */
static uint64_t most_sources(const struct app_context *ctx, uint64_t slice)
{
	const struct bfs *bfs = ctx->state;
	uint64_t most = 0;

	for (uint32_t pe = 0; pe < ctx->nr_pes; pe++) {
		uint64_t n = slice_sources(&bfs->out, pe, slice, NULL);

		most = n > most ? n : most;
	}
	return most + 1;
}

static int bfs_plan(struct app_context *ctx, struct app_plan *plan)
{
	struct bfs *bfs = ctx->state;
	struct bfs_layout *l = &bfs->layout;
	uint64_t n = bfs->graph.nr_vertices, m = bfs->out.nr_edges;
	uint64_t words = (n + BFS_WORD_VERTICES - 1) / BFS_WORD_VERTICES;

	plan->ndims = 1;
	plan->dims[0] = ctx->nr_pes;
	l->bitmap_bytes = words * 8;
	l->words = (words + ctx->nr_pes - 1) / ctx->nr_pes;
	l->slice = (m + ctx->nr_pes - 1) / ctx->nr_pes;
	l->most_sources = most_sources(ctx, l->slice);
	l->next = app_plan_mram(plan, "next", l->bitmap_bytes);
	l->status = app_plan_mram(plan, "status", 8);
	l->visited = app_plan_mram(plan, "visited", l->bitmap_bytes);
	l->frontier = app_plan_mram(plan, "frontier", l->bitmap_bytes);
	l->levels = app_plan_mram(plan, "levels", l->words * BFS_WORD_VERTICES * 4);
	l->sources = app_plan_mram(plan, "sources",
				   l->most_sources * sizeof(struct bfs_source));
	l->targets = app_plan_mram(plan, "targets", l->slice * 4);
	app_plan_collective(plan, SDK_ALLREDUCE, "1", l->bitmap_bytes + 8);
	/* the graph by vertex, one way or both, slices of it, levels, the reference's */
	app_plan_host(plan, (bfs->directed ? 2 : 1) * (n * 8 + m * 4) + m * 4 +
			    l->most_sources * ctx->nr_pes * 8 + n * 20);
	return TOOL_OK;
}

static int scatter_sources(struct app_context *ctx, struct bfs_args *args)
{
	const struct bfs *bfs = ctx->state;
	const struct bfs_layout *l = &bfs->layout;
	struct bfs_source *sources = calloc(ctx->nr_pes * l->most_sources,
					    sizeof(*sources));
	int ret;

	if (!sources)
		return app_no_memory("sources");
	for (uint32_t pe = 0; pe < ctx->nr_pes; pe++)
		args[pe].nr_sources = (uint32_t)
			slice_sources(&bfs->out, pe, l->slice,
				      sources + pe * l->most_sources);
	ret = app_scatter_all(ctx, l->most_sources * sizeof(*sources), sources,
			      l->sources);
	free(sources);
	return ret;
}

/* What each PE is told: which edges and which vertices are its own. */
static void make_args(const struct app_context *ctx, struct bfs_args *args)
{
	const struct bfs *bfs = ctx->state;
	const struct bfs_layout *l = &bfs->layout;
	uint64_t words = l->bitmap_bytes / 8;

	for (uint64_t pe = 0; pe < ctx->nr_pes; pe++) {
		uint64_t first = l->words * pe, end = first + l->words;

		args[pe] = (struct bfs_args){
			.next = (uint32_t)l->next,
			.status = (uint32_t)l->status,
			.visited = (uint32_t)l->visited,
			.frontier = (uint32_t)l->frontier,
			.levels = (uint32_t)l->levels,
			.sources = (uint32_t)l->sources,
			.targets = (uint32_t)l->targets,
			.nr_words = (uint32_t)words,
			.first_word = (uint32_t)(first < words ? first : words),
			.end_word = (uint32_t)(end < words ? end : words),
			.nr_edges = (uint32_t)slice_edges(&bfs->out, pe, l->slice),
		};
	}
}

static int broadcast_source(struct app_context *ctx)
{
	const struct bfs *bfs = ctx->state;
	uint64_t bytes = bfs->layout.bitmap_bytes + 8;
	uint64_t *words = calloc(1, bytes);
	int ret;

	if (!words)
		return app_no_memory("frontier");
	words[bfs->source / BFS_WORD_VERTICES] =
		UINT64_C(1) << bfs->source % BFS_WORD_VERTICES;
	ret = app_broadcast_all(ctx, bytes, words, bfs->layout.next);
	free(words);
	return ret;
}

static int run_level(struct app_context *ctx, struct bfs_args *args, bool *found)
{
	struct bfs *bfs = ctx->state;
	uint64_t status;

	for (uint32_t pe = 0; pe < ctx->nr_pes; pe++)
		args[pe].level = bfs->nr_levels;
	if (app_launch(ctx, &bfs_expand, args, sizeof(*args), sizeof(*args)) ||
	    app_allreduce(ctx, "1", bfs->layout.bitmap_bytes + 8,
			  bfs->layout.next, bfs->layout.next, PIDCOMM_U64,
			  PIDCOMM_BOR))
		return TOOL_FAILED;
	if (pimdimm_read(ctx->sys, 0, bfs->layout.status, &status, 8))
		return app_failed("status");
	*found = status;
	app_progress("levels", ++bfs->nr_levels, 0);
	return TOOL_OK;
}

static int run_levels(struct app_context *ctx, struct bfs_args *args)
{
	struct bfs *bfs = ctx->state;
	bool found = true;
	int ret = broadcast_source(ctx);

	while (!ret && found && bfs->nr_levels <= bfs->graph.nr_vertices)
		ret = run_level(ctx, args, &found);
	if (!ret && found)
		ret = tool_error("there is no end after %" PRIu32 " levels",
				 bfs->nr_levels);
	return ret;
}

static int gather_result(struct app_context *ctx)
{
	struct bfs *bfs = ctx->state;
	const struct bfs_layout *l = &bfs->layout;
	int ret = app_gather_slices(ctx, bfs->levels, bfs->graph.nr_vertices,
				    l->words * BFS_WORD_VERTICES, 4, l->levels);

	return ret ? ret : app_reduce_all(ctx, l->bitmap_bytes, l->visited,
					  bfs->visited, PIDCOMM_U64, PIDCOMM_BOR);
}

static int bfs_run(struct app_context *ctx)
{
	struct bfs *bfs = ctx->state;
	struct bfs_args *args = calloc(ctx->nr_pes, sizeof(*args));
	int ret = TOOL_OK;

	free(bfs->levels);
	free(bfs->visited);
	bfs->nr_levels = 0;
	bfs->levels = malloc(bfs->graph.nr_vertices * sizeof(*bfs->levels));
	bfs->visited = malloc(bfs->layout.bitmap_bytes);
	if (!args || !bfs->levels || !bfs->visited) {
		free(args);
		return app_no_memory("levels");
	}
	make_args(ctx, args);
	ret = app_scatter_slices(ctx, bfs->out.targets, bfs->out.nr_edges,
				 bfs->layout.slice, 4, bfs->layout.targets);
	if (!ret)
		ret = scatter_sources(ctx, args);
	app_report_phase(&ctx->report, APP_RUN);
	if (!ret)
		ret = run_levels(ctx, args);
	if (!ret)
		ret = gather_result(ctx);
	free(args);
	return ret;
}

static bool is_visited(const struct bfs *bfs, uint32_t v)
{
	return bfs->visited[v / BFS_WORD_VERTICES] >> v % BFS_WORD_VERTICES & 1;
}

/* Tells of the search, whose levels are these. */
static void bfs_tell(struct app_context *ctx, const uint32_t *levels)
{
	const struct bfs *bfs = ctx->state;
	uint64_t reached = 0, edges = 0;
	uint32_t deepest = 0;

	for (uint32_t v = 0; v < bfs->graph.nr_vertices; v++) {
		if (levels[v] == SEARCH_UNREACHED)
			continue;
		reached++;
		edges += csr_degree(&bfs->out, v);
		deepest = levels[v] > deepest ? levels[v] : deepest;
	}
	app_report_text(&ctx->report, "graph", "%s, %s", bfs->graph.kind,
			bfs->directed ? "directed" : "undirected");
	app_report_number(&ctx->report, "vertices", bfs->graph.nr_vertices);
	app_report_number(&ctx->report, "edges", (double)bfs->graph.nr_edges);
	app_report_number(&ctx->report, "source",
			  graph_name(&bfs->graph, bfs->source));
	app_report_number(&ctx->report, "reached", (double)reached);
	app_report_number(&ctx->report, "deepest", deepest);
	app_report_number(&ctx->report, "followed", (double)edges);
}

static int bfs_check(struct app_context *ctx)
{
	struct bfs *bfs = ctx->state;
	uint32_t n = bfs->graph.nr_vertices, *expected = malloc(n * sizeof(*expected));
	uint64_t wrong = 0, start = tool_now();

	if (!expected ||
	    search_levels(&bfs->out, bfs->directed ? &bfs->in : &bfs->out,
			  bfs->source, ctx->threads, expected)) {
		free(expected);
		return app_no_memory(ctx->input);
	}
	start = tool_now() - start;
	for (uint32_t v = 0; v < n; v++)
		wrong += bfs->levels[v] != expected[v] ||
			 is_visited(bfs, v) != (expected[v] != SEARCH_UNREACHED);
	bfs_tell(ctx, expected);
	app_report_number(&ctx->report, "reference_ns", (double)start);
	free(expected);
	return app_verdict(ctx, wrong, "every level is that of a search on the host");
}

/* A vertex and its level a line, in the order of the file's numbers. */
static int bfs_write(struct app_context *ctx, FILE *file)
{
	const struct bfs *bfs = ctx->state;

	for (uint32_t v = 0; v < bfs->graph.nr_vertices && !ferror(file); v++) {
		if (bfs->levels[v] == BFS_UNREACHED)
			fprintf(file, "%" PRIu32 " -\n",
				graph_name(&bfs->graph, v));
		else
			fprintf(file, "%" PRIu32 " %" PRIu32 "\n",
				graph_name(&bfs->graph, v), bfs->levels[v]);
	}
	return TOOL_OK;
}

static void bfs_free(struct app_context *ctx)
{
	struct bfs *bfs = ctx->state;

	free(bfs->levels);
	free(bfs->visited);
	csr_free(&bfs->out);
	csr_free(&bfs->in);
	graph_free(&bfs->graph);
}

static const struct tool_option options[] = {
	{ BFS_DIRECTED, "directed",
	  .help = "follow edges one way, as the graph's file has them" },
	{ BFS_SOURCE, "source", { .name = "VERTEX" },
	  .help = "where to begin, as the graph's file calls it; else the first vertex with most edges" },
	{ 0 },
};

const struct app app_bfs = {
	.name = "bfs",
	.summary = "breadth-first search: each vertex's distance from one",
	.axes = "P",
	.about =
	"Finds how many edges away from one vertex each other one is. Each PE holds a\n"
	"slice of the edges and whole bitmaps of what is visited and what is found. In a\n"
	"level it follows the edges that leave from what the last level found, and\n"
	"AllReduce(BOR) over the bitmap and a status word joins what is found next. Levels\n"
	"are compared with those of a search on the host.\n",
	.options = options,
	.operand = { "GRAPH", .kind = TOOL_FILE },
	.input = "/usr/share/wordnet",
	.programs = { &bfs_expand },
	.state_bytes = sizeof(struct bfs),
	.option = bfs_option,
	.load = bfs_load,
	.plan = bfs_plan,
	.run = bfs_run,
	.check = bfs_check,
	.write = bfs_write,
	.free = bfs_free,
};
