// SPDX-License-Identifier: MIT
/* `pimdimm demo`: what `make quickstart` shows. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <pimdimm/pimdimm.h>

#include "tools/apps/cc/cc.h"
#include "tools/apps/cc/print.h"
#include "tools/apps/common/app.h"
#include "tools/apps/common/pes.h"
#include "tools/cmd/commands.h"
#include "tools/hosts/launched.h"
#include "tools/hosts/team.h"
#include "tools/perf/runners/trial.h"
#include "tools/tool.h"

static double gigabytes_per_second(const struct trial_result *result)
{
	return (double)result->bytes / (double)(result->ns ? result->ns : 1);
}

static void print_result(const struct trial *trial,
			 const struct trial_result *result)
{
	if (result == trial->results) {
		printf("%u PEs as a hypercube of %u x %u x %u, %u groups of %u along x and z, uint32, SUM\n",
		       trial->nr_pes, trial->c.dims[0], trial->c.dims[1],
		       trial->c.dims[2], trial->groups, trial->members);
		printf("  %-15s %12s %12s %8s\n", "COLLECTIVE", "BYTES", "TIME",
		       "GB/s");
	}
	printf("  %-15s %12s %12s %8.2f  ", result->collective,
	       tool_count(result->bytes), tool_seconds(result->ns),
	       gigabytes_per_second(result));
	if (result->wrong)
		printf("WRONG: %s words\n", tool_count(result->wrong));
	else
		puts("verified");
	fflush(stdout);
}

static void print_nothing(const struct trial *trial,
			  const struct trial_result *result)
{
	(void)trial;
	(void)result;
}

static void print_onwards(void)
{
	const char *tool = tool_folder();

	printf("\nWhere to go from here (as root, or with sudo where it says install or load):\n"
	       "  your own graph     %s/pimdimm cc FILE (Matrix Market or SNAP edge list)\n"
	       "  link the library   make install && ldconfig, then\n"
	       "                     cc program.c $(pkg-config --cflags --libs pimdimm)\n"
	       "  load the module    tools/install-packages install && make modules &&\n"
	       "                     %s/pimdimm load ranks=4 &&\n"
	       "                     PIMDIMM_URI=dev: %s/pimdimm demo\n"
	       "  run the tests      make check\n"
	       "  read more          README.md, %s/pimdimm --help, after make install and\n"
	       "                     tools/install-packages install: man pimdimm\n",
	       tool, tool, tool, tool);
}

static uint64_t count_wrong(const struct trial *trial)
{
	uint64_t wrong = 0;

	for (unsigned int i = 0; i < PC_NR_COLLECTIVES; i++)
		wrong += trial->results[i].wrong;
	return wrong;
}

/* the hosts that a launcher has started, or NULL */
static struct tool_team *launched;

static int run_trial(struct pimdimm *sys, struct trial *trial, bool json)
{
	if (trial_run(sys, launched, trial, json ? print_nothing : print_result))
		return TOOL_FAILED;
	if (count_wrong(trial))
		return tool_error("%s words differ from the definitions",
				  tool_count(count_wrong(trial)));
	return TOOL_OK;
}

/* The collectives run on the system named, else on the library's default one. */
static int run_trial_somewhere(const struct app_context *cc,
			       struct trial *trial, bool json)
{
	struct pimdimm *sys;
	const char *uri = app_uri_given(cc);
	int status;

	if (uri && cc->sys)
		return run_trial(cc->sys, trial, json);
	if (!uri && launched)
		uri = launched->count > 2 ? "mem:ranks=1" : "mem:ranks=2";
	if (pimdimm_open(uri ? uri : "mem:", &sys))
		return tool_error("cannot open the system: %s",
				  pimdimm_errmsg());
	status = run_trial(sys, trial, json);
	pimdimm_close(sys);
	return status;
}

static struct json_object *trial_json(const struct trial *trial)
{
	struct json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < PC_NR_COLLECTIVES; i++) {
		const struct trial_result *result = &trial->results[i];
		struct json_object *object = json_object_new_object();

		tool_json_add(object, "collective",
			      tool_json_string(result->collective));
		tool_json_add(object, "bytes",
			      json_object_new_uint64(result->bytes));
		tool_json_add(object, "ns", json_object_new_uint64(result->ns));
		tool_json_add(object, "gb_per_s",
			      json_object_new_double(
				      gigabytes_per_second(result)));
		tool_json_add(object, "verified",
			      json_object_new_boolean(!result->wrong));
		json_object_array_add(array, object);
	}
	return array;
}

/* Without components where cc is NULL. */
static void demo_print_json(const struct trial *trial,
			    const struct app_context *cc)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "pes", json_object_new_uint64(trial->nr_pes));
	tool_json_add(object, "collectives", trial_json(trial));
	if (cc)
		tool_json_add(object, "components", cc_json(cc));
	tool_print_json(object);
}

static int run_both(struct app_context *cc, bool json)
{
	struct trial trial;
	int status = run_trial_somewhere(cc, &trial, json);

	if (status)
		return status;
	if (!json)
		puts("\nConnected components:");
	if (app_execute(cc))
		return TOOL_FAILED;
	if (json) {
		demo_print_json(&trial, cc);
		return cc->wrong ? TOOL_FAILED : TOOL_OK;
	}
	status = cc_print(cc);
	if (!status)
		print_onwards();
	return status;
}

/* Where the CPU runs no programs for PEs. */
static int demonstrate_collectives(struct app_context *cc, bool json)
{
	struct trial trial;
	int status = run_trial_somewhere(cc, &trial, json);

	if (status)
		return status;
	if (json) {
		demo_print_json(&trial, NULL);
		return TOOL_OK;
	}
	puts("\nNo connected components: the command's own programs for PEs are built on\n"
	     "x86-64 alone.");
	print_onwards();
	return TOOL_OK;
}

/* A graph that is bad, or does not fit, is told before anything runs. */
static int demonstrate(struct app_context *cc, bool json)
{
	int status;

	if (!app_runs_here(cc->app))
		return demonstrate_collectives(cc, json);
	status = app_load(cc);

	if (!status)
		status = app_open(cc);
	return status ? TOOL_FAILED : run_both(cc, json);
}

/* Processes that a launcher has started are one demonstration, not as many. */
static int demonstrate_together(struct app_context *cc, bool json)
{
	struct tool_team team;
	int status;

	if (launched_hosts() < 2)
		return demonstrate(cc, json);
	status = tool_team_start(&team, launched_hosts());
	launched = &team;
	if (!status) {
		app_use_hosts(cc, team.hosts);
		status = demonstrate(cc, json);
	}
	/* the hypercube goes before its hosts */
	app_end(cc);
	return tool_team_end(&team, status);
}

static int run_demo(const struct command *self, int argc, char **argv)
{
	static struct app_context cc;
	bool json = false;
	int c, status = app_begin(&cc, &app_cc);

	cc.command.name = self->name;
	cc.input = CC_WORDNET;
	while (!status && (c = tool_getopt(self, argc, argv)) != -1) {
		json |= c == 'j';
		if (c == 'g')
			cc.input = optarg;
		if (c == 'u')
			cc.uri = optarg;
	}
	if (!status)
		status = tool_no_operands(self, argc, argv);
	if (!status && access(cc.input, F_OK) && !strcmp(cc.input, CC_WORDNET))
		status = tool_error("%s: %s: install Debian's wordnet-base, or give a graph with --graph",
				    cc.input, strerror(errno));
	if (!status)
		status = demonstrate_together(&cc, json);
	app_end(&cc);
	return status;
}

static const struct tool_option options[] = {
	{ 'g', "graph", { "FILE", .kind = TOOL_FILE },
	  .help = "another graph: see `pimdimm cc --help`" },
	{ 'u', "uri", TOOL_URI,
	  .help = "the system; else PIMDIMM_URI, else \"mem:\" in this process" },
	{ 'j', "json", .help = "an object, times in nanoseconds" },
	{ 0 },
};

const struct command cmd_demo = {
	.name = "demo",
	.summary = "run and verify the collectives, then a real program",
	.run = run_demo,
	.synopsis = "[OPTION]...",
	.about =
	"Runs the eight collectives on 256 PEs (fewer where the system has fewer), each\n"
	"timed and verified against its definition, then the connected components of\n"
	"WordNet's synset graph, as `pimdimm cc` does. Processes that mpirun has started\n"
	"have a share of the PEs each, of one hypercube.\n",
	.notes = "Exit status: 0 all verified, 1 failed, 2 wrong usage.\n",
	.options = options,
};
