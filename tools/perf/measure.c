// SPDX-License-Identifier: MIT
/*
 * Runners take turns: a repetition runs each of them, so that what disturbs the
 * machine disturbs all, and ratios of their medians mean something. Each is
 * checked before it is timed, and after.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/check.h"
#include "tools/perf/measure.h"
#include "tools/tool.h"

/* a repetition of calls shorter than this makes several of them */
#define TURN_NS 50000
#define MAX_CALLS 1000
/* calls shorter than this are run once before, to find caches as they leave them */
#define WARM_NS 10000000
/* turns in a row that have calls which try: more than there ever are */
#define MOST_TRYING 16

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

void perf_interrupts(void)
{
	struct sigaction action = { .sa_handler = interrupt,
				    .sa_flags = (int)SA_RESETHAND };

	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction old;

	for (size_t i = 0; i < TOOL_COUNT(signals); i++) {
		/* who started this may not want it to be interrupted */
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

bool perf_interrupted(void)
{
	return interrupted;
}

static int measure_choose(const struct perf_runner *r)
{
	return r->method->choose ? r->method->choose(r->setup, r->name) : 0;
}

static int runner_failed(const struct perf_runner *r)
{
	return tool_error("%s, %s: %s", pc_collective_name(r->setup->c->id),
			  r->name, pimdimm_errmsg());
}

static int check_runner(struct perf_runner *r)
{
	uint64_t wrong;

	if (r->method->unchecked)
		return TOOL_OK;
	if (perf_fill(r->setup))
		return TOOL_FAILED;
	if (measure_choose(r) || r->method->run(r->setup, r->name))
		return runner_failed(r);
	if (perf_wrong(r->setup, &wrong))
		return TOOL_FAILED;
	r->wrong += wrong;
	return TOOL_OK;
}

static int check_all(struct perf_runner *runners, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (check_runner(&runners[i]))
			return TOOL_FAILED;
	}
	return TOOL_OK;
}

/* What a call of hosts has sent, and how long it has waited for it. */
static void note_hosts(struct perf_runner *r)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };

	if (!r->setup->rig->team || !r->method->choose ||
	    pidcomm_hosts_stats(r->setup->rig->hc, &stats))
		return;
	r->sent = stats.sent_bytes;
	r->network += (double)stats.ns_network;
	r->told++;
}

/* Of all hosts. */
static int gather_hosts(struct perf_runner *r)
{
	const struct tool_team *team = r->setup->rig->team;
	uint64_t most[2] = { r->sent };

	if (!team)
		return TOOL_OK;
	most[1] = r->told ? (uint64_t)(r->network / r->told) : 0;
	if (tool_team_sum(team, &r->sent) || tool_team_most(team, most, 2))
		return TOOL_FAILED;
	r->most_sent = most[0];
	r->network = (double)most[1];
	return TOOL_OK;
}

/* nanoseconds of a call, of `calls` in a row, and how many of these tried */
static int run_turn(struct perf_runner *r, unsigned int calls, double *ns,
		    unsigned int *tried)
{
	const struct tool_team *team = r->setup->rig->team;
	struct pidcomm *hc = r->setup->rig->hc;
	int ret = measure_choose(r);
	uint64_t start;

	*tried = 0;
	/* all begin at once */
	if (tool_team_share(team, tried, sizeof(*tried)))
		return TOOL_FAILED;
	start = tool_now();
	for (unsigned int i = 0; i < calls && !ret; i++) {
		hc->tried = false;
		ret = r->method->run(r->setup, r->name);
		*tried += hc->tried;
	}
	*ns = (double)(tool_now() - start) / calls;
	if (ret)
		return runner_failed(r);
	note_hosts(r);
	/* what comes next depends on it, at all hosts */
	if (tool_team_share(team, ns, sizeof(*ns)) ||
	    tool_team_share(team, tried, sizeof(*tried)))
		return TOOL_FAILED;
	return TOOL_OK;
}

/*
 * A turn without calls whose parts try ways to store: these are few, and say nothing
 * of the others.
 */
static int measure_take_turn(struct perf_runner *r, unsigned int calls, double *ns)
{
	unsigned int tried;

	for (unsigned int i = 0; i < MOST_TRYING; i++) {
		if (run_turn(r, calls, ns, &tried))
			return TOOL_FAILED;
		r->tried += tried;
		if (!tried)
			break;
	}
	return TOOL_OK;
}

/* untimed runs, the last of which says how many calls make a turn */
static int warm_up(struct perf_runner *r, unsigned int times,
		   unsigned int *calls)
{
	double ns = 0;

	for (unsigned int i = 0; i < times + 1; i++) {
		if (measure_take_turn(r, 1, &ns))
			return TOOL_FAILED;
	}
	r->min = ns;
	*calls = 1;
	if (ns < TURN_NS)
		*calls = ns > TURN_NS / MAX_CALLS ?
				 (unsigned int)(TURN_NS / ns) + 1 : MAX_CALLS;
	return TOOL_OK;
}

static int compare_times(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void perf_sort_times(double *ns, unsigned int count)
{
	qsort(ns, count, sizeof(*ns), compare_times);
}

double perf_median(const double *ns, unsigned int count)
{
	return (ns[(count - 1) / 2] + ns[count / 2]) / 2;
}

static double mean_of(const double *ns, unsigned int count)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += ns[i];
	return sum / count;
}

/*
 * Of so many times, each below the median with 1/2, so few lie on one side with what
 * the binomial distribution says: the times that bound an interval leave out as many
 * at each end as add up to 1.25 % at most.
 */
struct perf_interval perf_median_interval(const double *ns, unsigned int count)
{
	double log_term = -(double)count * log(2), sum = exp(log_term);
	unsigned int out = 0;

	if (sum > 0.0125)
		return (struct perf_interval){ 0 };
	while (out + 1 < count - out) {
		log_term += log((double)(count - out) / (out + 1));
		sum += exp(log_term);
		if (sum > 0.0125)
			break;
		out++;
	}
	return (struct perf_interval){ ns[out], ns[count - 1 - out] };
}

/* one repetition; every other one backwards, so that neighbours change */
static int take_turns(struct perf_runner *runners, unsigned int count,
		      unsigned int calls, unsigned int iters, unsigned int n,
		      double *times)
{
	for (unsigned int i = 0; i < count; i++) {
		unsigned int at = n & 1 ? count - 1 - i : i;
		double *ns = &times[at * iters + n];

		/* min: nanoseconds of the warm-up's last call */
		if (runners[at].min < WARM_NS && measure_take_turn(&runners[at], 1, ns))
			return TOOL_FAILED;
		if (measure_take_turn(&runners[at], calls, ns))
			return TOOL_FAILED;
	}
	return TOOL_OK;
}

static int time_all(struct perf_runner *runners, unsigned int count,
		    unsigned int iters, double *times)
{
	const struct tool_team *team = count ? runners[0].setup->rig->team : NULL;
	unsigned int calls, most = 1;

	for (unsigned int i = 0; i < count; i++) {
		if (warm_up(&runners[i], 0, &calls))
			return TOOL_FAILED;
		runners[i].network = runners[i].told = 0;
		if (calls > most)
			most = calls;
	}
	for (unsigned int n = 0; n < iters; n++) {
		bool stops = perf_interrupted();

		/* all hosts stop at the same repetition */
		if (tool_team_share(team, &stops, sizeof(stops)))
			return TOOL_FAILED;
		if (stops)
			break;
		/* Every runner makes as many calls as the quickest needs. */
		if (take_turns(runners, count, most, iters, n, times))
			return TOOL_FAILED;
	}
	for (unsigned int i = 0; i < count; i++) {
		double *t = times + i * iters;

		perf_sort_times(t, iters);
		runners[i].min = t[0];
		runners[i].max = t[iters - 1];
		runners[i].mean = mean_of(t, iters);
		runners[i].median = perf_median(t, iters);
		runners[i].interval = perf_median_interval(t, iters);
		if (gather_hosts(&runners[i]))
			return TOOL_FAILED;
	}
	return TOOL_OK;
}

int perf_measure(struct perf_runner *runners, unsigned int count,
		 const struct perf_how *how)
{
	double *times = calloc(count * how->iters, sizeof(*times));
	unsigned int calls;
	int ret = TOOL_OK;

	if (!times)
		return tool_error("no memory for times");
	for (unsigned int i = 0; i < count; i++)
		runners[i].wrong = runners[i].tried = 0;
	if (how->check)
		ret = check_all(runners, count);
	else if (count)
		ret = perf_fill(runners[0].setup);
	for (unsigned int i = 0; i < count && !ret && how->warmup; i++)
		ret = warm_up(&runners[i], how->warmup - 1, &calls);
	if (!ret)
		ret = time_all(runners, count, how->iters, times);
	if (!ret && how->check)
		ret = check_all(runners, count);
	free(times);
	if (!ret && perf_interrupted())
		ret = tool_error("interrupted");
	return ret;
}
