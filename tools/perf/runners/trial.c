// SPDX-License-Identifier: MIT
/* Each collective as `auto` runs it on up to 256 PEs: its time, and is it right? */
#include <errno.h>
#include <stdlib.h>

#include "tools/perf/check.h"
#include "tools/perf/runners/library.h"
#include "tools/perf/runners/trial.h"
#include "tools/tool.h"

#define MAX_PES 256
#define MAX_BYTES (256 << 10)	/* of a PE */
#define REPEATS 5
#define SEED 1

static int trial_failed(int err)
{
	return tool_error("collectives: %s",
			  err == -ENOMEM ? "no memory" : pimdimm_errmsg());
}

/*
 * Axes x and z of 4 x 8 x n: groups that hold half of each of their entangled
 * groups' lanes, so that no easy case is shown.
 */
static void plan_case(const struct pimdimm_geometry *g, uint32_t nr_pes,
		      struct perf_case *c)
{
	uint64_t bytes = g->mram_size / 2;
	uint32_t groups, members;

	*c = (struct perf_case){
		.ndims = 3,
		.dims = { 4, 8, nr_pes / 32 },
		.axes = "101",
		.type = PIDCOMM_U32,
		.op = PIDCOMM_SUM,
	};
	perf_groups(c, &groups, &members);
	c->bytes = bytes < MAX_BYTES ? bytes : MAX_BYTES;
	c->bytes -= c->bytes % (PIMDIMM_WORD_BYTES * members);
}

static int compare_ns(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A first run touches memory for the first time and is not counted. */
static int time_case(struct perf_setup *setup, uint64_t *ns)
{
	uint64_t times[REPEATS];
	int ret = perf_run_library(setup, "auto");

	for (unsigned int i = 0; i < REPEATS && !ret; i++) {
		uint64_t start = tool_now();

		ret = perf_run_library(setup, "auto");
		times[i] = tool_now() - start;
	}
	if (ret)
		return ret;
	qsort(times, REPEATS, sizeof(*times), compare_ns);
	*ns = times[REPEATS / 2];
	return 0;
}

static int try_case(struct perf_rig *rig, const struct perf_case *c,
		    struct trial_result *result)
{
	struct perf_setup setup;
	int ret;

	*result = (struct trial_result){
		.collective = pc_collective_name(c->id),
		.bytes = c->bytes * rig->nr_pes,
	};
	if (perf_setup_make(&setup, rig, c, SEED))
		return TOOL_FAILED;
	/* words are told, whatever a collective takes for an element */
	setup.element = sizeof(uint32_t);
	ret = perf_write_inputs(&setup);
	if (!ret)
		ret = time_case(&setup, &result->ns);
	if (!ret)
		ret = perf_count_wrong(&setup, &result->wrong);
	perf_setup_free(&setup);
	return ret ? trial_failed(ret) : TOOL_OK;
}

int trial_run(struct pimdimm *sys, struct tool_team *team, struct trial *trial,
	      void (*report)(const struct trial *trial,
			     const struct trial_result *result))
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	struct perf_case *c = &trial->c;
	uint64_t all = g->nr_pes;
	struct perf_rig rig;
	int ret;

	*trial = (struct trial){ 0 };
	if (tool_team_sum(team, &all))
		return TOOL_FAILED;
	plan_case(g, team || all < MAX_PES ? (uint32_t)all : MAX_PES, c);
	trial->nr_pes = perf_nr_pes(c);
	perf_groups(c, &trial->groups, &trial->members);
	ret = perf_rig_on(&rig, sys, c, team);
	if (ret)
		return trial_failed(ret);
	for (c->id = 0; c->id < PC_NR_COLLECTIVES && !ret; c->id++) {
		ret = try_case(&rig, c, &trial->results[c->id]);
		if (!ret)
			ret = tool_team_sum(team, &trial->results[c->id].wrong);
		if (!ret)
			report(trial, &trial->results[c->id]);
	}
	perf_rig_close(&rig);
	return ret;
}
