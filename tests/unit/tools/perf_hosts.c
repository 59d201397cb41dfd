// SPDX-License-Identifier: MIT
/* Suites of hosts: what `hosts-targets` runs, what is made of times that are given. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

#include "tools/inside.h"
#include "tools/perf/figure.h"
#include "tools/perf/suites/hosts/beside_mpi.h"
#include "tools/perf/suites/hosts/between.h"
#include "tools/perf/suites/hosts/cubes.h"
#include "tools/perf/suites/hosts/runs.h"

#define MOST_RUNS	64

static unsigned int cpus;
static const char *missing;	/* runs whose words have this have no rows; or NULL */

/* the threads of each run, as its variable has them, its hosts, and how often it calls */
static struct {
	unsigned int threads, hosts, calls;
	uint64_t bytes;
} runs[MOST_RUNS];
static unsigned int nr_runs;

unsigned int __wrap_pd_affinity_cpus(void);
const char *__wrap_hosts_launcher(void);
bool __wrap_hosts_run_works(const char *format, ...);
int __wrap_hosts_run(struct hosts_run *run, const char *before, const char *format, ...);

unsigned int __wrap_pd_affinity_cpus(void)
{
	return cpus;
}

const char *__wrap_hosts_launcher(void)
{
	return "ENVIRONMENT mpirun";
}

bool __wrap_hosts_run_works(const char *format, ...)
{
	(void)format;
	return true;
}

static void add_row(struct hosts_run *run, const char *collective, const char *algorithm,
		    uint64_t bytes)
{
	struct hosts_run_row *row = &run->rows[run->count++];

	*row = (struct hosts_run_row){ .bytes = bytes, .sent = 8, .staged = 8, .ns = 1e6 };
	snprintf(row->collective, sizeof(row->collective), "%s", collective);
	snprintf(row->algorithm, sizeof(row->algorithm), "%s", algorithm);
}

/* Whatever is asked for has taken a millisecond. */
int __wrap_hosts_run(struct hosts_run *run, const char *before, const char *format, ...)
{
	static const char *const algorithms[] = { "auto", "conventional", "stream", "leader",
						  "leaders" };
	const char *hosts, *size, *calls;
	char words[256];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	run->count = 0;
	assert_true(nr_runs < MOST_RUNS);
	hosts = strstr(words, "--hosts ");
	runs[nr_runs].hosts = hosts ? (unsigned int)atoi(hosts + strlen("--hosts ")) : 1;
	if (sscanf(before, "PIMDIMM_THREADS=%u", &runs[nr_runs].threads) != 1)
		runs[nr_runs].threads = 0;
	nr_runs++;
	size = strstr(words, "-b ");
	assert_non_null(size);
	runs[nr_runs - 1].bytes = strtoull(size + 3, NULL, 10);
	calls = strstr(words, "-n ");
	runs[nr_runs - 1].calls = calls ? (unsigned int)atoi(calls + 3) : 0;
	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++)
		for (size_t a = 0; a < ARRAY_SIZE(algorithms); a++)
			if (!missing || !strstr(words, missing))
				add_row(run, pc_collective_name((enum pc_collective)id),
					algorithms[a], strtoull(size + 3, NULL, 10));
	return TOOL_OK;
}

/* a suite that prints nothing, and its table */
static struct perf_targets *targets_at(uint64_t bytes, void (*measure)(struct perf_targets *t))
{
	static struct perf_args args;
	static struct perf_suite suite;
	static struct perf_targets t;

	args = (struct perf_args){ .begin = bytes, .end = bytes, .given_sizes = true };
	suite = (struct perf_suite){ .args = &args, .how.iters = 7 };
	suite.report.format = PERF_CSV;
	suite.report.out = fopen("/dev/null", "w");
	assert_non_null(suite.report.out);
	t = (struct perf_targets){ .suite = &suite };
	nr_runs = 0;
	measure(&t);
	fclose(suite.report.out);
	assert_int_equal(suite.status, TOOL_OK);
	return &t;
}

static struct perf_targets *targets_of(void (*measure)(struct perf_targets *t))
{
	return targets_at(131072, measure);
}

/* One process has as many threads as hosts have, no more than processors, and at least two. */
static void cubes_threads(void **state)
{
	static const struct {
		unsigned int cpus, each[3], one[3];	/* of 2, 4 and 8 hosts */
		const char *name;			/* of 4 hosts */
	} machines[] = {
		{ 1, { 1, 1, 1 }, { 2, 2, 2 }, "4 hosts x 1 by one process x 2" },
		{ 2, { 1, 1, 1 }, { 2, 2, 2 }, "4 hosts x 1 by one process x 2" },
		{ 6, { 1, 1, 1 }, { 2, 4, 6 }, "4 hosts x 1 by one process x 4" },
		{ 16, { 1, 4, 2 }, { 2, 16, 16 }, "4 hosts x 4 by one process x 16" },
	};

	(void)state;
	for (size_t m = 0; m < ARRAY_SIZE(machines); m++) {
		struct perf_targets *t;
		unsigned int seen = 0;

		cpus = machines[m].cpus;
		t = targets_of(hosts_cubes_targets);
		assert_int_equal(t->count, 4);
		assert_memory_equal(t->list[1].name, machines[m].name, strlen(machines[m].name));
		for (unsigned int i = 0; i + 1 < nr_runs; i += 2) {
			unsigned int h = runs[i + 1].hosts == 2 ? 0 : runs[i + 1].hosts / 4;

			assert_int_equal(runs[i].hosts, 1);
			assert_int_equal(runs[i].threads, machines[m].one[h]);
			assert_int_equal(runs[i + 1].threads, machines[m].each[h]);
			seen |= 1u << h;
		}
		assert_int_equal(seen, 7);
	}
}

static unsigned int runs_at(uint64_t bytes, unsigned int calls)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr_runs; i++)
		n += runs[i].bytes == bytes && runs[i].calls == calls;
	return n;
}

/* Runs of large sizes take long to begin: there is one of each, where small ones have three. */
static void large_sizes_run_once(void **state)
{
	(void)state;
	cpus = 2;
	targets_of(hosts_cubes_targets);
	assert_int_equal(runs_at(131072, 7), 3 * 3 * 2);
	assert_int_equal(runs_at(256, 200), 3 * 2);
	assert_int_equal(nr_runs, 3 * 3 * 2 + 3 * 2);
	targets_at(1 << 20, hosts_cubes_targets);
	if (nr_runs == 3 * 2) {
		print_message("# there is no memory for 1M a PE\n");
		return;
	}
	assert_int_equal(runs_at(1 << 20, 3), 3 * 2);
	assert_int_equal(nr_runs, 3 * 2 + 3 * 2);
}

/* What was measured on 2 machines alone is no least of 2 and 4. */
static void machines_not_measured(void **state)
{
	struct perf_targets *t;

	(void)state;
	cpus = 2;
	t = targets_of(hosts_between_targets);
	assert_int_equal(t->count, 4);
	for (unsigned int i = 0; i < t->count; i++)
		assert_true(t->list[i].measured);
	assert_true(t->list[1].figure == 1);
	missing = "--hosts 4";
	t = targets_of(hosts_between_targets);
	missing = NULL;
	assert_false(t->list[0].measured);
	assert_false(t->list[1].measured);
	assert_true(t->list[2].measured);
	assert_true(t->list[3].measured);
}

static unsigned int columns_of(const struct perf_grid *grid, const char *series, bool paper)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < grid->nr_columns; i++)
		n += !strcmp(grid->columns[i].series, series) && grid->columns[i].paper == paper;
	return n;
}

/* Figure 16a has room for all opponents, and nothing of ours for those of the paper alone. */
static void papers_alone(void **state)
{
	static struct perf_figure figure;
	struct perf_grid grid;
	double most[HOSTS_OPPONENTS];

	(void)state;
	for (unsigned int o = 0; o < HOSTS_OPPONENTS; o++) {
		most[o] = 2;
		perf_figure_add(&figure, "2", hosts_opponent_name(o), 2, NAN);
	}
	for (unsigned int i = 0; i < 2; i++)
		perf_figure_add(&figure, "2", i ? "DPML" : "RG", 2, 2.5);
	hosts_beside_largest(&figure, "largest", most);
	perf_grid_make(&grid, &figure);
	assert_int_equal(columns_of(&grid, "Open MPI", false), 1);
	assert_int_equal(columns_of(&grid, "Open MPI", true), 1);
	assert_int_equal(columns_of(&grid, "XPMEM", false), 0);
	assert_int_equal(columns_of(&grid, "XPMEM", true), 1);
	assert_true(perf_grid_value(&grid, grid.nr_x - 1, grid.nr_columns - 1) == 1.5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cubes_threads),
	cmocka_unit_test(large_sizes_run_once),
	cmocka_unit_test(machines_not_measured),
	cmocka_unit_test(papers_alone),
};

UNIT_MAIN(tests)
