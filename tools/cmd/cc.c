// SPDX-License-Identifier: MIT
/* `pimdimm cc FILE`: connected components of a graph. */
#include <json-c/json.h>

#include "tools/apps/cc.h"
#include "tools/cmd/commands.h"
#include "tools/tool.h"

static int find_components(struct cc *cc)
{
	struct pimdimm *sys;
	int ret = cc_load(cc);

	if (!ret)
		ret = cc_open(cc, &sys);
	if (ret)
		return ret;
	ret = cc_run(cc, sys);
	pimdimm_close(sys);
	return ret;
}

static int cc_report(const struct cc *cc, bool json)
{
	if (!json)
		return cc_print(cc);
	tool_print_json(cc_json(cc));
	return cc->wrong ? TOOL_FAILED : TOOL_OK;
}

static int run_cc(const struct command *self, int argc, char **argv)
{
	struct cc cc = { 0 };
	bool json = false;
	int c, status;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		json |= c == 'j';
		if (c == 'l')
			cc.labels = optarg;
		if (c == 'u')
			cc.uri = optarg;
	}
	if (argc - optind != 1)
		return tool_usage(self, "expected one FILE, got %d",
				  argc - optind);
	cc.path = argv[optind];
	status = find_components(&cc) ? TOOL_FAILED : cc_report(&cc, json);
	cc_free(&cc);
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
	"slice of the edges and all labels, a PE kernel hooks roots along its edges,\n"
	"AllReduce(MIN) joins the rounds. The result is compared with a union-find on\n"
	"the host.\n"
	"\n"
	"FILE is a Matrix Market file (coordinate, square), a SNAP edge list (two vertex\n"
	"numbers a line, # comments, numbers from 0 to 4294967294), or a folder with\n"
	"WordNet's data.noun, data.verb, data.adj and data.adv. The first two may be\n"
	"compressed by gzip; - is standard input.\n",
	.notes = "Exit status: 0 found and verified, 1 failed, 2 wrong usage.\n",
	.options = options,
	.operand = { "FILE", .kind = TOOL_FILE },
};
