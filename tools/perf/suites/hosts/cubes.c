// SPDX-License-Identifier: MIT
/* One process, and hosts with as many threads in all, in turns. */
#include <math.h>
#include <unistd.h>

#include "tools/inside.h"
#include "tools/perf/suites/hosts/cubes.h"
#include "tools/perf/suites/hosts/rows.h"
#include "tools/perf/suites/hosts/runs.h"
#include "tools/tool.h"

#define ROUNDS		3u
#define SIZES		8u
#define PES		1024u
#define FIRST		(UINT64_C(128) << 10)
#define LAST		(UINT64_C(8) << 20)
/*
 * From here on a run makes its data for longer than it calls, and calls are so long that a few
 * of them tell as much as many short ones.
 */
#define LONG		(UINT64_C(1) << 20)
#define LONG_CALLS	3u
/* the smallest that 32 members can have */
#define SMALLEST	256u

/* times of all collectives, at one size */
struct cubes_times {
	double one[PC_NR_COLLECTIVES], hosts[PC_NR_COLLECTIVES];
};

static int take_times(const struct hosts_run *run, uint64_t bytes, unsigned int round,
		      double times[PC_NR_COLLECTIVES][ROUNDS])
{
	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		const struct hosts_run_row *row =
			hosts_run_find(run, pc_collective_name(id), bytes, "auto");

		if (!row)
			return tool_error("%s of %s has no row", pc_collective_name(id),
					  tool_size(bytes));
		times[id][round] = row->ns;
	}
	return TOOL_OK;
}

static unsigned int host_threads(uint32_t hosts)
{
	unsigned int threads = pd_affinity_cpus() / hosts;

	return hosts == 2 || !threads ? 1 : threads;
}

/* as many as all hosts have together, of which processors run at most one each */
static unsigned int own_threads(uint32_t hosts)
{
	unsigned int threads = hosts * host_threads(hosts), cpus = pd_affinity_cpus();

	threads = threads < cpus ? threads : cpus;
	return threads < 2 ? 2 : threads;
}

static unsigned int rounds_of(uint64_t bytes)
{
	return bytes < LONG ? ROUNDS : 1;
}

static unsigned int calls_of(const struct perf_suite *suite, uint64_t bytes)
{
	const unsigned int calls = suite->how.iters;

	/* short calls are cheap */
	if (bytes == SMALLEST)
		return 200;
	return bytes < LONG || calls < LONG_CALLS ? calls : LONG_CALLS;
}

static int measure_times(struct perf_suite *suite, uint32_t hosts, uint64_t bytes,
			 struct cubes_times *t)
{
	double one[PC_NR_COLLECTIVES][ROUNDS], many[PC_NR_COLLECTIVES][ROUNDS];
	static struct hosts_run run;
	const unsigned int rounds = rounds_of(bytes), calls = calls_of(suite, bytes);
	char over[32], own[32];
	int ret = 0;

	snprintf(over, sizeof(over), "PIMDIMM_THREADS=%u", host_threads(hosts));
	snprintf(own, sizeof(own), "PIMDIMM_THREADS=%u", own_threads(hosts));
	for (unsigned int round = 0; round < rounds && !ret; round++) {
		ret = hosts_run(&run, own, "--no-baseline -b %llu -n %u",
				(unsigned long long)bytes, calls);
		if (!ret)
			ret = take_times(&run, bytes, round, one);
		if (!ret)
			ret = hosts_run(&run, over, "--no-baseline --hosts %u -b %llu -n %u", hosts,
					(unsigned long long)bytes, calls);
		if (!ret)
			ret = take_times(&run, bytes, round, many);
	}
	for (unsigned int id = 0; id < PC_NR_COLLECTIVES && !ret; id++) {
		t->one[id] = hosts_median(one[id], rounds);
		t->hosts[id] = hosts_median(many[id], rounds);
	}
	return ret;
}

static void put_times(struct perf_suite *suite, uint32_t hosts, uint64_t bytes,
		      const struct cubes_times *t)
{
	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++)
		hosts_beside_put(&suite->report, &(struct hosts_beside){
			.collective = pc_collective_name(id), .where = "mram",
			.opponent = "one process", .bytes = bytes, .hosts = hosts,
			.ours = t->hosts[id], .its = t->one[id] });
}

/* The least share of one process's speed, over the collectives; NAN after a failure. */
static double least_share(struct perf_targets *t, uint32_t hosts, uint64_t bytes,
			  double *most_more)
{
	struct perf_suite *suite = t->suite;
	struct cubes_times times;
	double low = NAN;

	if (!suite->status)
		suite->status = measure_times(suite, hosts, bytes, &times);
	if (suite->status)
		return NAN;
	put_times(suite, hosts, bytes, &times);
	*most_more = NAN;
	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		low = fmin(low, times.one[id] / times.hosts[id]);
		*most_more = fmax(*most_more, times.hosts[id] - times.one[id]);
	}
	return low;
}

/* Whether a source and a destination of all PEs, and as much again for buffers, fit. */
static bool fits(uint64_t bytes)
{
	uint64_t room = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return 5 * bytes * PES / 2 < room;
}

void hosts_cubes_targets(struct perf_targets *t)
{
	const struct perf_args *args = t->suite->args;
	const uint64_t begin = args->given_sizes && args->begin > FIRST ? args->begin : FIRST;
	const uint64_t end = args->given_sizes && args->end < LAST ? args->end : LAST;
	double low = NAN, more = NAN, unused;
	uint64_t largest = 0;

	for (uint64_t bytes = begin; bytes <= end && fits(bytes); bytes *= 4) {
		low = fmin(low, least_share(t, 2, bytes, &unused));
		largest = bytes;
	}
	perf_target_add(t, 0.90, low, "2 hosts x 1 by one process x 2, least, to %s a PE",
			largest ? tool_size(largest) : "no bytes");
	for (uint32_t hosts = 4; hosts <= 8; hosts *= 2)
		perf_target_add(t, hosts == 4 ? 0.80 : 0.70,
				largest ? least_share(t, hosts, largest, &unused) : NAN,
				"%u hosts x %u by one process x %u, the largest size%s", hosts,
				host_threads(hosts), own_threads(hosts), hosts_outnumber(hosts));
	least_share(t, 2, SMALLEST, &more);
	perf_target_add(t, 2, more / 1000, "2 hosts, %u B a PE: us more than one process, most",
			SMALLEST);
	perf_target_at_most(t);
}
