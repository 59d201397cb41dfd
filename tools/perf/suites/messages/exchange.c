// SPDX-License-Identifier: MIT
/*
 * Runs the exchange in child processes, since a profile is written when a process ends.
 * It is there twice: as programs are compiled, and with a table in which loads and stores
 * alone are instructions.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/perf/suites/messages/exchange.h"
#include "tools/perf/suites/messages/sorts/unsorted.h"
#include "tools/perf/suites/pe/pe_images.h"
#include "tools/tool.h"
#include "tools/trace/profile_read.h"

#define PES 2u

static const struct {
	enum pe_image instructions, references;
} programs[EXCHANGE_METHODS] = {
	[EXCHANGE_TRAVELLING] = { PE_EXCHANGE, PE_EXCHANGE_REFERENCES },
	[EXCHANGE_CONVENTIONAL] = { PE_EXCHANGE_CONVENTIONAL,
				    PE_EXCHANGE_CONVENTIONAL_REFERENCES },
};

const struct exchange_by exchange_methods[METHODS] = {
	[EXCHANGE_TRAVELLING] = { "travelling", "", NULL },
	[EXCHANGE_CONVENTIONAL] = { "conventional", ", conventional", NULL },
	[METHOD_RESIDENT] = { "resident", ", resident", "own" },
	[METHOD_MPICH] = { "mpich", ", MPICH", "mpich" },
	[METHOD_OPENMPI] = { "openmpi", ", Open MPI", "openmpi" },
};

/* what a child says of its launch */
struct said {
	uint64_t cycles, wrong, rendezvous;
};

static int child_failed(void)
{
	return tool_error("%s", pimdimm_errmsg());
}

static int launch(struct pimdimm *sys, struct pimdimm_program *program,
		  const struct exchange_args *args, struct said *said)
{
	static const uint32_t pes[PES] = { 0, 1 };
	struct pimdimm_run run = { .size = sizeof(run) };
	struct pimdimm_symbol to, wrong, rendezvous;

	if (pimdimm_load(sys, pes, PES, program) ||
	    pimdimm_program_symbol(program, "args", &to) ||
	    pimdimm_program_symbol(program, "wrong", &wrong) ||
	    pimdimm_program_symbol(program, "rendezvous", &rendezvous))
		return child_failed();
	for (uint32_t pe = 0; pe < PES; pe++)
		if (pimdimm_wram_write(sys, pe, to.address, args, sizeof(*args)))
			return child_failed();
	if (pimdimm_run(sys, pes, PES, &run))
		return child_failed();
	said->cycles = run.cycles;
	for (uint32_t pe = 0; pe < PES; pe++) {
		uint64_t bad, long_way;

		if (pimdimm_wram_read(sys, pe, wrong.address, &bad, sizeof(bad)) ||
		    pimdimm_wram_read(sys, pe, rendezvous.address, &long_way, sizeof(long_way)))
			return child_failed();
		said->wrong += bad;
		said->rendezvous += long_way;
	}
	return TOOL_OK;
}

static int child(enum pe_image image, const struct exchange_args *args, int out)
{
	struct pimdimm_program *program = NULL;
	struct said said = { 0 };
	struct pimdimm *sys;
	int ret;

	if (pimdimm_open("mem:ranks=1", &sys))
		return child_failed();
	ret = pe_image_open(image, &program) || launch(sys, program, args, &said);
	pimdimm_program_close(program);
	pimdimm_close(sys);
	if (!ret && write(out, &said, sizeof(said)) != sizeof(said))
		ret = tool_error("a pipe: %s", strerror(errno));
	return ret;
}

/* The child's profile is in a file at path when this returns. */
static int run_child(enum pe_image image, const struct exchange_args *args,
		     const char *path, struct said *said)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return tool_error("a pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		setenv("PIMDIMM_PROFILE_FILE", path, 1);
		exit(child(image, args, fds[1]));
	}
	close(fds[1]);
	n = pid < 0 ? -1 : read(fds[0], said, sizeof(*said));
	close(fds[0]);
	if (pid < 0)
		return tool_error("fork: %s", strerror(errno));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n == sizeof(*said) && WIFEXITED(status) && !WEXITSTATUS(status))
		return TOOL_OK;
	return WIFSIGNALED(status) ? tool_error("interrupted") : TOOL_FAILED;
}

/* A line that is no source's is in the file that its function's other lines are in. */
static const char *file_of(const struct profile *p, const struct profile_line *line)
{
	for (size_t i = 0; i < p->nr_lines && !line->line; i++) {
		const struct profile_line *other = &p->lines[i];

		if (other->line && !strcmp(other->function, line->function))
			return other->file;
	}
	return line->file;
}

/* of a kind of instructions, which may be references */
struct sums {
	double *sorts;
	bool references;
	struct unsorted_list *unsorted;
};

static bool add_unsorted(const struct sums *to, const char *file, const char *function,
			 double instructions)
{
	return unsorted_add(to->unsorted, file, function, to->references ? 0 : instructions,
			    to->references ? instructions : 0);
}

/* Adds a profile's instructions to their sorts, so many times. */
static int add_profile(const char *path, double times, const struct sums *to)
{
	struct profile p = { 0 };
	int ret = profile_read(&p, path);

	for (size_t i = 0; i < p.nr_lines && !ret; i++) {
		const struct profile_line *l = &p.lines[i];
		enum message_sort sort = message_sort_of(file_of(&p, l), l->function);
		double instructions = times * (double)l->instructions;

		to->sorts[sort] += instructions;
		if (sort == MESSAGE_UNSORTED && l->instructions &&
		    !add_unsorted(to, file_of(&p, l), l->function, instructions))
			ret = tool_error("no memory for functions without a sort");
	}
	profile_free(&p);
	return ret;
}

static int count_image(enum pe_image image, struct exchange_args *args, const char *path,
		       const struct sums *to, struct exchange_counts *counts)
{
	int ret = TOOL_OK;

	for (uint32_t i = 1; i <= 2 && !ret; i++) {
		double times = i == 2 ? 1 : -1;
		struct said said = { 0 };

		/* a routine's counts are those of a round already, if they are kept */
		args->rounds = args->routine == ROUTINE_ALL ? i : 2;
		args->keep = i == 2;
		ret = truncate(path, 0) ? tool_error("%s: %s", path, strerror(errno)) :
					  run_child(image, args, path, &said);
		if (!ret)
			ret = add_profile(path, times, to);
		counts->wrong += said.wrong;
		/* both count time by the table that they were compiled with */
		if (!to->references) {
			counts->cycles += times * (double)said.cycles;
			counts->rendezvous += times * (double)said.rendezvous;
		}
	}
	return ret;
}

static int count_images(const struct exchange_case *c, const char *path,
			struct unsorted_list *unsorted, struct exchange_counts *counts)
{
	struct exchange_args args = { .bytes = c->bytes, .posted = c->posted,
				      .routine = c->routine, .eager = c->eager };
	const struct sums instructions = { counts->instructions, false, unsorted };
	const struct sums references = { counts->references, true, unsorted };
	int ret = count_image(programs[c->method].instructions, &args, path, &instructions,
			      counts);

	return ret ? ret : count_image(programs[c->method].references, &args, path, &references,
				       counts);
}

int exchange_count(const struct exchange_case *c, struct exchange_counts *counts)
{
	struct unsorted_list unsorted = { NULL, 0 };
	char path[TOOL_TEMPORARY];
	int fd, ret;

	*counts = (struct exchange_counts){ 0 };
	tool_temporary("exchange", path);
	fd = mkstemp(path);
	if (fd < 0)
		return tool_error("%s: %s", path, strerror(errno));
	close(fd);
	ret = count_images(c, path, &unsorted, counts);
	unlink(path);
	if (!ret && !unsorted_keep(exchange_methods[c->method].name, &unsorted, EXCHANGE_MESSAGES))
		ret = tool_error("no memory for functions without a sort");
	unsorted_free(&unsorted);
	if (c->routine != ROUTINE_ALL)
		counts->cycles = NAN;
	return ret;
}
