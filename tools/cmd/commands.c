// SPDX-License-Identifier: MIT
/* The commands by number and by name, and the list that `pimdimm --help` prints. */
#include <stdio.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/tool.h"

#define COMMAND_ADDRESS(name) &cmd_##name,

static const struct command *const commands[] = { COMMANDS(COMMAND_ADDRESS) };

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
