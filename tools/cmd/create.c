// SPDX-License-Identifier: MIT
/* `pimdimm create` and `pimdimm remove`: systems at run time. */
#include <stdio.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/module/module.h"
#include "tools/module/systems.h"
#include "tools/nearest.h"
#include "tools/tool.h"

#define MAX_PARAMETERS	16

static int parse_parameters(const struct command *self, int argc, char **argv,
			    struct parameter parameters[MAX_PARAMETERS])
{
	int status = TOOL_OK;

	if (argc > MAX_PARAMETERS)
		return tool_usage(self, "expected at most %d parameters, got %d",
				  MAX_PARAMETERS, argc);
	for (int i = 0; i < argc && !status; i++) {
		status = parameter_parse(self, argv[i], &parameters[i]);
		if (!status && !systems_expected(parameters[i].name))
			status = tool_usage_near(self,
						 nearest_word(parameters[i].name,
							      systems_parameter),
						 "a system has no parameter \"%s\"",
						 parameters[i].name);
	}
	return status;
}

static int create_system(const char *module, const char *name,
			 const struct parameter *parameters, size_t count)
{
	struct kmod_ctx *ctx = module_begin();
	int status;

	if (!ctx)
		return TOOL_FAILED;
	status = systems_begin(ctx, module);
	if (!status)
		status = systems_create(name, parameters, count);
	if (!status)
		systems_print(name);
	kmod_unref(ctx);
	return status;
}

static int run_create(const struct command *self, int argc, char **argv)
{
	struct parameter parameters[MAX_PARAMETERS];
	const char *module = NULL, *name;
	int count;

	while (tool_getopt(self, argc, argv) != -1)
		module = optarg;
	if (optind == argc)
		return tool_usage(self, "expected the system's NAME");
	name = argv[optind++];
	count = argc - optind;
	if (systems_check_name(self, name) ||
	    parse_parameters(self, count, argv + optind, parameters))
		return TOOL_USAGE;
	return create_system(module, name, parameters, (size_t)count);
}

static const struct tool_option create_options[] = {
	{ 'm', "module", { "PATH", .kind = TOOL_FILE },
	  .help = "this file for pimdimm_configfs.ko, where that is not loaded yet, instead of the running kernel's installed one or the one that `make modules` built beside this program" },
	{ 0 },
};

const struct command cmd_create = {
	.name = "create",
	.summary = "make a system of ranks beside that of the module's parameters",
	.run = run_create,
	.synopsis = "[OPTION]... NAME [PARAMETER=VALUE]...",
	.about =
	"Makes a system of ranks while the module is loaded, beside those that are there,\n"
	"and tells its nodes; dev:system=NAME opens them. For root. Parameters:\n"
	"\n"
	SYSTEMS_GEOMETRY_HELP,
	.notes = "Exit status: 0 made, 1 failed, 2 wrong usage.\n",
	.options = create_options,
	.operand = { "PARAMETER=VALUE", .word = systems_parameter_word },
};

static int run_remove(const struct command *self, int argc, char **argv)
{
	int status = TOOL_OK;

	while (tool_getopt(self, argc, argv) != -1)
		;
	if (optind == argc)
		return tool_usage(self, "expected the NAME of a system");
	for (int i = optind; i < argc; i++)
		if (systems_check_name(self, argv[i]))
			return TOOL_USAGE;
	for (int i = optind; i < argc; i++)
		if (systems_remove(argv[i]))
			status = TOOL_FAILED;
	return status;
}

const struct command cmd_remove = {
	.name = "remove",
	.summary = "take away systems that create has made",
	.run = run_remove,
	.synopsis = "[OPTION]... NAME...",
	.about =
	"Takes away systems that `pimdimm create` has made. A system of which a node is\n"
	"open stays as it is, and the processes that hold nodes of it are named. For root.\n",
	.notes = "Exit status: 0 all removed, 1 failed, 2 wrong usage.\n",
	.operand = { .name = "NAME" },
};
