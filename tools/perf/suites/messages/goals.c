// SPDX-License-Identifier: MIT
/*
 * Times messages between resident kernels beside those of MPI libraries, whose programs take
 * turns, and hops between PE programs beside a bare hand-over. Figures are medians of turns.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/perf/suites/messages/counted.h"
#include "tools/perf/suites/messages/goals.h"
#include "tools/perf/suites/messages/hops.h"
#include "tools/tool.h"

#define USUAL_TURNS	5u
#define MOST_TURNS	99u

extern char **environ;

enum program {
	OWN,		/* one thread of the process runs both kernels */
	OWN_THREADS,	/* two */
	MPICH,
	OPENMPI,
	PROGRAMS,
};

static const struct {
	const char *name, *rounds, *threads;
} programs[PROGRAMS] = {
	[OWN] = { "resident", "own", "1" },
	[OWN_THREADS] = { "resident, 2 threads", "own", "2" },
	[MPICH] = { "mpich", "mpich", NULL },
	[OPENMPI] = { "openmpi", "openmpi", NULL },
};

enum figure {
	LATENCY_8,
	LATENCY_256,
	LATENCY_80K,
	RATE,
	BEHIND,
	ACROSS,
	FIGURES,
};

/* as rounds prints them */
static const char *const figures[FIGURES] = { "8", "256", "80K", "rate", "behind", "across" };

struct turns {
	unsigned int nr;
	double ns[PROGRAMS][FIGURES][MOST_TURNS];
	double of[PROGRAMS][FIGURES];
};

bool goals_ask(const struct perf_suite *suite, const char *rounds)
{
	for (unsigned int i = 0; perf_opponent_word(i); i++) {
		if (suite->args->opponents & (1u << i) &&
		    (!strcmp(rounds, "own") || !strcmp(rounds, perf_opponent_word(i))))
			return true;
	}
	return false;
}

int goals_check(const struct command *self, const struct perf_args *args)
{
	for (unsigned int i = 0; perf_opponent_word(i); i++) {
		const char *name = perf_opponent_word(i);

		if (args->opponents & (1u << i) && strcmp(name, "mpich") && strcmp(name, "openmpi"))
			return tool_usage(self, "--opponents %s: --suite messages has mpich and openmpi",
					  name);
	}
	return TOOL_OK;
}

static void read_figures(FILE *in, double ns[FIGURES][MOST_TURNS], unsigned int turn)
{
	char name[32];
	double value;

	while (fscanf(in, "%31s %lf", name, &value) == 2) {
		for (unsigned int f = 0; f < FIGURES; f++) {
			if (!strcmp(name, figures[f]))
				ns[f][turn] = value;
		}
	}
}

/* with its output in the pipe; 0, or an errno */
static int spawn_program(enum program p, char *const argv[], int out, pid_t *pid)
{
	char *kept = getenv("PIMDIMM_THREADS");
	posix_spawn_file_actions_t actions;
	int ret;

	kept = kept ? strdup(kept) : NULL;
	if (programs[p].threads)
		setenv("PIMDIMM_THREADS", programs[p].threads, 1);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (kept)
		setenv("PIMDIMM_THREADS", kept, 1);
	else
		unsetenv("PIMDIMM_THREADS");
	free(kept);
	return ret;
}

static void run_program(enum program p, char *const argv[], struct turns *turns,
			unsigned int turn)
{
	int fds[2], status;
	FILE *in;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return;
	in = fdopen(fds[0], "r");
	if (spawn_program(p, argv, fds[1], &pid))
		pid = -1;
	close(fds[1]);
	if (in) {
		read_figures(in, turns->ns[p], turn);
		fclose(in);
	} else {
		close(fds[0]);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static void take_turn(enum program p, struct turns *turns, unsigned int turn)
{
	char path[PATH_MAX], run[32], place[] = "/tmp/pimdimm-place-XXXXXX";
	char *argv[] = { run, (char *)"-n", (char *)"2", path, (char *)"time", place, NULL };
	int fd;

	if (!tool_part("rounds", programs[p].rounds, path, sizeof(path)))
		return;
	fd = mkstemp(place);
	if (fd < 0)
		return;
	close(fd);
	snprintf(run, sizeof(run), "mpirun.%s", programs[p].rounds);
	run_program(p, programs[p].threads ? argv + 3 : argv, turns, turn);
	unlink(place);
}

static int less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void take_turns(struct perf_suite *suite, struct turns *turns)
{
	for (unsigned int p = 0; p < PROGRAMS; p++)
		for (unsigned int f = 0; f < FIGURES; f++)
			for (unsigned int turn = 0; turn < MOST_TURNS; turn++)
				turns->ns[p][f][turn] = NAN;
	for (unsigned int turn = 0; turn < turns->nr; turn++) {
		for (unsigned int p = 0; p < PROGRAMS; p++) {
			if (goals_ask(suite, programs[p].rounds))
				take_turn((enum program)p, turns, turn);
		}
	}
	for (unsigned int p = 0; p < PROGRAMS; p++) {
		for (unsigned int f = 0; f < FIGURES; f++) {
			double *ns = turns->ns[p][f];

			if (isfinite(ns[0]))
				qsort(ns, turns->nr, sizeof(*ns), less);
			turns->of[p][f] = ns[turns->nr / 2];
		}
	}
}

static void print_turns(const struct perf_suite *suite, const struct turns *turns)
{
	FILE *out = suite->report.out;

	if (suite->report.format != PERF_TEXT)
		return;
	fprintf(out, "#\n# nanoseconds, medians of %u turns: one way of 8 and 256 bytes and 80 KiB,\n"
		     "# of 64 messages at once, 8 bytes behind 5,000 receives, 8 bytes polled for\n#%-22s",
		turns->nr, "");
	for (unsigned int f = 0; f < FIGURES; f++)
		fprintf(out, " %9s", figures[f]);
	fputc('\n', out);
	for (unsigned int p = 0; p < PROGRAMS; p++) {
		fprintf(out, "#%-22s", programs[p].name);
		for (unsigned int f = 0; f < FIGURES; f++)
			fprintf(out, " %9.1f", turns->of[p][f]);
		fputc('\n', out);
	}
}

static void json_turns(struct perf_suite *suite, const struct turns *turns)
{
	struct json_object *array;

	if (suite->report.format != PERF_JSON)
		return;
	array = json_object_new_array();
	for (unsigned int p = 0; p < PROGRAMS; p++) {
		struct json_object *o = json_object_new_object();

		tool_json_add(o, "method", tool_json_string(programs[p].name));
		for (unsigned int f = 0; f < FIGURES; f++)
			perf_report_json_number(o, figures[f], turns->of[p][f]);
		json_object_array_add(array, o);
	}
	perf_report_json(&suite->report, "times_ns", array);
}

/* of the faster MPI library; NAN: none was measured */
static double of_mpi(const struct turns *turns, enum figure f)
{
	return fmin(turns->of[MPICH][f], turns->of[OPENMPI][f]);
}

static void add_hops(struct perf_targets *t)
{
	double futex = hops_futex();
	double two = hops_around(2), many = hops_around(64), rate = hops_rate(64);

	perf_target_add(t, 2.5, two / futex, "programs: a hop, 2 PEs: %.1f us over a futex's %.1f us",
			two / 1e3, futex / 1e3);
	perf_target_at_most(t);
	perf_target_add(t, 4, many / futex, "programs: a hop, 64 PEs: %.1f us over the same",
			many / 1e3);
	perf_target_at_most(t);
	perf_target_add(t, 1, 1e3 / rate, "programs: parcels among 64 PEs, M/s");
}

void goals_timed(struct perf_suite *suite, struct perf_targets *t)
{
	static const struct {
		enum program of;
		enum figure figure, mpi;
		double goal;
		const char *name;
	} below[] = {
		{ OWN, LATENCY_8, LATENCY_8, 0.6, "resident: latency of 8 bytes" },
		{ OWN, LATENCY_256, LATENCY_256, 0.6, "resident: latency of 256 bytes" },
		{ OWN, LATENCY_80K, LATENCY_80K, 0.35, "resident: latency of 80 KiB" },
		{ OWN_THREADS, ACROSS, LATENCY_8, 1, "resident: across threads, 8 bytes" },
	};
	static struct turns turns;

	turns.nr = suite->args->given_iters ? suite->how.iters : USUAL_TURNS;
	if (turns.nr > MOST_TURNS)
		turns.nr = MOST_TURNS;
	take_turns(suite, &turns);
	print_turns(suite, &turns);
	json_turns(suite, &turns);
	for (size_t i = 0; i < TOOL_COUNT(below); i++) {
		perf_target_add(t, below[i].goal,
				turns.of[below[i].of][below[i].figure] / of_mpi(&turns, below[i].mpi),
				"%s over the faster MPI", below[i].name);
		perf_target_at_most(t);
	}
	perf_target_add(t, 2, of_mpi(&turns, RATE) / turns.of[OWN][RATE],
			"resident: rate over the faster MPI");
	perf_target_add(t, 3, turns.of[OWN][BEHIND] / turns.of[OWN][LATENCY_8],
			"resident: behind 5,000 unmatched receives over none");
	perf_target_at_most(t);
	add_hops(t);
}
