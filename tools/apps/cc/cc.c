// SPDX-License-Identifier: MIT
/* Connected components: deals the graph out, has PEs hook and shorten, compares. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/apps/cc/cc.h"
#include "tools/apps/cc/programs.h"
#include "tools/apps/common/exchange.h"
#include "tools/apps/common/graph/graph_load.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/progress.h"

/* No graph needs so many: only memory that loses what is written could. */
#define CC_MAX_ROUNDS 1000

static int cc_load(struct app_context *ctx)
{
	struct cc *cc = ctx->state;

	struct graph_wish wish = {
		.path = ctx->input,
		.threads = ctx->threads,
		.seed = ctx->seed,
	};

	return graph_load(&wish, &cc->graph) ? TOOL_FAILED : TOOL_OK;
}

static int cc_plan(struct app_context *ctx, struct app_plan *plan)
{
	struct cc *cc = ctx->state;
	struct cc_layout *layout = &cc->layout;
	const struct graph *graph = &cc->graph;

	plan->ndims = 1;
	plan->dims[0] = ctx->nr_pes;
	layout->label_bytes = app_slice_bytes(graph->nr_vertices, 4);
	layout->slice = (graph->nr_edges + ctx->nr_pes - 1) / ctx->nr_pes;
	layout->vertices = graph->nr_vertices / ctx->nr_pes + 1;
	layout->labels = app_plan_mram(plan, "labels", layout->label_bytes);
	layout->status = app_plan_mram(plan, "status", 8);
	layout->edges = app_plan_mram(plan, "edges", app_times(layout->slice, 8));
	app_plan_collective(plan, SDK_ALLREDUCE, "1", layout->label_bytes + 8);
	/* the edges twice, labels, and the reference's */
	app_plan_host(plan, graph->nr_edges * 16 + layout->label_bytes * 3);
	return TOOL_OK;
}

static int load_labels(struct app_context *ctx)
{
	struct cc *cc = ctx->state;
	uint64_t bytes = cc->layout.label_bytes;
	uint32_t *labels = malloc(bytes);
	int ret;

	if (!labels)
		return app_no_memory("labels");
	/* an odd count leaves half a word that nobody reads */
	for (uint64_t v = 0; v < bytes / 4; v++)
		labels[v] = (uint32_t)v;
	ret = app_broadcast_all(ctx, bytes, labels, cc->layout.labels);
	free(labels);
	return ret;
}

static uint32_t at_most(uint64_t value, uint64_t most)
{
	return (uint32_t)(value < most ? value : most);
}

/* What each PE is told: which edges and which vertices are its own. */
static struct cc_args *make_args(const struct app_context *ctx)
{
	const struct cc *cc = ctx->state;
	const struct cc_layout *layout = &cc->layout;
	struct cc_args *args = calloc(ctx->nr_pes, sizeof(*args));

	for (uint64_t pe = 0; args && pe < ctx->nr_pes; pe++) {
		uint64_t first = layout->slice * pe;
		uint64_t left = first < cc->graph.nr_edges ?
				cc->graph.nr_edges - first : 0;

		args[pe] = (struct cc_args){
			.labels = (uint32_t)layout->labels,
			.status = (uint32_t)layout->status,
			.edges = (uint32_t)layout->edges,
			.nr_edges = at_most(left, layout->slice),
			.first = at_most(layout->vertices * pe,
					 cc->graph.nr_vertices),
			.end = at_most(layout->vertices * (pe + 1),
				       cc->graph.nr_vertices),
		};
	}
	return args;
}

static int run_round(struct app_context *ctx, const struct cc_args *args,
		     bool *changed)
{
	struct cc *cc = ctx->state;
	uint64_t status;

	/* what the first launch is told stays in WRAM */
	if (app_launch(ctx, &cc_relax, args, cc->rounds ? 0 : sizeof(*args),
		       sizeof(*args)))
		return TOOL_FAILED;
	if (app_allreduce(ctx, "1", cc->layout.label_bytes + 8, cc->layout.labels,
			  cc->layout.labels, PIDCOMM_U32, PIDCOMM_MIN))
		return TOOL_FAILED;
	if (pimdimm_read(ctx->sys, 0, cc->layout.status, &status, 8))
		return app_failed("status");
	/* not all hosts need have a PE of the run */
	if (ctx->hosts && pimdimm_hosts_broadcast(ctx->hosts, &status, 8, 0))
		return app_failed("status");
	*changed = !status;
	app_progress("rounds", ++cc->rounds, 0);
	return TOOL_OK;
}

static int run_rounds(struct app_context *ctx)
{
	struct cc *cc = ctx->state;
	struct cc_args *args = make_args(ctx);
	bool changed = true;
	int ret = args ? TOOL_OK : app_no_memory("arguments");

	while (!ret && changed && cc->rounds < CC_MAX_ROUNDS)
		ret = run_round(ctx, args, &changed);
	free(args);
	if (!ret && changed)
		ret = tool_error("labels still change after %u rounds",
				 cc->rounds);
	return ret;
}

static int cc_run(struct app_context *ctx)
{
	struct cc *cc = ctx->state;
	const struct graph *graph = &cc->graph;

	free(cc->labels);
	cc->rounds = 0;
	cc->labels = malloc(cc->layout.label_bytes);
	if (!cc->labels)
		return app_no_memory("labels");
	if (app_scatter_slices(ctx, graph->edges, graph->nr_edges,
			       cc->layout.slice, 8, cc->layout.edges))
		return TOOL_FAILED;
	app_report_phase(&ctx->report, APP_RUN);
	if (load_labels(ctx) || run_rounds(ctx))
		return TOOL_FAILED;
	return app_reduce_all(ctx, cc->layout.label_bytes, cc->layout.labels,
			      cc->labels, PIDCOMM_U32, PIDCOMM_MIN);
}

static int summarise(struct app_context *ctx, const uint32_t *labels)
{
	struct cc *cc = ctx->state;
	uint32_t n = cc->graph.nr_vertices;

	if (components_summarise(labels, n, &cc->summary))
		return app_no_memory(ctx->input);
	cc->largest_name = graph_name(&cc->graph, cc->summary.largest_label);
	app_report_text(&ctx->report, "graph", "%s", cc->graph.kind);
	app_report_number(&ctx->report, "vertices", n);
	app_report_number(&ctx->report, "edges", (double)cc->graph.nr_edges);
	app_report_number(&ctx->report, "rounds", cc->rounds);
	app_report_number(&ctx->report, "components", cc->summary.count);
	app_report_number(&ctx->report, "largest", cc->summary.largest);
	return TOOL_OK;
}

static int cc_check(struct app_context *ctx)
{
	struct cc *cc = ctx->state;
	uint32_t n = cc->graph.nr_vertices;
	uint32_t *expected = reallocarray(NULL, n, sizeof(*expected));
	uint64_t wrong = 0, start = tool_now();
	int ret;

	if (!expected)
		return app_no_memory(ctx->input);
	components_on_host(&cc->graph, expected);
	cc->host_ns = tool_now() - start;
	for (uint32_t v = 0; v < n; v++)
		wrong += cc->labels[v] != expected[v];
	ret = summarise(ctx, expected);
	free(expected);
	return ret ? ret :
	       app_verdict(ctx, wrong, "every label is the one that union-find gives on the host");
}

static int cc_write(struct app_context *ctx, FILE *file)
{
	const struct cc *cc = ctx->state;

	for (uint32_t v = 0; v < cc->graph.nr_vertices && !ferror(file); v++)
		fprintf(file, "%" PRIu32 " %" PRIu32 "\n",
			graph_name(&cc->graph, v),
			graph_name(&cc->graph, cc->labels[v]));
	return TOOL_OK;
}

static void cc_free(struct app_context *ctx)
{
	struct cc *cc = ctx->state;

	free(cc->labels);
	graph_free(&cc->graph);
}

const struct app app_cc = {
	.name = "cc",
	.summary = "connected components of a graph",
	.axes = "P",
	.about =
	"Finds the connected components of an undirected graph. Each PE holds a slice of\n"
	"the edges and all labels, a PE program hooks roots along its edges and shortens\n"
	"paths, AllReduce(MIN) over labels and a status word joins the rounds. Each vertex\n"
	"is labelled with the smallest one of its component, compared with a union-find on\n"
	"the host.\n",
	.operand = { "GRAPH", .kind = TOOL_FILE },
	.input = "/usr/share/wordnet",
	.programs = { &cc_relax },
	.state_bytes = sizeof(struct cc),
	.load = cc_load,
	.plan = cc_plan,
	.run = cc_run,
	.check = cc_check,
	.write = cc_write,
	.free = cc_free,
};
