// SPDX-License-Identifier: MIT
/* `pimdimm machines`: a command among emulated machines. */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/machines/machines.h"
#include "tools/machines/network.h"
#include "tools/tool.h"

#define MOST_SLOTS	1024u
#define MOST_RATE	1e12

static bool read_count(const char *text, uint32_t most, uint32_t *count)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*count = (uint32_t)n;
	return *text >= '0' && *text <= '9' && !*end && n && n <= most;
}

/* Bits a second, with a unit, as tc(8) has them. */
static bool read_rate(const char *text, uint64_t *rate)
{
	static const struct {
		const char *name;
		double bits;
	} units[] = { { "kbit", 1e3 }, { "mbit", 1e6 }, { "gbit", 1e9 } };
	char *end;
	double n = strtod(text, &end);

	for (size_t i = 0; *text >= '0' && *text <= '9' && i < TOOL_COUNT(units); i++) {
		if (strcmp(end, units[i].name) || n * units[i].bits < 1e4 ||
		    n * units[i].bits > MOST_RATE)
			continue;
		*rate = (uint64_t)(n * units[i].bits);
		return true;
	}
	return false;
}

static int read_option(const struct command *self, int c, struct machines *m, const char **on)
{
	if (c == 'o')
		*on = optarg;
	if (c == 'n' && !read_count(optarg, NETWORK_MACHINES, &m->count))
		return tool_usage(self, "-n %s: expected 1 to %u", optarg, NETWORK_MACHINES);
	if (c == 's' && !read_count(optarg, MOST_SLOTS, &m->slots))
		return tool_usage(self, "--slots %s: expected 1 to %u", optarg, MOST_SLOTS);
	if (c == 'r' && !read_rate(optarg, &m->rate))
		return tool_usage(self, "--rate %s: expected 10kbit to 1000gbit", optarg);
	return TOOL_OK;
}

static int run_machines(const struct command *self, int argc, char **argv)
{
	struct machines m = { .count = 2, .slots = 1 };
	const char *on = NULL;
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		if (read_option(self, c, &m, &on))
			return TOOL_USAGE;
	}
	if (optind == argc)
		return tool_usage(self, "expected a COMMAND");
	m.command = argv + optind;
	return on ? machines_on(on, m.command) : machines_run(&m);
}

static const struct tool_option options[] = {
	{ 'n', "machines", { .name = "N" }, .help = "how many machines, m0 and so on (2)",
	  .letter = true },
	{ 'r', "rate", { .name = "RATE" },
	  .help = "what each sends in a second: a number and kbit, mbit or gbit (as fast as it goes)" },
	{ 's', "slots", { .name = "N" },
	  .help = "processes that a launcher puts on a machine before it goes on to the next (1)" },
	{ 'o', "on", { .name = "MACHINE" },
	  .help = "in a COMMAND: run this one on that machine, by a shell there" },
	{ 0 },
};

const struct command cmd_machines = {
	.name = "machines",
	.summary = "run a command among emulated machines",
	.run = run_machines,
	.synopsis = "[OPTION]... COMMAND [ARGUMENT]...\n"
		    "--on MACHINE COMMAND [ARGUMENT]...",
	.about =
	"Makes machines out of namespaces of this kernel, each with a network link of its own,\n"
	"and runs COMMAND in the network that joins them. mpirun of Open MPI or MPICH, as the\n"
	"COMMAND or a part of it, starts its processes on the machines, without options.\n"
	"When COMMAND ends, or is killed, nothing is left.\n",
	.notes =
	"Exit status: that of COMMAND, 128 and the number of the signal that ended it; 2 wrong\n"
	"usage, 125 machines cannot be made, which a message explains, 126 COMMAND cannot be\n"
	"run, 127 there is none.\n",
	.options = options,
	.operand = { "COMMAND", .kind = TOOL_PROGRAM },
};
