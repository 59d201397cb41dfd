// SPDX-License-Identifier: MIT
/* `pimdimm help COMMAND`: what the command's --help says. */
#include "tools/cmd/commands.h"
#include "tools/tool.h"

static int run_help(const struct command *self, int argc, char **argv)
{
	const struct command *command;

	while (tool_getopt(self, argc, argv) != -1)
		;
	if (argc - optind > 1)
		return tool_usage(self, "expected one COMMAND, got %d",
				  argc - optind);
	if (optind == argc) {
		tool_print_commands();
		return TOOL_OK;
	}
	command = tool_find_command(argv[optind]);
	if (!command)
		return TOOL_USAGE;
	tool_print_help(command);
	return TOOL_OK;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "tell what a command does, and its options",
	.run = run_help,
	.synopsis = "[COMMAND]",
	.about =
	"Prints what `pimdimm COMMAND --help` prints, without a COMMAND what\n"
	"`pimdimm --help` does.\n",
	.notes = "Exit status: 0, 2 wrong usage.\n",
	.operand = { "COMMAND", .word = tool_command_name },
};
