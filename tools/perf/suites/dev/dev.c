// SPDX-License-Identifier: MIT
/*
 * `--suite dev`: what goes through the module against what does not. Calls in
 * bulk, on pages that were touched before: so it means something under user-mode
 * Linux, too, where system calls and page faults take long.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/runners/library.h"
#include "tools/perf/suites/dev/dev_report.h"
#include "tools/perf/suites/dev/dev_xfer.h"
#include "tools/perf/suites/suites.h"
#include "tools/tool.h"

static void measure_collective(struct dev_suite *s, struct perf_rig rigs[2],
		       const struct perf_case *c)
{
	struct perf_suite *suite = s->targets.suite;
	struct perf_setup setups[2] = { 0 };
	struct perf_runner r[2];

	for (unsigned int i = 0; i < 2 && !suite->status; i++) {
		r[i] = (struct perf_runner){ .setup = &setups[i],
					     .name = "auto",
					     .method = &perf_library };
		suite->status = perf_setup_make(&setups[i], &rigs[i], c,
						suite->how.seed);
	}
	dev_measure(s, r, pc_collective_name(c->id), "mem:", 0.9);
	for (unsigned int i = 0; i < 2; i++)
		perf_setup_free(&setups[i]);
}

/* every size that the collective takes and MRAM holds */
static void measure_sizes(struct dev_suite *s, struct perf_rig rigs[2],
		  struct perf_case c)
{
	uint64_t bytes = dev_first_size(s);

	for (; bytes && !s->targets.suite->status;
	     bytes = dev_next_size(s, bytes)) {
		c.bytes = bytes;
		if (perf_round(&c) && perf_mram_bytes(&c) <= s->mram)
			measure_collective(s, rigs, &c);
	}
}

static struct perf_case shape_of(const struct dev_suite *s)
{
	struct perf_case c = perf_suite_case(s->targets.suite, PC_ALLTOALL);

	perf_suite_square(&c, s->nr_pes);
	return c;
}

/* The nodes, and as many ranks of this process, of the same geometry. */
static void measure_collectives(struct dev_suite *s)
{
	struct perf_suite *suite = s->targets.suite;
	struct perf_how mem = suite->how;
	struct perf_case c = shape_of(s);
	struct perf_rig rigs[2] = { 0 };

	mem.uri = NULL;
	mem.layout = s->layout;
	suite->status = perf_rig_open(&rigs[0], &suite->how, &c, s->mram);
	if (!suite->status)
		suite->status = perf_rig_open(&rigs[1], &mem, &c, s->mram);
	for (unsigned int id = 0; id < PC_NR_COLLECTIVES && !suite->status;
	     id++) {
		c.id = id;
		measure_sizes(s, rigs, c);
	}
	for (unsigned int i = 0; i < 2; i++) {
		if (rigs[i].sys)
			perf_rig_close(&rigs[i]);
	}
}

/* what the nodes are; of their PEs as many as make a hypercube */
static int suite_dev_look(struct dev_suite *s)
{
	const struct pimdimm_geometry *g;
	struct pimdimm *sys;
	struct perf_rig rig;

	if (pimdimm_open(s->targets.suite->how.uri, &sys))
		return tool_error("%s", pimdimm_errmsg());
	g = pimdimm_geometry(sys);
	s->layout = pimdimm_layout_name(g->layout);
	s->mram = g->mram_size;
	s->nr_pes = PIMDIMM_RANK_PES;
	while (s->nr_pes * 2 <= g->nr_pes)
		s->nr_pes *= 2;
	rig = (struct perf_rig){ .sys = sys, .nr_pes = s->nr_pes };
	dev_report_begin(s->targets.suite, &rig);
	pimdimm_close(sys);
	return TOOL_OK;
}

/* The nodes that there are; in bulk, since a call and a page cost something. */
static int check_nodes(const struct command *self, struct perf_args *args)
{
	const char *uri = args->how.uri;

	if (args->given_shapes)
		return tool_usage(self, "suite dev takes the PEs that there are: no --shapes");
	if (!uri || strncmp(uri, "dev:", 4)) {
		if (uri && uri != getenv("PIMDIMM_URI"))
			return tool_usage(self, "--uri \"%s\", expected dev: for suite dev",
					  uri);
		args->how.uri = "dev:";
	}
	if (!args->given_sizes) {
		args->begin = UINT64_C(64) << 10;
		args->end = UINT64_C(1) << 20;
	}
	return TOOL_OK;
}

static void measure_dev(struct perf_suite *suite)
{
	static struct dev_suite s;

	s = (struct dev_suite){ .targets.suite = suite };
	suite->status = suite_dev_look(&s);
	if (!suite->status)
		dev_measure_transfers(&s);
	if (!suite->status)
		measure_collectives(&s);
	if (!suite->status)
		perf_targets_print(&s.targets);
}

const struct perf_suite_kind perf_suite_dev = {
	.name = "dev",
	.meaning =
	"nodes of the module: its transfers against the library's through mmap, collectives against mem:; sizes 64K to 1M",
	.measure = measure_dev,
	.check = check_nodes,
};
