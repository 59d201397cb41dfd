// SPDX-License-Identifier: MIT
/* Targets of small calls, of memory, and of counters. */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "tools/perf/check.h"
#include "tools/perf/counters.h"
#include "tools/perf/runners/library.h"
#include "tools/perf/suites/targets_fixed.h"
#include "tools/tool.h"

void perf_targets_fixed_cost(struct perf_targets *t)
{
	static const char *const direct[] = { "direct" };

	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		struct perf_case c = perf_suite_case(t->suite, id);
		struct perf_row row;

		perf_suite_square(&c, PIMDIMM_RANK_PES);
		c.bytes = 64;
		perf_suite_measure(t->suite, &c, direct, 1, &row);
		perf_target_add(t, 2, row.median / 1e3,
				"%s: microseconds of 64 bytes on 64 PEs",
				pc_collective_name(id));
		perf_target_at_most(t);
	}
}

/* KiB of a line of /proc/self/status; NAN where there is none */
static double status_kib(const char *key)
{
	uint64_t kib = tool_number_in("/proc/self/status", key, 1);

	return kib == UINT64_MAX ? NAN : (double)kib;
}

/* begin the resident set's peak anew */
static bool forget_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, "5", 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

/* MiB that calls took at most, all they touch having been there before */
static double peak_of(struct perf_suite *suite, const struct perf_case *c,
		      const char *name)
{
	struct perf_setup setup;
	struct perf_rig rig;
	double before = NAN;

	suite->status = perf_rig_open(&rig, &suite->how, c, perf_mram_bytes(c));
	if (suite->status)
		return NAN;
	suite->status = perf_setup_make(&setup, &rig, c, suite->how.seed);
	if (!suite->status) {
		suite->status = perf_fill(&setup);
		if (forget_peak())
			before = status_kib("VmRSS:");
		if (pidcomm_set_algorithm(rig.hc, NULL, name) ||
		    perf_run_library(&setup, name))
			suite->status = tool_error("%s", pimdimm_errmsg());
		perf_setup_free(&setup);
	}
	before = status_kib("VmHWM:") - before;
	perf_rig_close(&rig);
	return before > 0 || isnan(before) ? before / 1024 : 0;
}

void perf_targets_memory(struct perf_targets *t)
{
	static const char *const names[] = { "auto", "direct" };
	struct perf_suite *suite = t->suite;

	for (size_t i = 0; i < TOOL_COUNT(names); i++) {
		double most = 0;

		perf_suite_release(suite);
		for (unsigned int id = 0;
		     id < PC_NR_COLLECTIVES && !suite->status; id++) {
			struct perf_case c = perf_suite_case(suite, id);
			double peak = peak_of(suite, &c, names[i]);

			most = isnan(peak) || peak > most ? peak : most;
		}
		perf_target_add(t, 4, most, "MiB that %s takes, the eight",
				names[i]);
		perf_target_at_most(t);
	}
}

/* how many algorithms count otherwise than their definition */
static unsigned int counting_otherwise(struct perf_suite *suite,
			      const struct perf_case *c)
{
	static const char *const names[] = { "auto", "direct", "conventional",
					     "ring", "tree", "pr", "pr+im",
					     "pr+im+cm" };
	struct perf_setup setup;
	struct perf_rig rig;
	unsigned int n = 0;

	suite->status = perf_rig_open(&rig, &suite->how, c, perf_mram_bytes(c));
	if (suite->status)
		return 0;
	suite->status = perf_setup_make(&setup, &rig, c, suite->how.seed);
	for (size_t i = 0; i < TOOL_COUNT(names) && !suite->status; i++) {
		if (!perf_serves(c, names[i]))
			continue;
		if (pidcomm_set_algorithm(rig.hc, pc_collective_name(c->id),
					  names[i]) ||
		    perf_run_library(&setup, names[i]))
			suite->status = tool_error("%s", pimdimm_errmsg());
		else
			n += !perf_counters_agree(&setup, names[i]);
	}
	perf_setup_free(&setup);
	perf_rig_close(&rig);
	return n;
}

void perf_targets_counters(struct perf_targets *t)
{
	static const char *const axes[] = { "10", "01", "11" };
	struct perf_suite *suite = t->suite;
	unsigned int n = 0;

	perf_suite_release(suite);
	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		for (unsigned int i = 0; i < 6 && !suite->status; i++) {
			struct perf_case c = perf_suite_case(suite, id);

			perf_suite_square(&c, PIMDIMM_RANK_PES);
			perf_suite_axes(&c, axes[i % 3]);
			c.bytes = 1024;
			c.type = i < 3 ? PIDCOMM_I32 : PIDCOMM_I8;
			n += counting_otherwise(suite, &c);
		}
	}
	perf_target_add(t, 0, n, "calls that count otherwise than the formulas");
	perf_target_at_most(t);
}
