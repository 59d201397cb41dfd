// SPDX-License-Identifier: MIT
/*
 * Times messages between resident kernels beside those of MPI libraries, whose programs take
 * turns, and hops between PE programs beside a bare hand-over. Figures are medians of turns.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/messages/goals.h"
#include "tools/perf/suites/messages/hops.h"
#include "tools/perf/suites/messages/launch.h"
#include "tools/tool.h"

#define USUAL_TURNS	5u
#define MOST_TURNS	99u

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
	char why[PROGRAMS][LAUNCH_WHY];	/* its figures are none; or "" */
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

/* where a program's figures of a turn go */
struct turn_of {
	struct turns *turns;
	enum program p;
	unsigned int turn;
};

static void read_figures(void *ctx, FILE *in)
{
	const struct turn_of *to = ctx;
	char name[32];
	double value;

	while (fscanf(in, "%31s %lf", name, &value) == 2) {
		for (unsigned int f = 0; f < FIGURES; f++) {
			if (!strcmp(name, figures[f]))
				to->turns->ns[to->p][f][to->turn] = value;
		}
	}
}

/* 0, or what ended it */
static int run_program(const struct turn_of *to, char *const argv[], char why[LAUNCH_WHY])
{
	const char *threads = programs[to->p].threads;
	char *kept = getenv("PIMDIMM_THREADS");
	int ret;

	kept = kept ? strdup(kept) : NULL;
	if (threads)
		setenv("PIMDIMM_THREADS", threads, 1);
	ret = launch_run(argv, read_figures, (void *)to, why);
	if (kept)
		setenv("PIMDIMM_THREADS", kept, 1);
	else
		unsetenv("PIMDIMM_THREADS");
	free(kept);
	return ret;
}

/* whether it has all figures of the turn; else why not */
static bool take_turn(const struct turn_of *to, char why[LAUNCH_WHY])
{
	const char *rounds = programs[to->p].rounds;
	char path[PATH_MAX], run[32], place[TOOL_TEMPORARY];
	char *argv[] = { run, (char *)"-n", (char *)"2", path, (char *)"time", place, NULL };
	int fd, ret;

	if (!tool_part("rounds", rounds, path, sizeof(path))) {
		snprintf(why, LAUNCH_WHY, "it was not there when pimdimm was built");
		return false;
	}
	tool_temporary("place", place);
	fd = mkstemp(place);
	if (fd < 0) {
		snprintf(why, LAUNCH_WHY, "no file like %.80s: %s", place, strerror(errno));
		return false;
	}
	close(fd);
	snprintf(run, sizeof(run), "mpirun.%s", rounds);
	ret = run_program(to, programs[to->p].threads ? argv + 3 : argv, why);
	unlink(place);
	/* the last one is of resident kernels alone */
	for (unsigned int f = 0; f < (programs[to->p].threads ? FIGURES : ACROSS) && !ret; f++) {
		if (!isfinite(to->turns->ns[to->p][f][to->turn])) {
			snprintf(why, LAUNCH_WHY, "its program has printed no time of %s", figures[f]);
			return false;
		}
	}
	return !ret;
}

/* medians; of a program that has failed, nothing is a figure */
static void settle(struct turns *turns)
{
	for (unsigned int p = 0; p < PROGRAMS; p++) {
		for (unsigned int f = 0; f < FIGURES; f++) {
			double *ns = turns->ns[p][f];

			turns->of[p][f] = NAN;
			if (turns->why[p][0] || !isfinite(ns[0]))
				continue;
			perf_sort_times(ns, turns->nr);
			turns->of[p][f] = perf_median(ns, turns->nr);
		}
	}
}

static void take_turns(struct perf_suite *suite, struct turns *turns)
{
	for (unsigned int p = 0; p < PROGRAMS; p++) {
		turns->why[p][0] = '\0';
		for (unsigned int f = 0; f < FIGURES; f++)
			for (unsigned int turn = 0; turn < MOST_TURNS; turn++)
				turns->ns[p][f][turn] = NAN;
	}
	for (unsigned int turn = 0; turn < turns->nr; turn++) {
		for (unsigned int p = 0; p < PROGRAMS; p++) {
			const struct turn_of to = { turns, (enum program)p, turn };
			char why[LAUNCH_WHY];

			if (turns->why[p][0] || !goals_ask(suite, programs[p].rounds))
				continue;
			if (!take_turn(&to, why))
				memcpy(turns->why[p], why, sizeof(why));
			if (perf_interrupted()) {
				suite->status = tool_error("interrupted");
				return;
			}
		}
	}
	settle(turns);
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

static void tell_untimed(struct perf_suite *suite, const struct turns *turns)
{
	char what[64];

	for (unsigned int p = 0; p < PROGRAMS; p++) {
		if (!turns->why[p][0])
			continue;
		snprintf(what, sizeof(what), "times of %s", programs[p].name);
		perf_report_absent(&suite->report, what, turns->why[p]);
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

static int add_hops(struct perf_targets *t)
{
	double futex, two, many, rate;

	if (hops_futex(&futex) || hops_around(2, &two) || hops_around(64, &many) ||
	    hops_rate(64, &rate))
		return TOOL_FAILED;
	perf_target_add(t, 2.5, two / futex, "programs: a hop, 2 PEs: %.1f us over a futex's %.1f us",
			two / 1e3, futex / 1e3);
	perf_target_at_most(t);
	perf_target_add(t, 4, many / futex, "programs: a hop, 64 PEs: %.1f us over the same",
			many / 1e3);
	perf_target_at_most(t);
	perf_target_add(t, 1, 1e3 / rate, "programs: parcels among 64 PEs, M/s");
	return TOOL_OK;
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
	if (suite->status)
		return;
	print_turns(suite, &turns);
	json_turns(suite, &turns);
	tell_untimed(suite, &turns);
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
	suite->status = add_hops(t);
}
