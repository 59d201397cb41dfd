// SPDX-License-Identifier: MIT
/* `pimdimm mpirun`: a PE program on so many PEs, and what each of them prints. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pimdimm.h>
#include <pimdimm/program.h>

#include "tools/cmd/commands.h"
#include "tools/tool.h"

#define PES_OF_A_RANK	64u
/* what a system may have */
#define MAX_RANKS	1024u

struct mpirun {
	const char *uri, *path;
	unsigned long wanted;	/* PEs; 0: all that the system has */
	bool label;
	struct pimdimm *sys;
	struct pimdimm_program *program;
	uint32_t *pes, nr_pes;
};

/* A system of its own has as many ranks as it takes. */
static int mpirun_open(struct mpirun *m)
{
	unsigned long ranks = (m->wanted + PES_OF_A_RANK - 1) / PES_OF_A_RANK;
	const char *given = m->uri ? m->uri : getenv("PIMDIMM_URI");
	uint32_t there;
	char own[32];

	snprintf(own, sizeof(own), "mem:ranks=%lu", ranks ? ranks : 1);
	if (pimdimm_open(given ? given : own, &m->sys))
		return tool_error("cannot open the system: %s", pimdimm_errmsg());
	there = pimdimm_geometry(m->sys)->nr_pes;
	if (m->wanted > there)
		return tool_error("-n %lu: the system has %u PEs", m->wanted, there);
	m->nr_pes = m->wanted ? (uint32_t)m->wanted : there;
	return TOOL_OK;
}

static int mpirun_load(struct mpirun *m)
{
	m->pes = calloc(m->nr_pes, sizeof(*m->pes));
	if (!m->pes)
		return tool_error("no memory for %u PEs", m->nr_pes);
	for (uint32_t pe = 0; pe < m->nr_pes; pe++)
		m->pes[pe] = pe;
	if (pimdimm_program_open(m->path, &m->program) ||
	    pimdimm_load(m->sys, m->pes, m->nr_pes, m->program))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

/* What a rank has printed, each line behind its number where that is asked for. */
static void mpirun_print(const struct mpirun *m, uint32_t rank, const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n');
		int n = end ? (int)(end - text) : (int)strlen(text);

		if (m->label)
			printf("%u: ", rank);
		printf("%.*s\n", n, text);
		text += n + !!end;
	}
}

static int mpirun_print_logs(const struct mpirun *m)
{
	if (!pimdimm_program_info(m->program)->has_log)
		return TOOL_OK;
	for (uint32_t i = 0; i < m->nr_pes; i++) {
		char *text;

		if (pimdimm_log_read(m->sys, m->pes[i], &text))
			return tool_error("%s", pimdimm_errmsg());
		mpirun_print(m, i, text);
		free(text);
	}
	if (fflush(stdout))
		return tool_error("standard output: %s", strerror(errno));
	return TOOL_OK;
}

/* What was printed until something went wrong is shown, too. */
static int mpirun_program(struct mpirun *m)
{
	struct pimdimm_run run = { .size = sizeof(run) };
	char why[512];
	int status, ret = pimdimm_run(m->sys, m->pes, m->nr_pes, &run);

	snprintf(why, sizeof(why), "%s", pimdimm_errmsg());
	if (ret && ret != -EFAULT)
		return tool_error("%s", why);
	status = mpirun_print_logs(m);
	return ret ? tool_error("%s", why) : status;
}

static int mpirun_all(struct mpirun *m)
{
	int status = mpirun_open(m);

	if (!status)
		status = mpirun_load(m);
	if (!status)
		status = mpirun_program(m);
	pimdimm_program_close(m->program);
	pimdimm_close(m->sys);
	free(m->pes);
	return status;
}

static bool mpirun_number(const char *text, unsigned long *n)
{
	char *end;

	*n = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *n &&
	       *n <= MAX_RANKS * PES_OF_A_RANK;
}

static int run_mpirun(const struct command *self, int argc, char **argv)
{
	struct mpirun m = { 0 };
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		m.label |= c == 'l';
		if (c == 'u')
			m.uri = optarg;
		if (c == 'n' && !mpirun_number(optarg, &m.wanted))
			return tool_usage(self, "-n %s: expected 1 to %u", optarg,
					  MAX_RANKS * PES_OF_A_RANK);
	}
	if (argc - optind != 1)
		return tool_usage(self, "expected one PROGRAM, got %d", argc - optind);
	m.path = argv[optind];
	return mpirun_all(&m);
}

static const struct tool_option options[] = {
	{ 'n', "ranks", { .name = "NUMBER" },
	  .help = "how many PEs (all that the system has)", .letter = true },
	{ 'l', "label", .help = "put a rank's number before each line that it printed",
	  .letter = true },
	{ 'u', "uri", TOOL_URI,
	  .help = "the system; else PIMDIMM_URI, else a \"mem:\" with ranks enough" },
	{ 0 },
};

const struct command cmd_mpirun = {
	.name = "mpirun",
	.summary = "run a PE program, and print what its PEs print",
	.run = run_mpirun,
	.synopsis = "[OPTION]... PROGRAM",
	.about =
	"Loads PROGRAM, which dpu-upmem-dpurte-clang has built, on the first PEs of a system,\n"
	"runs it, and prints what each PE has printed, in the order of their numbers, which are\n"
	"their ranks. Programs that include <mpi.h> find them as MPI_COMM_WORLD.\n",
	.notes = "Exit status: 0 all PEs ended well, 1 failed, 2 wrong usage.\n",
	.options = options,
	.operand = { "PROGRAM", .kind = TOOL_FILE },
};
