/* SPDX-License-Identifier: MIT */
/* The commands that there are: each a descriptor cmd_NAME in a source of its own. */
#ifndef PIMDIMM_COMMANDS_H
#define PIMDIMM_COMMANDS_H

#include "tools/options.h"

/* The commands, in the order of `pimdimm --help`. */
#define COMMANDS(X) \
	X(demo) X(cc) X(app) X(list) X(info) X(load) X(unload) \
	X(create) X(remove) X(share) X(perf) X(selftest) X(compat) X(mpirun) X(machines) \
	X(top) X(trace) X(profile) X(debug) X(help) X(completion)

#define COMMAND_DECLARE(name) extern const struct command cmd_##name;
COMMANDS(COMMAND_DECLARE)

/* The commands in that order, NULL after the last. */
const struct command *tool_command(size_t at);
const char *tool_command_name(size_t at);
/* NULL after a message where there is no such command. */
const struct command *tool_find_command(const char *name);

/* what `pimdimm --help` prints */
void tool_print_commands(void);

#endif /* PIMDIMM_COMMANDS_H */
