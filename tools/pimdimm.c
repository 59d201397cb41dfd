// SPDX-License-Identifier: MIT
/* The command `pimdimm`: finds the command named and runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pimdimm.h>

#include "tools/nearest.h"
#include "tools/tool.h"

static const struct command *const commands[] = {
	&cmd_demo, &cmd_cc,   &cmd_list,     &cmd_info,
	&cmd_load, &cmd_unload, &cmd_create, &cmd_remove, &cmd_share,
	&cmd_perf, &cmd_selftest, &cmd_compat, &cmd_top, &cmd_trace,
	&cmd_help, &cmd_completion,
};

const struct command *tool_command(size_t at)
{
	return at < TOOL_COUNT(commands) ? commands[at] : NULL;
}

const char *tool_command_name(size_t at)
{
	return at < TOOL_COUNT(commands) ? commands[at]->name : NULL;
}

void tool_print_commands(void)
{
	puts("Usage: pimdimm COMMAND [OPTION]...\n"
	     "\n"
	     "Emulated processing-in-DIMM ranks: the kernel module, the system and\n"
	     "its collectives.\n"
	     "\n"
	     "Commands:");
	for (size_t i = 0; i < TOOL_COUNT(commands); i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n"
	     "`pimdimm help COMMAND` tells a command's options, `pimdimm --version`\n"
	     "the version. Exit status: 0 done, 1 failed, 2 wrong usage.");
}

const struct command *tool_find_command(const char *name)
{
	const char *near;

	for (size_t i = 0; i < TOOL_COUNT(commands); i++) {
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	}
	near = nearest_word(name, tool_command_name);
	if (near)
		tool_error("unknown command \"%s\": did you mean \"%s\"?", name,
			   near);
	else
		tool_error("unknown command \"%s\"; `pimdimm --help` lists them",
			   name);
	return NULL;
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		fputs("pimdimm: no command given; `pimdimm --help` lists them\n",
		      stderr);
		return TOOL_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		tool_print_commands();
		return TOOL_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("pimdimm " PIMDIMM_VERSION);
		return TOOL_OK;
	}
	command = tool_find_command(argv[1]);
	if (!command)
		return TOOL_USAGE;
	return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	/* a report that was cut off must not pass for a whole one */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "pimdimm: cannot write the output: %s\n",
			strerror(errno));
		return status ? status : TOOL_FAILED;
	}
	return status;
}
