// SPDX-License-Identifier: MIT
/* What every suite needs: a rig that fits, sizes and shapes, a report. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cases.h"
#include "tools/perf/plot.h"
#include "tools/perf/runners/compare.h"
#include "tools/perf/suites/suite.h"
#include "tools/tool.h"

struct perf_case perf_suite_case(const struct perf_suite *suite,
				 enum pc_collective id)
{
	struct perf_case c = suite->args->shapes[0];

	c.id = id;
	c.bytes = suite->args->begin;
	c.type = PIDCOMM_I32;
	c.op = PIDCOMM_SUM;
	perf_suite_axes(&c, "10");
	return c;
}

void perf_suite_axes(struct perf_case *c, const char *axes)
{
	snprintf(c->axes, sizeof(c->axes), "%s", axes);
}

void perf_suite_square(struct perf_case *c, uint32_t pes)
{
	c->ndims = 2;
	memset(c->dims, 0, sizeof(c->dims));
	c->dims[0] = 1;
	while (c->dims[0] * c->dims[0] < pes)
		c->dims[0] *= 2;
	c->dims[1] = pes / c->dims[0];
}

uint64_t perf_suite_next(const struct perf_suite *suite,
			 const struct perf_case *c, uint64_t factor)
{
	struct perf_case next = *c;

	next.bytes *= factor;
	if (next.bytes > suite->args->end ||
	    perf_fitting(&next, PIMDIMM_MRAM_MAX, 1) != next.bytes)
		return 0;
	return next.bytes;
}

void perf_suite_release(struct perf_suite *suite)
{
	if (suite->rig.sys)
		perf_rig_close(&suite->rig);
}

int perf_suite_rig(struct perf_suite *suite, const struct perf_case *c)
{
	uint64_t mram = perf_mram_bytes(c);
	int ret;

	if (suite->rig.sys && mram <= suite->rig_mram &&
	    c->ndims == suite->rig_case.ndims &&
	    !memcmp(c->dims, suite->rig_case.dims, sizeof(c->dims)))
		return TOOL_OK;
	perf_suite_release(suite);
	suite->rig_case = *c;
	suite->rig_mram = mram;
	ret = perf_rig_open(&suite->rig, &suite->how, c, mram);
	if (!ret && !suite->headed)
		perf_report_header(&suite->report, &suite->rig, &suite->how);
	suite->headed |= !ret;
	return ret;
}

void perf_suite_measure(struct perf_suite *suite, const struct perf_case *c,
			const char *const names[], unsigned int count,
			struct perf_row *rows)
{
	memset(rows, 0, count * sizeof(*rows));
	if (suite->status)
		return;
	perf_report_progress(&suite->report, c);
	suite->status = perf_suite_rig(suite, c);
	if (!suite->status)
		suite->status = perf_measure_case(&suite->rig, c, &suite->how,
						  names, count, rows);
	for (unsigned int i = 0; i < count && !suite->status; i++)
		perf_report_row(&suite->report, &rows[i]);
}

/* 64 PEs at least, of two axes; 128 KiB to 8 MiB unless told */
int perf_suite_check_scale(const struct command *self, struct perf_args *args)
{
	struct perf_case *shape = &args->shapes[0];
	struct perf_case c;

	if (args->nr_shapes != 1 || shape->ndims != 2 ||
	    shape->dims[1] & (shape->dims[1] - 1) || perf_nr_pes(shape) < 64)
		return tool_usage(self, "a suite takes one shape of two powers of two, with 64 PEs or more");
	if (args->how.uri && args->how.uri != getenv("PIMDIMM_URI"))
		return tool_usage(self, "a suite makes its own systems: no --uri");
	args->how.uri = NULL;
	if (!args->given_sizes)
		args->end = UINT64_C(8) << 20;
	if (args->begin < 8 * perf_nr_pes(shape) ||
	    (args->begin & (args->begin - 1)))
		return tool_usage(self, "a suite begins at a power of two of at least 8 bytes for each of %u PEs",
				  perf_nr_pes(shape));
	c = *shape;
	c.id = PC_ALLTOALL;
	c.bytes = args->begin;
	if (perf_fitting(&c, PIMDIMM_MRAM_MAX, 1) == c.bytes)
		return TOOL_OK;
	return tool_usage(self, "%s a PE does not fit memory; %s would",
			  tool_size(c.bytes),
			  tool_size(perf_fitting(&c, PIMDIMM_MRAM_MAX, 1)));
}

/* Open MPI's launcher wants to be told, and would else have started nothing. */
static void allow_root(void)
{
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

static int run_kind(const struct perf_suite_kind *kind,
		    const struct command *self, const struct perf_args *args)
{
	struct perf_suite suite = { .self = self, .args = args,
				    .how = args->how };

	suite.how.baseline = false;
	if (!args->given_iters)
		suite.how.iters = 7;
	if ((args->plot && perf_plot_check(args->plot)) ||
	    perf_report_open(&suite.report, args->format, args->output))
		return TOOL_USAGE;
	allow_root();
	kind->measure(&suite);
	perf_suite_release(&suite);
	if (suite.status) {
		perf_report_drop(&suite.report);
		return suite.status;
	}
	return perf_report_close(&suite.report);
}

int perf_suite_run(const struct perf_suite_kind *kind,
		   const struct command *self, const struct perf_args *args)
{
	static struct perf_args own;

	own = *args;
	if ((own.plot || own.figures) && !kind->draws)
		return tool_usage(self, "--plot and --figures go with --suite paper, ablation, truth, apps, messages, datatypes or hosts");
	if (kind->own_scale && (own.given_sizes || own.given_shapes))
		return tool_usage(self, "--suite %s has sizes and shapes of its own", kind->name);
	if (kind->check && kind->check(self, &own))
		return TOOL_USAGE;
	return run_kind(kind, self, &own);
}
