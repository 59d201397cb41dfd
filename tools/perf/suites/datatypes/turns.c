// SPDX-License-Identifier: MIT
/*
 * Ways take turns, repetition by repetition, beginning with another one each time: what
 * disturbs the machine disturbs all, and a ratio of medians means something.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/datatypes/rows.h"
#include "tools/perf/suites/datatypes/turns.h"
#include "tools/tool.h"

/* a turn of calls shorter than this has several of them */
#define TURN_NS		50000
#define MOST_CALLS	1000
/* of two processes, which sleep between their turns, and must have settled before they are timed */
#define ORDER_TURN_NS	500000
#define SETTLE_NS	20000000
#define SETTLE_CALLS	16

static int way_failed(const struct ddt_turns *t, const struct ddt_way *way)
{
	return tool_error("%s, %s, %s %s, %s: %s", t->context, t->operation, t->kernel->name,
			  t->kernel->set, way->name, pimdimm_errmsg());
}

/* by order: 'f' is the first use, 'v' a check */
static int order_checked(const struct ddt_turns *t, struct ddt_way *way, double *first)
{
	uint64_t wrong;
	double ns;

	if (first && t->order(t->of, way, 'f', 1, first, &wrong))
		return TOOL_FAILED;
	if (t->order(t->of, way, 'v', 1, &ns, &wrong))
		return TOOL_FAILED;
	way->wrong += wrong;
	return TOOL_OK;
}

static int check_way(const struct ddt_turns *t, struct ddt_way *way)
{
	if (t->order)
		return order_checked(t, way, NULL);
	t->clear(t->of);
	if (way->run(t->of))
		return way_failed(t, way);
	way->wrong += t->wrong(t->of);
	return TOOL_OK;
}

/* the first use of all, types made for it included */
static int first_use(const struct ddt_turns *t, struct ddt_way *way)
{
	uint64_t start, made;

	if (t->order)
		return order_checked(t, way, &way->first);
	t->clear(t->of);
	start = tool_now();
	if (way->begin && way->begin(t->of))
		return way_failed(t, way);
	made = tool_now();
	if (way->run(t->of))
		return way_failed(t, way);
	way->first = (double)(tool_now() - start);
	way->made = (double)(made - start);
	way->wrong += t->wrong(t->of);
	return TOOL_OK;
}

static int run_turn(const struct ddt_turns *t, const struct ddt_way *way, unsigned int calls,
		    double *ns)
{
	uint64_t start = tool_now(), wrong;

	if (t->order)
		return t->order(t->of, way, way->what, calls, ns, &wrong);
	for (unsigned int i = 0; i < calls; i++) {
		if (way->run(t->of))
			return way_failed(t, way);
	}
	*ns = (double)(tool_now() - start) / calls;
	return TOOL_OK;
}

static unsigned int calls_for(double turn_ns, double ns)
{
	return ns < turn_ns / MOST_CALLS ? MOST_CALLS : 1 + (unsigned int)(turn_ns / ns);
}

/* How many calls a turn has, by what one takes once it is as fast as it gets. */
static int choose_calls(const struct ddt_turns *t, const struct ddt_way *way, unsigned int *calls)
{
	double turn_ns = t->order ? ORDER_TURN_NS : TURN_NS, ns = turn_ns;
	uint64_t until = tool_now() + (t->order ? SETTLE_NS : 0);
	unsigned int made = 0, least = t->order ? SETTLE_CALLS : 2;

	*calls = 1;
	do {
		if (run_turn(t, way, *calls, &ns))
			return TOOL_FAILED;
		made += *calls;
		if (made > 1)
			*calls = calls_for(turn_ns, ns);
	} while (made < least || tool_now() < until);
	return TOOL_OK;
}

static int take_turns(const struct ddt_turns *t, const struct perf_how *how, double *times)
{
	unsigned int calls[DDT_WAYS], iters = how->iters;

	for (unsigned int w = 0; w < t->nr; w++) {
		if (choose_calls(t, &t->ways[w], &calls[w]))
			return TOOL_FAILED;
	}
	for (unsigned int i = 0; i < how->warmup + iters; i++) {
		for (unsigned int n = 0; n < t->nr; n++) {
			unsigned int w = (i + n) % t->nr;
			double *ns = &times[w * iters + (i < how->warmup ? 0 : i - how->warmup)];

			if (perf_interrupted())
				return tool_error("interrupted");
			if (run_turn(t, &t->ways[w], calls[w], ns))
				return TOOL_FAILED;
		}
	}
	return TOOL_OK;
}

static int measure(struct ddt_turns *t, const struct perf_how *how, double *times)
{
	for (unsigned int w = 0; w < t->nr; w++) {
		if (first_use(t, &t->ways[w]))
			return TOOL_FAILED;
	}
	if (take_turns(t, how, times))
		return TOOL_FAILED;
	for (unsigned int w = 0; w < t->nr; w++) {
		double *ns = &times[w * how->iters];

		perf_sort_times(ns, how->iters);
		t->ways[w].median = perf_median(ns, how->iters);
		t->ways[w].min = ns[0];
		if (check_way(t, &t->ways[w]))
			return TOOL_FAILED;
	}
	return TOOL_OK;
}

double ddt_turns_ratio(const struct ddt_turns *turns, unsigned int way)
{
	for (unsigned int w = 0; w < turns->nr; w++) {
		if (!strcmp(turns->ways[w].name, "plain"))
			return turns->ways[way].median / turns->ways[w].median;
	}
	return NAN;
}

void ddt_turns_take(struct perf_suite *suite, struct ddt_turns *turns)
{
	double *times;

	if (suite->status)
		return;
	times = calloc(turns->nr * suite->how.iters, sizeof(*times));
	suite->status = times ? measure(turns, &suite->how, times) :
				tool_error("no memory for %u times", suite->how.iters);
	free(times);
	for (unsigned int w = 0; w < turns->nr && !suite->status; w++)
		ddt_row_put(suite, turns, w);
}
