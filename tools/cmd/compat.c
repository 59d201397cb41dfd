// SPDX-License-Identifier: MIT
/* `pimdimm compat`: where the tool chain for UPMEM programs is. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd/commands.h"
#include "tools/tool.h"

/* Seen from the tool's folder: where `make` has it, and where it is installed. */
static const char *const trees[] = { "upmem", "../lib/pimdimm/upmem" };

/* The tool chain's folder in path; false and an error when there is none. */
static bool find_tree(char *path)
{
	char candidate[PATH_MAX];

	for (size_t i = 0; i < TOOL_COUNT(trees); i++) {
		if (snprintf(candidate, sizeof(candidate),
			     "%s/%s/bin/dpu-upmem-dpurte-clang", tool_folder(),
			     trees[i]) >= (int)sizeof(candidate) ||
		    access(candidate, X_OK))
			continue;
		candidate[strlen(candidate) -
			  strlen("/bin/dpu-upmem-dpurte-clang")] = 0;
		if (realpath(candidate, path))
			return true;
	}
	tool_error("no tool chain in %s/%s or %s/%s: `make upmem` builds it",
		   tool_folder(), trees[0], tool_folder(), trees[1]);
	return false;
}

/* Prints it for a shell, whatever its characters are. */
static void compat_print_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	}
	putchar('\'');
}

static void print_env(const char *tree)
{
	fputs("export UPMEM_HOME=", stdout);
	compat_print_quoted(tree);
	puts("\n"
	     "export PATH=\"$UPMEM_HOME/bin:$PATH\"\n"
	     "export LD_LIBRARY_PATH=\"$UPMEM_HOME/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n"
	     "export CPATH=\"$UPMEM_HOME/include/dpu${CPATH:+:$CPATH}\"\n"
	     "export LIBRARY_PATH=\"$UPMEM_HOME/lib${LIBRARY_PATH:+:$LIBRARY_PATH}\"\n"
	     "export PYTHONPATH=\"$UPMEM_HOME/lib/python3${PYTHONPATH:+:$PYTHONPATH}\"");
}

static int run_compat(const struct command *self, int argc, char **argv)
{
	char tree[PATH_MAX];
	bool env = false;

	while (tool_getopt(self, argc, argv) != -1)
		env = true;
	if (tool_no_operands(self, argc, argv))
		return TOOL_USAGE;
	if (!find_tree(tree))
		return TOOL_FAILED;
	if (env)
		print_env(tree);
	else
		puts(tree);
	return TOOL_OK;
}

static const struct tool_option options[] = {
	{ 'e', "env",
	  .help = "what puts it first, for a shell: eval \"$(pimdimm compat --env)\"" },
	{ 0 },
};

const struct command cmd_compat = {
	.name = "compat",
	.summary = "tell where the tool chain for UPMEM programs is",
	.run = run_compat,
	.synopsis = "[OPTION]...",
	.about =
	"Programs written for UPMEM hardware build and run here, unchanged, with a tool\n"
	"chain of the vendor's names: dpu-upmem-dpurte-clang, dpu-pkg-config, libdpu.\n"
	"Tells the folder that it lies in, which is what such programs call UPMEM_HOME.\n",
	.notes =
	"Exit status: 0; 1 there is no tool chain beside this tool; 2 wrong usage.\n",
	.options = options,
};
