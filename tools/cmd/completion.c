// SPDX-License-Identifier: MIT
/* `pimdimm completion SHELL`: the script by which a shell completes arguments. */
#include <string.h>

#include "tools/apps/apps.h"
#include "tools/apps/common/app_options.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/completion.h"
#include "tools/tool.h"

#define SHELL_ADDRESS(name) &completion_##name,

static const struct completion_shell *const shells[] = {
	COMPLETION_SHELLS(SHELL_ADDRESS)
};

const struct command *completion_app(size_t at)
{
	return app_at(at) ? app_command(app_at(at)) : NULL;
}

static const char *shell_word(size_t at)
{
	return at < TOOL_COUNT(shells) ? shells[at]->name : NULL;
}

static int run_completion(const struct command *self, int argc, char **argv)
{
	while (tool_getopt(self, argc, argv) != -1)
		;
	if (argc - optind != 1)
		return tool_usage(self, "expected one SHELL, got %d",
				  argc - optind);
	for (size_t i = 0; i < TOOL_COUNT(shells); i++) {
		if (strcmp(argv[optind], shells[i]->name))
			continue;
		shells[i]->print();
		return TOOL_OK;
	}
	return tool_unknown(self, "shell", argv[optind], shell_word);
}

const struct command cmd_completion = {
	.name = "completion",
	.summary = "print a script that completes arguments in a shell",
	.run = run_completion,
	.synopsis = "SHELL",
	.about =
	"Prints the script by which bash, zsh or fish completes commands, options and\n"
	"what they take. `make install` puts all three where the shells look for them;\n"
	"for a bash that has not found it: . <(pimdimm completion bash)\n",
	.notes = "Exit status: 0, 2 wrong usage.\n",
	.operand = { "SHELL", .word = shell_word },
};
