// SPDX-License-Identifier: MIT
/* The command `pimdimm`: finds the command named and runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pimdimm.h>

#include "tools/cmd/commands.h"
#include "tools/tool.h"

static int run_tool(int argc, char **argv)
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
	int status = run_tool(argc, argv);

	/* a report that was cut off must not pass for a whole one */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "pimdimm: cannot write the output: %s\n",
			strerror(errno));
		return status ? status : TOOL_FAILED;
	}
	return status;
}
