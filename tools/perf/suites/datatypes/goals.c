// SPDX-License-Identifier: MIT
/* Goals of one run: ratios of medians that were measured in turn. */
#include <math.h>
#include <string.h>

#include "tools/perf/suites/datatypes/goals.h"
#include "tools/perf/suites/datatypes/results.h"
#include "tools/perf/suites/targets_table.h"
#include "tools/tool.h"

/* faces of a PE up to here are exchanged several times as fast as lane by lane */
#define SHORT_FACES	(UINT64_C(16) << 10)
#define LANES_FACTOR	5.0
/* bytes of the vectors of the paper's figures 6 and 8 */
#define VECTOR_BYTES	(UINT64_C(2) << 20)

/* of many ratios; NAN: of none */
struct spread {
	double logs, least, best;
	unsigned int count;
};

static void spread_add(struct spread *s, double ratio)
{
	if (!isfinite(ratio))
		return;
	s->logs += log(ratio);
	s->least = s->count && s->least < ratio ? s->least : ratio;
	s->best = s->count && s->best > ratio ? s->best : ratio;
	s->count++;
}

static double spread_mean(const struct spread *s)
{
	return s->count ? exp(s->logs / s->count) : NAN;
}

static double spread_least(const struct spread *s)
{
	return s->count ? s->least : NAN;
}

static double spread_best(const struct spread *s)
{
	return s->count ? s->best : NAN;
}

static bool is_long_vector(const struct ddt_result *r)
{
	return !strcmp(r->kernel, "vector") && r->message == VECTOR_BYTES;
}

/* the faster MPI's time by ours, of applications' kernels or of the paper's vectors */
static struct spread over_mpi(const char *operation, bool vectors)
{
	struct spread s = { 0 };
	const struct ddt_result *r;

	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (ddt_result_is(r, "pair", operation, "typed") &&
		    (vectors ? is_long_vector(r) : !r->between))
			spread_add(&s, ddt_result_mpi(r) / r->median);
	}
	return s;
}

static struct spread by_plain(const char *context, const char *operation)
{
	struct spread s = { 0 };
	const struct ddt_result *r;

	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (ddt_result_is(r, context, operation, "typed"))
			spread_add(&s, r->median / ddt_result_of(r, operation, "plain"));
	}
	return s;
}

/* of faces that are short, lane by lane by typed */
static struct spread lanes_by_typed(uint32_t nr_pes)
{
	struct spread s = { 0 };
	const struct ddt_result *r;

	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (ddt_result_is(r, "halo", "halo", "typed") &&
		    r->bytes / nr_pes / 6 <= SHORT_FACES)
			spread_add(&s, ddt_result_of(r, "halo", "lanes") / r->median);
	}
	return s;
}

static void add_pair(struct perf_targets *t)
{
	const struct spread kernels = over_mpi("latency", false);
	const struct spread latency = over_mpi("latency", true);
	const struct spread one = over_mpi("bandwidth", true), both = over_mpi("both", true);

	perf_target_add(t, 4.5, spread_mean(&kernels),
			"DDTBench, two processes: faster MPI's time over ours, mean");
	perf_target_add(t, 8, spread_best(&kernels), "DDTBench, two processes: best");
	perf_target_add(t, 1.5, spread_least(&kernels), "DDTBench, two processes: least");
	perf_target_add(t, 5, spread_mean(&latency), "vector 2 MiB, blocks 128 B up: latency, mean");
	perf_target_add(t, 2.5, spread_least(&latency), "vector 2 MiB: latency, least");
	perf_target_add(t, 1.8, spread_mean(&one), "vector 2 MiB: bandwidth, mean");
	perf_target_add(t, 1.8, spread_mean(&both), "vector 2 MiB: bandwidth both ways, mean");
}

void ddt_goals_print(struct perf_suite *suite)
{
	static const char *const operations[] = { "push", "pull", "move" };
	static struct perf_targets t;
	struct spread s;

	t = (struct perf_targets){ .suite = suite };
	add_pair(&t);
	for (size_t i = 0; i < TOOL_COUNT(operations); i++) {
		s = by_plain("mram", operations[i]);
		perf_target_add(&t, 0.80, spread_mean(&s), "%s by a plain strided loop, mean",
				operations[i]);
		perf_target_at_most(&t);
	}
	s = by_plain("halo", "halo");
	perf_target_add(&t, 0.80, spread_mean(&s), "halo by a plain strided loop, mean");
	perf_target_at_most(&t);
	s = lanes_by_typed(suite->rig.nr_pes);
	perf_target_add(&t, LANES_FACTOR, spread_least(&s),
			"halo, faces to 16 KiB: lane by lane over it, least");
	perf_targets_print(&t);
}
