// SPDX-License-Identifier: MIT
/* `pimdimm app gnn`: options, comparison and result. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/gnn/state.h"
#include "tools/apps/gnn/input.h"
#include "tools/apps/gnn/lay.h"
#include "tools/apps/gnn/programs.h"
#include "tools/apps/gnn/run.h"

enum {
	STRATEGY = APP_OPTION,
	TYPE,
	LAYERS,
	FEATURES,
	HIDDEN,
	ACTIVATION,
	WEIGHTS,
};

#define DEFAULT_LAYERS		3
#define DEFAULT_FEATURES	64

static const char *strategy_word(size_t at)
{
	return at < GNN_NR_STRATEGIES ? gnn_strategy_name((enum gnn_strategy)at) : NULL;
}

static const char *type_word(size_t at)
{
	return at < GNN_NR_TYPES ? gnn_type_name((enum gnn_type)at) : NULL;
}

static const char *activation_word(size_t at)
{
	static const char *const words[] = { "none", "relu" };

	return at < TOOL_COUNT(words) ? words[at] : NULL;
}

static int take_given(struct app_context *ctx, const char *option, const char *text,
		      uint32_t most, uint32_t *value, bool *given)
{
	*given = true;
	return app_take_number(ctx, option, text, 1, most, value);
}

/* a number of features, or a file that has them */
static int take_features(struct app_context *ctx, const char *text)
{
	struct gnn *gnn = ctx->state;

	if (*text >= '0' && *text <= '9' && !strchr(text, '.') && !strchr(text, '/'))
		return take_given(ctx, "features", text, GNN_MAX_FEATURES,
				  &gnn->model.features, &gnn->features_given);
	gnn->features_path = text;
	return TOOL_OK;
}

static int gnn_option(struct app_context *ctx, int option, const char *value)
{
	struct gnn *gnn = ctx->state;
	unsigned int place = 0;
	int ret;

	switch (option) {
	case STRATEGY:
		ret = app_take_word(ctx, "strategy", value, strategy_word, &place);
		gnn->strategies = 1u << place;
		return ret;
	case TYPE:
		ret = app_take_word(ctx, "type", value, type_word, &place);
		gnn->model.type = (enum gnn_type)place;
		gnn->type_given = true;
		return ret;
	case LAYERS:
		return take_given(ctx, "layers", value, GNN_MAX_LAYERS,
				  &gnn->model.nr_layers, &gnn->layers_given);
	case FEATURES:
		return take_features(ctx, value);
	case HIDDEN:
		return take_given(ctx, "hidden", value, GNN_MAX_FEATURES,
				  &gnn->model.hidden, &gnn->hidden_given);
	case ACTIVATION:
		ret = app_take_word(ctx, "activation", value, activation_word, &place);
		gnn->model.relu = place;
		return ret;
	default:
		gnn->weights_paths = value;
		return TOOL_OK;
	}
}

/* What nobody asked for. */
static int load(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;

	if (!gnn->strategies)
		gnn->strategies = (1u << GNN_NR_STRATEGIES) - 1;
	if (!gnn->type_given)
		gnn->model.type = GNN_I32;
	if (!gnn->layers_given)
		gnn->model.nr_layers = DEFAULT_LAYERS;
	if (!gnn->features_given)
		gnn->model.features = DEFAULT_FEATURES;
	return gnn_load(ctx);
}

/* Both axes are of one length, a power of two. */
static uint32_t fit(const struct app_context *ctx, uint32_t nr_pes)
{
	uint32_t p = GNN_MAX_SIDE;

	(void)ctx;
	while (p >= GNN_MIN_SIDE && p * p > nr_pes)
		p /= 2;
	return p >= GNN_MIN_SIDE ? p * p : 0;
}

static void report_model(struct app_context *ctx)
{
	const struct gnn *gnn = ctx->state;
	struct app_report *report = &ctx->report;

	app_report_number(report, "vertices", gnn->model.nr_vertices);
	app_report_number(report, "entries",
			  (double)gnn->matrix.rows.first[gnn->matrix.rows.nr_vertices]);
	app_report_text(report, "matrix", "%s", gnn->matrix.symmetric ?
			"symmetric, stored once" : "not symmetric, stored twice");
	app_report_text(report, "type", "%s", gnn_type_name(gnn->model.type));
	app_report_number(report, "layers", gnn->model.nr_layers);
	app_report_number(report, "features", gnn->model.features);
	app_report_number(report, "hidden", gnn->model.hidden);
	app_report_number(report, "rows of a strip", gnn->shape.rows);
	app_report_number(report, "entries of the fullest tile", (double)gnn->most);
}

/* The nearest that any strategy came to its bound, and elements that are wrong. */
static uint64_t compare_results(const struct gnn *gnn,
				const struct gnn_reference *reference,
				struct gnn_comparison *nearest)
{
	uint64_t wrong = 0;

	*nearest = (struct gnn_comparison){ 0 };
	for (unsigned int s = 0; s < GNN_NR_STRATEGIES; s++) {
		struct gnn_comparison c;

		if (!gnn->results[s])
			continue;
		gnn_compare(&gnn->model, reference, gnn->results[s], &c);
		wrong += c.wrong;
		if (c.error * nearest->bound >= nearest->error * c.bound)
			*nearest = c;
	}
	return wrong;
}

static int give_verdict(struct app_context *ctx)
{
	const struct gnn *gnn = ctx->state;
	const struct gnn_reference *reference = &gnn->expected;
	struct gnn_comparison nearest;
	uint64_t wrong = compare_results(gnn, reference, &nearest);

	if (gnn->model.type != GNN_F32)
		return app_verdict(ctx, wrong, "every feature is the host's, bit for bit");
	return app_verdict(ctx, wrong,
			   "every feature is within the bound for %" PRIu64 " roundings, the nearest off by %.3g of %.3g",
			   reference->additions, nearest.error, nearest.bound);
}

static const void *first_result(const struct gnn *gnn)
{
	return gnn->results[gnn->results[GNN_RSAR] ? GNN_RSAR : GNN_ARAG];
}

static int check(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;

	report_model(ctx);
	/* the input of a run that is not the first is that of the first */
	if (!gnn->expected.values &&
	    gnn_refer(&gnn->model, &gnn->matrix, &gnn->data, gnn->shape.p,
		      ctx->threads, &gnn->expected))
		return app_no_memory("the host's features");
	if (gnn->hints)
		app_report_number(&ctx->report, "communities recovered",
				  gnn_recovered(gnn, first_result(gnn)));
	return give_verdict(ctx);
}

/* As NumPy reads it: a header of 64 or 128 bytes, then rows. */
static int write_npy(struct app_context *ctx, FILE *file)
{
	static const char *const types[GNN_NR_TYPES] = { "|i1", "<i2", "<i4", "<f4" };
	const struct gnn *gnn = ctx->state;
	uint64_t count = (uint64_t)gnn->model.nr_vertices * gnn->model.hidden;
	char text[128] = { 0 };
	int length;

	length = snprintf(text, sizeof(text),
			  "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u), }",
			  types[gnn->model.type], gnn->model.nr_vertices,
			  gnn->model.hidden);
	memset(text + length, ' ', sizeof(text) - (size_t)length);
	text[117] = '\n';
	fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
	fwrite(text, 1, 118, file);
	/* the file's errors are told where it is kept */
	fwrite(first_result(gnn), gnn_width(gnn->model.type), count, file);
	return TOOL_OK;
}

static void free_all(struct app_context *ctx)
{
	struct gnn *gnn = ctx->state;

	for (unsigned int s = 0; s < GNN_NR_STRATEGIES; s++)
		free(gnn->results[s]);
	gnn_reference_free(&gnn->expected);
	gnn_free_data(&gnn->data);
	gnn_places_free(&gnn->places);
	csr_free(&gnn->matrix.rows);
	free(gnn->labels);
}

static const struct tool_option options[] = {
	{ STRATEGY, "strategy", { "NAME", .word = strategy_word }, .heading = "Of gnn:",
	  .help = "rsar or arag; else both, one after the other" },
	{ TYPE, "type", { "TYPE", .word = type_word }, .help = "of elements (I32)" },
	{ LAYERS, "layers", { .name = "N" }, .help = "how many (3)" },
	{ FEATURES, "features", { "N|FILE", .kind = TOOL_FILE },
	  .help = "of a vertex, of the seed (64), or a .npy matrix, a row a vertex" },
	{ HIDDEN, "hidden", { .name = "N" },
	  .help = "features that each layer gives; else as many as the first has" },
	{ ACTIVATION, "activation", { "NAME", .word = activation_word },
	  .help = "behind each layer: none or relu (none)" },
	{ WEIGHTS, "weights", { "FILE,...", .kind = TOOL_FILE },
	  .help = "a .npy matrix for each layer, a row an input; else of the seed" },
	{ 0 },
};

const struct app app_gnn = {
	.name = "gnn",
	.summary = "a graph neural network, in two strategies",
	.axes = "p,p",
	.about =
	"Takes the features of a graph's vertices through layers: sums over neighbours,\n"
	"then weights. The adjacency lies on a square of PEs, in tiles. rsar adds partial\n"
	"sums by ReduceScatter and products by AllReduce, arag by AllReduce and puts\n"
	"columns together by AllGather; the axis changes with each layer. Integers are\n"
	"modulo 2^w and compared bit by bit with the host's, F32 within a bound.\n"
	"\n"
	"GRAPH is a file, sbm:vertices=N,communities=N,inside=N,outside=N with communities\n"
	"that the layers find again, or reddit:, as large as that data set. --output writes\n"
	"the last features as a .npy matrix.\n",
	.options = options,
	.operand = { "GRAPH", .kind = TOOL_FILE },
	.input = "sbm:",
	.programs = { &gnn_spmm, &gnn_gemm },
	.state_bytes = sizeof(struct gnn),
	.option = gnn_option,
	.load = load,
	.fit = fit,
	.plan = gnn_plan,
	.run = gnn_run,
	.check = check,
	.write = write_npy,
	.free = free_all,
};
