// SPDX-License-Identifier: MIT
/* `pimdimm app`: lists the applications, and runs one. */
#include <stdio.h>
#include <string.h>

#include "tools/apps/apps.h"
#include "tools/apps/common/app.h"
#include "tools/cmd/commands.h"
#include "tools/tool.h"

static int list_apps(void)
{
	for (size_t i = 0; app_at(i); i++)
		printf("  %-6s %-7s %s\n", app_at(i)->name, app_at(i)->axes,
		       app_at(i)->summary);
	return TOOL_OK;
}

static int run_app(const struct command *self, int argc, char **argv)
{
	/* what follows an application's name is the application's */
	for (size_t i = 0; argc > 1 && app_at(i); i++) {
		if (!strcmp(argv[1], app_at(i)->name))
			return app_main(app_at(i), argc - 1, argv + 1);
	}
	while (tool_getopt(self, argc, argv) != -1)
		;
	if (argc > 1)
		return tool_unknown(self, "application", argv[1], app_word);
	return list_apps();
}

const struct command cmd_app = {
	.name = "app",
	.summary = "run an application of the paper, checked and measured",
	.run = run_app,
	.synopsis = "\n"
		    "NAME [OPTION]... [INPUT]",
	.about =
	"Runs one of the paper's applications on PEs: compares its result with a reference\n"
	"on the host and tells what it took, loading and run apart. Without a NAME lists\n"
	"them, each with the axes of its hypercube. `pimdimm app NAME --help` tells an\n"
	"application's options.\n",
	.notes =
	"Exit status: 0 done and verified, 1 failed or wrong, 2 wrong usage.\n",
	.operand = { "NAME", .word = app_word },
};
