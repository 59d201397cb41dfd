// SPDX-License-Identifier: MIT
/*
 * `--suite dev`: what goes through the module against what does not. Calls in
 * bulk, on pages that were touched before: so it means something under user-mode
 * Linux, too, where system calls and page faults take long.
 */
#include "tools/inside.h"
#include "tools/perf/suites/dev.h"

/* from size to size */
#define FACTOR 4

uint64_t dev_first_size(const struct dev_suite *s)
{
	return s->targets.suite->args->begin;
}

uint64_t dev_next_size(const struct dev_suite *s, uint64_t bytes)
{
	bytes *= FACTOR;
	return bytes <= s->targets.suite->args->end ? bytes : 0;
}

void dev_measure(struct dev_suite *s, struct perf_runner r[2],
		 const char *name, const char *against, double goal)
{
	struct perf_suite *suite = s->targets.suite;
	const struct perf_setup *setup = r[0].setup;
	struct dev_row row = {
		.name = name,
		.against = against,
		.nr_pes = setup->rig->nr_pes,
		.bytes = setup->c->bytes,
	};

	if (suite->status)
		return;
	perf_report_progress(&suite->report, setup->c);
	suite->status = perf_measure(r, 2, &suite->how);
	if (suite->status)
		return;
	row.ns = r[0].median;
	row.against_ns = r[1].median;
	row.wrong = r[0].wrong + r[1].wrong;
	dev_report_row(suite, &row);
	perf_target_add(&s->targets, goal, dev_ratio(&row),
			"%s, %s, %s: speed by that of %s", s->layout, name,
			tool_size(row.bytes), against);
}

static void collective(struct dev_suite *s, struct perf_rig rigs[2],
		       const struct perf_case *c)
{
	struct perf_suite *suite = s->targets.suite;
	struct perf_setup setups[2] = { 0 };
	struct perf_runner r[2];

	for (unsigned int i = 0; i < 2 && !suite->status; i++) {
		r[i] = (struct perf_runner){ &setups[i], "auto",
					     perf_run_library, 0, 0, 0, 0 };
		suite->status = perf_setup_make(&setups[i], &rigs[i], c,
						suite->how.seed);
	}
	dev_measure(s, r, pc_collective_name(c->id), "mem:", 0.9);
	for (unsigned int i = 0; i < 2; i++)
		perf_setup_free(&setups[i]);
}

/* every size that the collective takes and MRAM holds */
static void sizes(struct dev_suite *s, struct perf_rig rigs[2],
		  struct perf_case c)
{
	uint64_t bytes = dev_first_size(s);

	for (; bytes && !s->targets.suite->status;
	     bytes = dev_next_size(s, bytes)) {
		c.bytes = bytes;
		if (perf_round(&c) && perf_mram_bytes(&c) <= s->mram)
			collective(s, rigs, &c);
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
		sizes(s, rigs, c);
	}
	for (unsigned int i = 0; i < 2; i++) {
		if (rigs[i].sys)
			perf_rig_close(&rigs[i]);
	}
}

/* what the nodes are; of their PEs as many as make a hypercube */
static int look(struct dev_suite *s)
{
	const struct pimdimm_geometry *g;
	struct pimdimm *sys;
	struct perf_rig rig;

	if (pimdimm_open(s->targets.suite->how.uri, &sys))
		return tool_error("%s", pimdimm_errmsg());
	g = pimdimm_geometry(sys);
	s->layout = pd_layout_name(g->layout);
	s->mram = g->mram_size;
	s->nr_pes = PIMDIMM_RANK_PES;
	while (s->nr_pes * 2 <= g->nr_pes)
		s->nr_pes *= 2;
	rig = (struct perf_rig){ .sys = sys, .nr_pes = s->nr_pes };
	dev_report_begin(s->targets.suite, &rig);
	pimdimm_close(sys);
	return TOOL_OK;
}

void perf_suite_dev(struct perf_suite *suite)
{
	static struct dev_suite s;

	s = (struct dev_suite){ .targets.suite = suite };
	suite->status = look(&s);
	if (!suite->status)
		dev_measure_transfers(&s);
	if (!suite->status)
		measure_collectives(&s);
	if (!suite->status)
		perf_targets_print(&s.targets);
}
