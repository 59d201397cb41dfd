// SPDX-License-Identifier: MIT
/* `pimdimm cc FILE`: connected components of a graph. */
#include <json-c/json.h>

#include "tools/apps/cc/cc.h"
#include "tools/apps/cc/print.h"
#include "tools/apps/common/app.h"
#include "tools/cmd/commands.h"
#include "tools/tool.h"

static int cc_report(const struct app_context *ctx, bool json)
{
	if (!json)
		return cc_print(ctx);
	tool_print_json(cc_json(ctx));
	return ctx->wrong ? TOOL_FAILED : TOOL_OK;
}

/* The application, and the labels where they are wanted and right. */
static int find_components(struct app_context *ctx)
{
	struct app_output output = { 0 };
	int ret = app_load(ctx);

	if (!ret)
		ret = app_open(ctx);
	if (!ret && ctx->output)
		ret = app_output_open(&output, ctx->output);
	if (!ret)
		ret = app_execute(ctx);
	if (!ret && ctx->output && !ctx->wrong) {
		ret = ctx->app->write(ctx, output.file);
		if (!ret)
			ret = app_output_keep(&output);
	}
	app_output_drop(&output);
	return ret;
}

static int run_cc(const struct command *self, int argc, char **argv)
{
	static struct app_context ctx;
	bool json = false;
	int c, status = app_begin(&ctx, &app_cc);

	ctx.command.name = self->name;
	while (!status && (c = tool_getopt(self, argc, argv)) != -1) {
		json |= c == 'j';
		if (c == 'l')
			ctx.output = optarg;
		if (c == 'u')
			ctx.uri = optarg;
	}
	if (!status && argc - optind != 1)
		status = tool_usage(self, "expected one FILE, got %d",
				    argc - optind);
	if (!status) {
		ctx.input = argv[optind];
		app_output_interrupts();
		status = find_components(&ctx);
	}
	if (!status)
		status = cc_report(&ctx, json);
	app_end(&ctx);
	return status;
}

static const struct tool_option options[] = {
	{ 'l', "labels", { "FILE", .kind = TOOL_FILE },
	  .help = "write a line a vertex: its number in the graph's file, and the smallest number in its component" },
	{ 'u', "uri", TOOL_URI,
	  .help = "the system; else PIMDIMM_URI, else a \"mem:\" sized for the graph" },
	{ 'j', "json", .help = "an object, times in nanoseconds" },
	{ 0 },
};

const struct command cmd_cc = {
	.name = "cc",
	.summary = "find the connected components of a graph",
	.run = run_cc,
	.synopsis = "[OPTION]... FILE",
	.about =
	"Finds the connected components of an undirected graph on PEs: each holds a\n"
	"slice of the edges and all labels, a PE program hooks roots along its edges,\n"
	"AllReduce(MIN) joins the rounds. The result is compared with a union-find on\n"
	"the host.\n"
	"\n"
	"FILE is a Matrix Market file (coordinate, square), a SNAP edge list (two vertex\n"
	"numbers a line, # comments, numbers from 0 to 4294967294), a METIS graph (named\n"
	"*.graph or *.metis), or a folder with WordNet's data.noun, data.verb, data.adj and\n"
	"data.adv. All but the folder may be compressed by gzip or zstd; - is standard\n"
	"input. Text such as kron:scale=16,edges=16,seed=1 makes a graph instead.\n",
	.notes = "Exit status: 0 found and verified, 1 failed, 2 wrong usage.\n",
	.options = options,
	.operand = { "FILE", .kind = TOOL_FILE },
};
