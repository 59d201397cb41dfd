// SPDX-License-Identifier: MIT
/* `--suite targets`: against the roofline and the opponents, and what else has goals. */
#include <math.h>
#include <string.h>

#include "tools/perf/suites/suites.h"
#include "tools/perf/suites/targets_fixed.h"
#include "tools/perf/suites/targets_stores.h"
#include "tools/perf/suites/targets_table.h"
#include "tools/perf/suites/targets_variants.h"
#include "tools/tool.h"

static const char *const direct[] = { "direct" };

/*
 * The worst and the best share so far. For flatness a share counts as 1 at most:
 * where a call beats the roofline, a plain loop met the caches at their worst.
 */
struct span {
	double low, high;
};

static double flatness(const struct span *span)
{
	return fmin(span->low, 1) / fmin(span->high, 1);
}

static void targets_widen(struct span *span, double share)
{
	if (share < span->low)
		span->low = share;
	if (share > span->high)
		span->high = share;
}

static const struct span empty = { INFINITY, 0 };

/* the first size is where the least of many rows counts, and repetitions are
 * cheap: as many times more, so that it is not that of the noisiest */
#define FIRST_TIMES	3

static double share_of(struct perf_targets *t, const struct perf_case *c)
{
	struct perf_how *how = &t->suite->how;
	unsigned int iters = how->iters;
	struct perf_row row;

	if (c->bytes == t->suite->args->begin)
		how->iters *= FIRST_TIMES;
	perf_suite_measure(t->suite, c, direct, 1, &row);
	how->iters = iters;
	return t->suite->status ? NAN : perf_share(&row);
}

/* Every type and operation that has a target is measured at the first size. */
static void share_of_types(struct perf_targets *t, struct perf_case c,
			   struct span *span)
{
	static const enum pidcomm_type types[] = {
		PIDCOMM_I8, PIDCOMM_I32, PIDCOMM_I64, PIDCOMM_F32, PIDCOMM_F64,
	};
	const pidcomm_op ops[] = { PIDCOMM_SUM, PIDCOMM_MIN, PIDCOMM_MAX };

	for (size_t i = 0; i < TOOL_COUNT(types); i++) {
		for (size_t j = 0; j < TOOL_COUNT(ops); j++) {
			c.type = types[i];
			c.op = ops[j];
			/* sizes have had it */
			if (c.type != PIDCOMM_I32 || c.op != PIDCOMM_SUM)
				targets_widen(span, share_of(t, &c));
		}
	}
}

static void roofline_of(struct perf_targets *t, enum pc_collective id,
			const char *axes)
{
	struct perf_case c = perf_suite_case(t->suite, id);
	struct span all = empty, sizes = empty;
	const char *name = pc_collective_name(id);

	perf_suite_axes(&c, axes);
	do {
		double share = share_of(t, &c);

		targets_widen(&sizes, share);
		targets_widen(&all, share);
		c.bytes = perf_suite_next(t->suite, &c, 4);
	} while (c.bytes && !t->suite->status);
	c.bytes = t->suite->args->begin;
	if (pc_traits[id].reduces)
		share_of_types(t, c, &all);
	perf_target_add(t, pc_traits[id].reduces ? 0.85 : 0.90, all.low,
			"%s, axes %s: share of the roofline", name, axes);
	if (!strcmp(axes, "10") && sizes.high > 0)
		perf_target_add(t, 0.85, flatness(&sizes),
				"%s: least by largest share over sizes", name);
}

static void against_roofline(struct perf_targets *t)
{
	static const char *const axes[] = { "10", "01", "11" };

	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		for (size_t i = 0; i < TOOL_COUNT(axes); i++)
			roofline_of(t, id, axes[i]);
	}
}

static void over_pes(struct perf_targets *t, enum pc_collective id)
{
	struct perf_case c = perf_suite_case(t->suite, id);
	uint32_t most = perf_nr_pes(&c);
	struct span span = empty;

	for (uint32_t pes = 64; pes <= most; pes *= 2) {
		perf_suite_square(&c, pes);
		targets_widen(&span, share_of(t, &c));
	}
	perf_target_add(t, 0.85, flatness(&span),
			"%s: least by largest share, 64 to %u PEs",
			pc_collective_name(id), most);
}

/* what an opponent takes, by direct and by the roofline of the call */
struct ratios {
	double direct[PC_NR_COLLECTIVES], roofline[PC_NR_COLLECTIVES];
};

static double targets_mean(const double ratio[PC_NR_COLLECTIVES])
{
	double sum = 0;

	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++)
		sum += log(ratio[id]);
	return exp(sum / PC_NR_COLLECTIVES);
}

/* direct against one opponent: three have goals of their own, then the mean */
static void add_opponent(struct perf_targets *t, const char *opponent,
			 const struct ratios *ratios, const double goals[4])
{
	for (unsigned int id = PC_ALLTOALL; id <= PC_ALLREDUCE; id++) {
		perf_target_add(t, goals[id], ratios->direct[id],
				"%s: %s by direct", pc_collective_name(id),
				opponent);
		perf_target_at_roofline(t, ratios->roofline[id]);
	}
	perf_target_add(t, goals[3], targets_mean(ratios->direct),
			"geometric mean of the eight: %s by direct", opponent);
	perf_target_at_roofline(t, targets_mean(ratios->roofline));
}

static void against_opponents(struct perf_targets *t)
{
	static const char *const names[] = { "direct", "conventional", "sdk" };
	struct ratios conventional, sdk;
	double copies = NAN;

	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		struct perf_case c = perf_suite_case(t->suite, id);
		struct perf_row rows[3];

		perf_suite_measure(t->suite, &c, names, 3, rows);
		/* pull, rearrange, push: a copy of everything each */
		if (id == PC_ALLTOALL)
			copies = 3 * rows[1].roofline / rows[1].median;
		conventional.direct[id] = rows[1].median / rows[0].median;
		conventional.roofline[id] = rows[1].median / rows[0].roofline;
		sdk.direct[id] = rows[2].median / rows[0].median;
		sdk.roofline[id] = rows[2].median / rows[0].roofline;
	}
	perf_target_add(t, 0.75, copies,
			"alltoall: conventional's three copies, share of theirs");
	add_opponent(t, "conventional", &conventional,
		     (const double[]){ 2.8, 2.3, 2.2, 1.6 });
	add_opponent(t, "sdk", &sdk, (const double[]){ 5.2, 4.5, 4.3, 2.9 });
}

/* the header has those of all other rows */
static void tell_repetitions(const struct perf_suite *suite)
{
	if (suite->report.format == PERF_TEXT)
		fprintf(suite->report.out,
			"#\n# rows of the first size: medians of %u repetitions; of ways to store, of as many or more\n",
			FIRST_TIMES * suite->how.iters);
}

static void measure_targets(struct perf_suite *suite)
{
	static void (*const parts[])(struct perf_targets *t) = {
		against_roofline, against_opponents, perf_targets_fixed_cost,
		perf_targets_stores, perf_targets_threads, perf_targets_tiers,
		perf_targets_memory, perf_targets_counters,
	};
	static struct perf_targets t;

	t = (struct perf_targets){ .suite = suite };
	for (size_t i = 0; i < TOOL_COUNT(parts) && !suite->status; i++)
		parts[i](&t);
	if (!suite->status) {
		over_pes(&t, PC_ALLTOALL);
		over_pes(&t, PC_ALLREDUCE);
	}
	if (suite->status)
		return;
	perf_report_clear(&suite->report);
	tell_repetitions(suite);
	perf_targets_print(&t);
}

const struct perf_suite_kind perf_suite_targets = {
	.name = "targets",
	.meaning =
	"measures each target and says whether it is met",
	.measure = measure_targets,
	.check = perf_suite_check_scale,
};
