// SPDX-License-Identifier: MIT
/*
 * YHCCL's figure 3 and tables 4 and 5: copies out of shared memory by slices and stores, and
 * copies by the kernel (CMA) beside those through shared memory. Ways take turns in hosts that
 * are forked for it, and what each copies is compared.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/hosts/team.h"
#include "tools/inside.h"
#include "tools/perf/runners/lines.h"
#include "tools/perf/suites/hosts/figures.h"
#include "tools/perf/suites/hosts/rows.h"
#include "tools/tool.h"

#define HOSTS		2u
#define MOST_WAYS	4u
#define MOST_CALLS	64u
#define LINE		64u
#define SLICE		(UINT64_C(256) << 10)	/* of shared memory, of which a host has two */

/* a host while it copies */
struct copies {
	struct tool_team team;
	uint64_t bytes, slice;	/* of a host's message */
	uint8_t *src, *dst;	/* src: of shared memory */
	const uint8_t *from[HOSTS];	/* everyone's */
	struct copies_peer {
		uint64_t pid, address;
	} peers[HOSTS];
};

/* of a way, over the calls: in memory that the process shares with its parent */
struct copies_result {
	double ns, least;
	uint64_t wrong;		/* bytes */
	int refused;		/* errno */
};

struct copies_way {
	const char *name;
	int (*run)(struct copies *c);	/* 0, or a negative errno after no message */
	bool (*receives)(const struct copies *c);
	uint32_t (*sender)(const struct copies *c);
};

static uint8_t byte_of(uint32_t host, uint64_t i)
{
	return (uint8_t)(host * 101 + i + i / 251);
}

static uint32_t before(const struct copies *c)
{
	return (c->team.host + c->team.count - 1) % c->team.count;
}

static uint32_t first(const struct copies *c)
{
	(void)c;
	return 0;
}

static bool all_receive(const struct copies *c)
{
	(void)c;
	return true;
}

static bool others_receive(const struct copies *c)
{
	return c->team.host;
}

/* figure 3 and table 4: what the host before has put into shared memory, slice by slice */

static int by_memmove(struct copies *c)
{
	for (uint64_t at = 0; at < c->bytes; at += c->slice)
		memmove(c->dst + at, c->from[before(c)] + at, c->slice);
	return 0;
}

static int by_t_copy(struct copies *c)
{
	for (uint64_t at = 0; at < c->bytes; at += c->slice)
		perf_lines()->copy(c->dst + at, LINE, c->from[before(c)] + at, LINE,
				   c->slice / LINE);
	return 0;
}

static int by_nt_copy(struct copies *c)
{
	for (uint64_t at = 0; at < c->bytes; at += c->slice) {
		perf_lines()->copy_stream(c->dst + at, LINE, c->from[before(c)] + at, LINE,
					  c->slice / LINE);
		perf_lines()->fence();
	}
	return 0;
}

static const struct copies_way stores[] = {
	{ "memmove", by_memmove, all_receive, before },
	{ "t-copy", by_t_copy, all_receive, before },
	{ "nt-copy", by_nt_copy, all_receive, before },
};

/* table 5 */

static int read_of(struct copies *c, uint32_t host)
{
	for (uint64_t at = 0; at < c->bytes;) {
		const struct iovec here = { c->dst + at, c->bytes - at };
		const struct iovec there = { (void *)(uintptr_t)(c->peers[host].address + at),
					     c->bytes - at };
		ssize_t n = process_vm_readv((pid_t)c->peers[host].pid, &here, 1, &there, 1, 0);

		if (n <= 0)
			return n ? -errno : -EIO;
		at += (uint64_t)n;
	}
	return 0;
}

static int cma_to_all(struct copies *c)
{
	return c->team.host ? read_of(c, 0) : 0;
}

static int cma_ring(struct copies *c)
{
	return read_of(c, before(c));
}

static int shared_to_all(struct copies *c)
{
	return pimdimm_hosts_broadcast(c->team.hosts, c->team.host ? c->dst : c->src, c->bytes, 0);
}

/* Two slices of each host: while one is filled, the other is copied out. */
static int shared_ring(struct copies *c)
{
	uint8_t *slots = c->src + c->bytes;
	const uint8_t *other = c->from[before(c)] + c->bytes;

	for (uint64_t at = 0; at < c->bytes; at += SLICE) {
		const uint64_t n = c->bytes - at < SLICE ? c->bytes - at : SLICE;
		const uint64_t slot = at / SLICE % 2 * SLICE;

		memcpy(slots + slot, c->src + at, n);
		if (pimdimm_hosts_barrier(c->team.hosts))
			return -EIO;
		memcpy(c->dst + at, other + slot, n);
	}
	return 0;
}

static const struct copies_way transfers[] = {
	{ "one to all, CMA", cma_to_all, others_receive, first },
	{ "one to all, shared", shared_to_all, others_receive, first },
	{ "ring, CMA", cma_ring, all_receive, before },
	{ "ring, shared", shared_ring, all_receive, before },
};

/* Everyone knows whether all could; 0, or TOOL_FAILED after a message. */
static int all_could(struct copies *c, int ret, int *refused)
{
	uint64_t most = ret < 0 ? (uint64_t)-ret : 0;

	if (tool_team_most(&c->team, &most, 1))
		return TOOL_FAILED;
	*refused = (int)most;
	return TOOL_OK;
}

static int check_way(struct copies *c, const struct copies_way *way, struct copies_result *r)
{
	uint64_t wrong = 0;

	memset(c->dst, 0xa5, c->bytes);
	if (pimdimm_hosts_barrier(c->team.hosts))
		return tool_error("%s: %s", way->name, pimdimm_errmsg());
	if (all_could(c, way->run(c), &r->refused))
		return TOOL_FAILED;
	if (r->refused)
		return TOOL_OK;
	for (uint64_t i = 0; i < c->bytes && way->receives(c); i++)
		wrong += c->dst[i] != byte_of(way->sender(c), i);
	if (tool_team_sum(&c->team, &wrong))
		return TOOL_FAILED;
	r->wrong = wrong;
	return TOOL_OK;
}

/* The slowest host's nanoseconds. */
static int time_way(struct copies *c, const struct copies_way *way, double *ns)
{
	uint64_t took, start;
	int ret;

	if (pimdimm_hosts_barrier(c->team.hosts))
		return tool_error("%s: %s", way->name, pimdimm_errmsg());
	start = tool_now();
	ret = way->run(c);
	took = tool_now() - start;
	if (ret)
		return tool_error("%s: %s", way->name, strerror(-ret));
	if (tool_team_most(&c->team, &took, 1))
		return TOOL_FAILED;
	*ns = (double)took;
	return TOOL_OK;
}

static int run_ways(struct copies *c, const struct copies_way *ways, unsigned int count,
		    unsigned int calls, struct copies_result *results)
{
	double times[MOST_WAYS][MOST_CALLS];
	int ret = 0;

	calls = calls < MOST_CALLS ? calls : MOST_CALLS;
	for (unsigned int w = 0; w < count && !ret; w++)
		ret = check_way(c, &ways[w], &results[w]);
	for (unsigned int k = 0; k < calls; k++) {
		for (unsigned int w = 0; w < count && !ret; w++)
			ret = results[w].refused ? 0 : time_way(c, &ways[w], &times[w][k]);
	}
	for (unsigned int w = 0; w < count && !ret; w++) {
		results[w].ns = results[w].refused ? NAN : hosts_median(times[w], calls);
		results[w].least = results[w].refused ? NAN : times[w][0];
	}
	return ret;
}

/* A message in shared memory with slots behind it, and room for one that comes. */
static int prepare(struct copies *c)
{
	const uint64_t all = c->bytes + 2 * SLICE;
	struct copies_peer own;
	void *shared;

	if (pimdimm_hosts_alloc(c->team.hosts, all, &shared) ||
	    pimdimm_hosts_set_algorithm(c->team.hosts, "broadcast", "pipelined"))
		return tool_error("%s", pimdimm_errmsg());
	c->src = shared;
	c->dst = aligned_alloc(4096, (c->bytes + 4095) / 4096 * 4096);
	if (!c->dst)
		return tool_error("no memory for %s", tool_size(c->bytes));
	for (uint64_t i = 0; i < c->bytes; i++)
		c->src[i] = byte_of(c->team.host, i);
	for (uint32_t i = 0; i < c->team.count; i++)
		c->from[i] = pc_hosts_at(c->team.hosts, i,
					 pc_hosts_place_of(c->team.hosts, shared, all), all);
	/* as MPI libraries have it, where the kernel asks who may read */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	own = (struct copies_peer){ (uint64_t)getpid(), (uint64_t)(uintptr_t)c->src };
	if (pimdimm_hosts_allgather(c->team.hosts, &own, c->peers, sizeof(own)))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

/* what hosts that are forked do */
struct copies_job {
	const struct copies_way *ways;
	unsigned int count, calls;
	uint64_t bytes, slice;
};

static int run_job(const struct copies_job *job, struct copies_result *results)
{
	struct copies c = { .bytes = job->bytes, .slice = job->slice };
	int ret = tool_team_start(&c.team, HOSTS);

	if (!ret)
		ret = prepare(&c);
	if (!ret)
		ret = run_ways(&c, job->ways, job->count, job->calls, results);
	free(c.dst);
	return tool_team_end(&c.team, ret);
}

static int measure_job(const struct copies_job *job, struct copies_result *results)
{
	const size_t room = MOST_WAYS * sizeof(*results);
	struct copies_result *shared = mmap(NULL, room, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return tool_error("no memory for results of copies");
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(run_job(job, shared));
	if (pid > 0)
		waitpid(pid, &status, 0);
	memcpy(results, shared, room);
	munmap(shared, room);
	return status ? tool_error("copies of %s by %u hosts have not been measured",
				   tool_size(job->bytes), HOSTS) : TOOL_OK;
}

/* Rows of those that ran. */
static void put_results(struct perf_suite *suite, const char *figure, const struct copies_job *job,
			const struct copies_result *results)
{
	for (unsigned int w = 0; w < job->count; w++) {
		const struct copies_result *r = &results[w];

		if (r->refused) {
			perf_report_absent(&suite->report, job->ways[w].name, strerror(r->refused));
			continue;
		}
		hosts_row_put(suite, &(struct hosts_row){
			.figure = figure, .collective = "copy", .algorithm = job->ways[w].name,
			.where = "mapped", .type = "-", .op = "-", .bytes = job->slice,
			.hosts = HOSTS, .machines = 1, .ns = r->ns, .least = r->least,
			.touched = NAN, .sent = NAN, .wrong = r->wrong });
	}
}

static bool measure_copies(struct perf_suite *suite, const struct perf_figure *figure,
			   const struct copies_job *job, struct copies_result *results)
{
	suite->status = perf_interrupted() ? tool_error("interrupted") : measure_job(job, results);
	if (suite->status)
		return false;
	put_results(suite, figure->number, job, results);
	return true;
}

/* Each host copies so much, by slices. */
static bool measure_slices(struct perf_suite *suite, const struct perf_figure *figure,
			   uint64_t bytes, uint64_t slice, struct copies_result *results)
{
	const struct copies_job job = { stores, TOOL_COUNT(stores), suite->how.iters,
					bytes / slice * slice, slice };

	return measure_copies(suite, figure, &job, results);
}

/* What hosts copy out: four times the largest size that is asked for. */
static uint64_t copied(const struct perf_suite *suite)
{
	return suite->args->end / LINE * LINE * 4;
}

void hosts_figure_y3(struct perf_suite *suite, struct perf_figure *figure)
{
	const uint64_t most = copied(suite) / 4;

	for (uint64_t slice = suite->args->begin / LINE * LINE; slice <= most;
	     slice *= HOSTS_FACTOR) {
		const uint64_t bytes = copied(suite) / slice * slice;
		struct copies_result results[MOST_WAYS];

		if (!measure_slices(suite, figure, bytes, slice, results))
			return;
		for (unsigned int w = 0; w < TOOL_COUNT(stores); w++)
			perf_figure_add(figure, tool_size(slice), stores[w].name,
					2.0 * HOSTS * (double)bytes / results[w].ns, NAN);
	}
}

/* GB/s of the paper's node A, 64 cores; here rates by memmove's, as machines differ. */
void hosts_table_y4(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct {
		uint64_t slice;
		double papers[TOOL_COUNT(stores)];
	} sizes[] = { { UINT64_C(512) << 10, { 147, 152, 237 } },
		      { UINT64_C(1) << 20, { 150, 153, 240 } },
		      { UINT64_C(2) << 20, { 232, 158, 238 } } };

	for (size_t i = 0; i < TOOL_COUNT(sizes); i++) {
		const uint64_t slice = sizes[i].slice;
		/* slices are what the paper's are, however little is copied */
		const uint64_t bytes = copied(suite) < slice ? slice : copied(suite);
		struct copies_result results[MOST_WAYS];

		if (!measure_slices(suite, figure, bytes, slice, results))
			return;
		for (unsigned int w = 1; w < TOOL_COUNT(stores); w++)
			perf_figure_add(figure, tool_size(slice), stores[w].name,
					results[0].ns / results[w].ns,
					sizes[i].papers[w] / sizes[i].papers[0]);
	}
}

void hosts_table_y5(struct perf_suite *suite, struct perf_figure *figure)
{
	const uint64_t most = UINT64_C(32) << 20;
	const uint64_t bytes = copied(suite) < most ? copied(suite) : most;
	const struct copies_job job = { transfers, TOOL_COUNT(transfers), suite->how.iters, bytes,
					bytes };
	struct copies_result results[MOST_WAYS];

	if (!measure_copies(suite, figure, &job, results) || isnan(results[0].ns))
		return;
	perf_figure_add(figure, "one to all", "CMA", results[0].ns / results[1].ns, 4.35);
	perf_figure_add(figure, "ring", "CMA", results[2].ns / results[3].ns, 1.58);
}
