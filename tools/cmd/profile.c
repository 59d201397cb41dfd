// SPDX-License-Identifier: MIT
/* `pimdimm profile`: where a program's PEs spend their instructions. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/cmd/commands.h"
#include "tools/trace/profile_read.h"
#include "tools/tool.h"

/* The exit status that shells give for a command that cannot be run. */
#define CANNOT_RUN	127
#define MAX_LINES	1000000

struct profiling {
	const char *out, *folded;
	unsigned long lines;	/* that are shown */
	bool json, waits;
	char counts[64];	/* the file that PIMDIMM_PROFILE_FILE names, in memory */
	struct profile profile;
};

static void profile_child(const struct profiling *g, char **argv, const sigset_t *mask)
{
	int err;

	sigprocmask(SIG_SETMASK, mask, NULL);
	if (!setenv("PIMDIMM_PROFILE_FILE", g->counts, 1))
		execvp(argv[0], argv);
	err = errno;
	tool_error("%s: %s", argv[0], strerror(err));
	_exit(CANNOT_RUN);
}

static volatile sig_atomic_t running;	/* the command's process */

/* Whoever ends this process means the command. */
static void pass_on(int number)
{
	if (running > 0)
		kill(running, number);
}

/* The command's own status, as a shell would say it. */
static int run_command(const struct profiling *g, char **argv)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction pass = { .sa_handler = pass_on };
	sigset_t passed, mask;
	int status = 0;
	pid_t child;

	/* what comes before there is a handler waits for it: the command may run already */
	sigemptyset(&passed);
	sigaddset(&passed, SIGTERM);
	sigaddset(&passed, SIGHUP);
	sigprocmask(SIG_BLOCK, &passed, &mask);
	fflush(NULL);
	child = fork();
	if (!child)
		profile_child(g, argv, &mask);
	if (child < 0)
		return tool_error("fork: %s", strerror(errno));
	/* a command gets the terminal's signals itself, and what it did is shown */
	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
	running = child;
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	running = 0;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	tool_error("%s was ended by signal %d (%s)", argv[0], WTERMSIG(status),
		   strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}

static double share(const struct profiling *g, int64_t instructions)
{
	uint64_t all = g->profile.instructions;

	return all ? 100.0 * (double)instructions / (double)all : 0;
}

/* What the lines do not have: the PE library's, and code that is not compiled for it. */
static int64_t rest_of(const struct profile *p)
{
	int64_t rest = (int64_t)p->instructions - p->attributed;

	return rest > 0 ? rest : 0;
}

static void print_functions(FILE *f, const struct profiling *g)
{
	struct profile_line *all;
	size_t nr;

	profile_merge(&g->profile, PROFILE_FUNCTION, PROFILE_BY_INSTRUCTIONS, &all, &nr);
	fprintf(f, "%16s  %6s  %16s  %s\n", "INSTRUCTIONS", "SHARE", "CYCLES WAITED",
		"FUNCTION");
	for (size_t i = 0; i < nr && i < g->lines; i++)
		fprintf(f, "%16" PRId64 "  %5.1f%%  %16" PRIu64 "  %s\n",
			all[i].instructions, share(g, all[i].instructions),
			all[i].waited, all[i].function);
	fprintf(f, "%16" PRId64 "  %5.1f%%  %16s  (PE library)\n\n", rest_of(&g->profile),
		share(g, rest_of(&g->profile)), "");
}

static void print_lines(FILE *f, const struct profiling *g)
{
	struct profile_line *all;
	size_t nr;

	profile_merge(&g->profile, PROFILE_LINE, PROFILE_BY_INSTRUCTIONS, &all, &nr);
	fprintf(f, "%16s  %6s  %16s  %s\n", "INSTRUCTIONS", "SHARE", "CYCLES WAITED",
		"LINE");
	for (size_t i = 0; i < nr && i < g->lines; i++)
		fprintf(f, "%16" PRId64 "  %5.1f%%  %16" PRIu64 "  %s:%u (%s)\n",
			all[i].instructions, share(g, all[i].instructions),
			all[i].waited, all[i].file, all[i].line, all[i].function);
}

/* Where tasklets waited, and for what; nothing where none did. */
static void print_waits(FILE *f, const struct profiling *g)
{
	struct profile_line *all;
	size_t nr;

	if (!g->profile.waited)
		return;
	profile_merge(&g->profile, PROFILE_LINE, PROFILE_BY_WAITS, &all, &nr);
	fprintf(f, "\n%16s  %6s", "CYCLES WAITED", "SHARE");
	for (unsigned int i = 0; i < PROFILE_NR_WAITS; i++)
		fprintf(f, "  %12s", profile_waits[i]);
	fputs("  LINE\n", f);
	for (size_t k = 0; k < nr && k < g->lines && all[k].waited; k++) {
		fprintf(f, "%16" PRIu64 "  %5.1f%%", all[k].waited,
			100.0 * (double)all[k].waited / (double)g->profile.waited);
		for (unsigned int i = 0; i < PROFILE_NR_WAITS; i++)
			fprintf(f, "  %12" PRIu64, all[k].waits[i]);
		fprintf(f, "  %s:%u (%s)\n", all[k].file, all[k].line, all[k].function);
	}
}

static double mean_cycles(const struct profile *p)
{
	return p->nr_pes ? (double)p->cycles / (double)p->nr_pes : 0;
}

static void print_pes(FILE *f, const struct profile *p)
{
	const struct profile_pe *slowest = p->pes;
	double mean = mean_cycles(p), percent = slowest->cycles ?
		100 / (double)slowest->cycles : 0;

	if (!slowest->cycles) {
		fprintf(f, "\n%zu PEs, without cycles: their tasklets had a random order\n",
			p->nr_pes);
		return;
	}
	fprintf(f, "\n%zu PEs; the slowest is PE %u: %" PRIu64 " cycles, %" PRIu64
		" instructions; that is %.2f times the mean\n", p->nr_pes, p->pes->pe,
		p->pes->cycles, p->pes->instructions,
		mean > 0 ? (double)p->pes->cycles / mean : 1);
	fprintf(f, "It issued nothing in %.1f%% of its cycles for DMA, in %.1f%% since tasklets waited for each other, in %.1f%% since too few were there\n",
		percent * (double)slowest->idle_dma, percent * (double)slowest->idle_stop,
		percent * (double)slowest->idle_few);
}

static struct json_object *profile_json_waits(const struct profile_line *l)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int i = 0; i < PROFILE_NR_WAITS; i++)
		tool_json_add(o, profile_waits[i], json_object_new_uint64(l->waits[i]));
	return o;
}

static struct json_object *profile_json_lines(const struct profiling *g, enum profile_key by)
{
	struct json_object *array = json_object_new_array();
	struct profile_line *all;
	size_t nr;

	profile_merge(&g->profile, by, PROFILE_BY_INSTRUCTIONS, &all, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *o = json_object_new_object();

		tool_json_add(o, "function", tool_json_string(all[i].function));
		if (by == PROFILE_LINE) {
			tool_json_add(o, "file", tool_json_string(all[i].file));
			tool_json_add(o, "line", json_object_new_int64(all[i].line));
		}
		tool_json_add(o, "instructions", json_object_new_int64(all[i].instructions));
		tool_json_add(o, "waited", profile_json_waits(&all[i]));
		json_object_array_add(array, o);
	}
	return array;
}

static void profile_print_json(FILE *f, const struct profiling *g)
{
	struct json_object *o = json_object_new_object(), *pes = json_object_new_array();
	const struct profile *p = &g->profile;

	tool_json_add(o, "instructions", json_object_new_uint64(p->instructions));
	tool_json_add(o, "library_instructions", json_object_new_int64(rest_of(p)));
	tool_json_add(o, "issue_cycles", json_object_new_int64(p->issue_cycles));
	tool_json_add(o, "functions", profile_json_lines(g, PROFILE_FUNCTION));
	tool_json_add(o, "lines", profile_json_lines(g, PROFILE_LINE));
	for (size_t i = 0; i < p->nr_pes; i++) {
		struct json_object *pe = json_object_new_object();

		tool_json_add(pe, "pe", json_object_new_int64(p->pes[i].pe));
		/* null in a random order, which has none */
		if (p->pes[i].cycles)
			tool_json_add(pe, "cycles",
				      json_object_new_uint64(p->pes[i].cycles));
		else
			json_object_object_add(pe, "cycles", NULL);
		tool_json_add(pe, "instructions",
			      json_object_new_uint64(p->pes[i].instructions));
		tool_json_add(pe, "idle_dma", json_object_new_uint64(p->pes[i].idle_dma));
		tool_json_add(pe, "idle_stop", json_object_new_uint64(p->pes[i].idle_stop));
		tool_json_add(pe, "idle_few", json_object_new_uint64(p->pes[i].idle_few));
		json_object_array_add(pes, pe);
	}
	tool_json_add(o, "pes", pes);
	fprintf(f, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

/* What a line's frame holds: its instructions, or its tasklets' cycles and waits. */
static void fold_line(FILE *f, const struct profiling *g, const struct profile_line *l)
{
	int64_t each = g->waits ? g->profile.issue_cycles : 1;

	if (l->instructions)
		fprintf(f, "%s;%s:%u %" PRId64 "\n", l->functions, l->file, l->line,
			l->instructions * each);
	for (unsigned int i = 0; g->waits && i < PROFILE_NR_WAITS; i++)
		if (l->waits[i])
			fprintf(f, "%s;%s:%u;(%s) %" PRIu64 "\n", l->functions, l->file,
				l->line, profile_waits[i], l->waits[i]);
}

/* "function;function;file:line N", as flame graphs are drawn from */
static int write_folded(const struct profiling *g)
{
	FILE *f = fopen(g->folded, "w");
	struct profile_line *all;
	size_t nr;

	if (!f)
		return tool_error("%s: %s", g->folded, strerror(errno));
	profile_merge(&g->profile, PROFILE_STACK, PROFILE_BY_INSTRUCTIONS, &all, &nr);
	for (size_t i = 0; i < nr; i++)
		fold_line(f, g, &all[i]);
	if (rest_of(&g->profile))
		fprintf(f, "(PE library) %" PRId64 "\n",
			rest_of(&g->profile) * (g->waits ? g->profile.issue_cycles : 1));
	if (fclose(f))
		return tool_error("%s: %s", g->folded, strerror(errno));
	return TOOL_OK;
}

static int print_profile(const struct profiling *g)
{
	FILE *f = g->out ? fopen(g->out, "w") : stdout;

	if (!f)
		return tool_error("%s: %s", g->out, strerror(errno));
	if (g->json) {
		profile_print_json(f, g);
	} else {
		print_functions(f, g);
		print_lines(f, g);
		print_waits(f, g);
		print_pes(f, &g->profile);
	}
	if (g->out ? fclose(f) : fflush(f))
		return tool_error("%s: %s", g->out ? g->out : "standard output",
				  strerror(errno));
	return TOOL_OK;
}

static int show(const struct profiling *g)
{
	int ret = TOOL_OK;

	if (!g->profile.nr_pes)
		return tool_error("the command has run no PE program of this library");
	if (g->profile.plain)
		tool_error("%" PRIu64 " PEs ran a program that does not count by line: compile it with -fpimdimm-profile, or with PIMDIMM_PROFILE=1 in the environment of make",
			   g->profile.plain);
	if (!g->profile.nr_lines)
		return TOOL_FAILED;
	if (g->folded)
		ret = write_folded(g);
	return ret ? ret : print_profile(g);
}

static int profile_command(struct profiling *g, char **argv)
{
	/* a name while this process is, whatever ends it */
	int fd = memfd_create("pimdimm-profile", MFD_CLOEXEC), status, ret;

	if (fd < 0)
		return tool_error("no memory for a profile: %s", strerror(errno));
	snprintf(g->counts, sizeof(g->counts), "/proc/%d/fd/%d", (int)getpid(), fd);
	status = run_command(g, argv);
	ret = profile_read(&g->profile, g->counts);
	close(fd);
	if (!ret && status != CANNOT_RUN)
		ret = show(g);
	profile_free(&g->profile);
	return status ? status : ret;
}

static int run_profile(const struct command *self, int argc, char **argv)
{
	struct profiling g = { .lines = 20 };
	char *end;
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		g.json |= c == 'j';
		g.waits |= c == 'w';
		if (c == 'o')
			g.out = optarg;
		else if (c == 'f')
			g.folded = optarg;
		else if (c == 'n') {
			g.lines = strtoul(optarg, &end, 10);
			if (*end || *optarg < '0' || *optarg > '9' || !g.lines ||
			    g.lines > MAX_LINES)
				return tool_usage(self, "-n %s: expected 1 to %d", optarg,
						  MAX_LINES);
		}
	}
	if (g.waits && !g.folded)
		return tool_usage(self, "--waits: expected --folded FILE, too");
	if (optind == argc)
		return tool_usage(self, "expected a command");
	return profile_command(&g, argv + optind);
}

static const struct tool_option options[] = {
	{ 'n', "lines", { .name = "NUMBER" },
	  .help = "how many functions and lines (20)", .letter = true },
	{ 'o', "output", { "FILE", .kind = TOOL_FILE },
	  .help = "where to, instead of standard output", .letter = true },
	{ 'f', "folded", { "FILE", .kind = TOOL_FILE },
	  .help = "write stacks for flame graphs: of instructions" },
	{ 'w', "waits", .help = "or of tasklets' cycles, those that they waited, too" },
	{ 'j', "json", .help = "print JSON, of all lines and PEs" },
	{ 0 },
};

const struct command cmd_profile = {
	.name = "profile",
	.summary = "tell which lines a program's PEs spend instructions and wait in",
	.run = run_profile,
	.synopsis = "[OPTION]... COMMAND [ARGUMENT]...",
	.about =
	"Runs COMMAND and prints where its PEs' instructions went, as hardware would\n"
	"execute them, by function and by line of the source, at which lines tasklets waited\n"
	"for what, and which PE is the slowest.\n"
	"The PE programs have to be compiled for it: with -fpimdimm-profile, or with\n"
	"PIMDIMM_PROFILE=1 in the environment of make.\n",
	.notes =
	"Exit status: the command's own, 128 and the signal's number where one ended it,\n"
	"127 where it cannot be run; 1 failed, 2 wrong usage.\n",
	.options = options,
	.operand = { "COMMAND", .kind = TOOL_PROGRAM },
};
