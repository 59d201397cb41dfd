// SPDX-License-Identifier: MIT
/*
 * Figure 5a of Chen et al.: what a call costs whatever its size. There, handles are exchanged and
 * opened in every call; here once, when a hypercube is made, and there is no launch.
 */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/hosts/team.h"
#include "tools/perf/runners/compare.h"
#include "tools/perf/suites/hosts/figures.h"
#include "tools/perf/suites/hosts/rows.h"
#include "tools/tool.h"

#define HOSTS		2u
#define PES		64u	/* of a host */
#define PAPER_HANDLES	74	/* us, of every call */
#define PAPER_KERNEL	273	/* us, up to 128 KB */
#define PAPER_CONSTANT	(UINT64_C(128) << 10)
/* beyond, the bytes of a vector are what takes time */
#define MOST		(UINT64_C(1) << 20)

/* in memory that the process shares with its parent */
struct fixed_result {
	double handles, call, least;	/* ns */
	uint64_t wrong;
};

static int measure_made(struct perf_rig *rig, const struct perf_case *c,
			const struct perf_how *how, struct fixed_result *r)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	static const char *const names[] = { "auto" };
	struct perf_row row = { 0 };

	/* of the making, before a call has counted anything else */
	if (pidcomm_hosts_stats(rig->hc, &stats))
		return tool_error("%s", pimdimm_errmsg());
	if (tool_team_most(how->team, &stats.ns_handles, 1) ||
	    perf_measure_case(rig, c, how, names, 1, &row))
		return TOOL_FAILED;
	*r = (struct fixed_result){ (double)stats.ns_handles, row.median, row.min, row.wrong };
	return TOOL_OK;
}

static int run_fixed(const struct perf_suite *suite, uint64_t vector, struct fixed_result *r)
{
	struct perf_case c = { .id = PC_ALLREDUCE, .ndims = 2, .dims = { PES, HOSTS },
			       .axes = "01", .bytes = vector / PES, .type = PIDCOMM_I32,
			       .op = PIDCOMM_SUM };
	struct perf_how how = suite->how;
	struct tool_team team;
	struct perf_rig rig;
	int ret = tool_team_start(&team, HOSTS);

	how.team = &team;
	if (!ret)
		ret = perf_rig_open(&rig, &how, &c, perf_mram_bytes(&c));
	if (!ret) {
		ret = measure_made(&rig, &c, &how, r);
		perf_rig_close(&rig);
	}
	return tool_team_end(&team, ret);
}

/* In processes of its own, as hosts are forked from one without threads. */
static int measure_fixed(const struct perf_suite *suite, uint64_t vector, struct fixed_result *r)
{
	struct fixed_result *shared = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return tool_error("no memory for a result");
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(run_fixed(suite, vector, shared));
	if (pid > 0)
		waitpid(pid, &status, 0);
	*r = *shared;
	munmap(shared, sizeof(*r));
	return status ? tool_error("allreduce of %s by %u hosts has not been measured",
				   tool_size(vector), HOSTS) : TOOL_OK;
}

static void put_fixed(struct perf_suite *suite, const char *figure, uint64_t vector,
		      const struct fixed_result *r)
{
	struct hosts_row row = { .figure = figure, .collective = "allreduce",
				 .algorithm = "handles", .where = "mram", .type = "i32",
				 .op = "sum", .bytes = vector / PES, .hosts = HOSTS, .machines = 1,
				 .ns = r->handles, .least = NAN, .touched = NAN, .sent = NAN };

	hosts_row_put(suite, &row);
	row.algorithm = "auto";
	row.ns = r->call;
	row.least = r->least;
	row.wrong = r->wrong;
	hosts_row_put(suite, &row);
}

void hosts_figure_g5a(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct perf_args *args = suite->args;
	const uint64_t least = 8 * HOSTS * PES;

	for (uint64_t vector = args->begin < least ? least : args->begin / least * least;
	     vector <= args->end && vector <= MOST; vector *= 2) {
		struct fixed_result r = { 0 };

		suite->status = perf_interrupted() ? tool_error("interrupted") :
						     measure_fixed(suite, vector, &r);
		if (suite->status)
			return;
		put_fixed(suite, figure->number, vector, &r);
		perf_figure_add(figure, tool_size(vector), "handles, once", r.handles / 1e3,
				PAPER_HANDLES);
		perf_figure_add(figure, tool_size(vector), "a call", r.call / 1e3,
				vector <= PAPER_CONSTANT ? PAPER_KERNEL : NAN);
	}
}
