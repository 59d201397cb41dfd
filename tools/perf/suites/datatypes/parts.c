// SPDX-License-Identifier: MIT
/*
 * Parts of a message's time that were measured within the run whose time they add up to: both
 * processes keep what they are at. It is another run than that of the rows, which keep nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/datatypes/parts.h"
#include "tools/perf/suites/datatypes/results.h"
#include "tools/tool.h"

/* turns, of which the one whose time is the median is drawn, and how long they are */
#define TURNS		9
#define TURN_NS		500000
#define MOST_MESSAGES	20

/* in the order of a pair's answer */
static const char *const names[] = { "matching, waiting", "translation", "exchange", "addresses",
				     "copies" };

#define PARTS	TOOL_COUNT(names)

struct parts {
	double whole, of[PARTS];	/* ns of a message; of none: 0 */
};

static const char *const kernels[] = { "WRF_y_vec", "MILC_su3_zd", "NAS_MG_x", "NAS_MG_y",
				       "SPECFEM3D_cm" };
static const char *const designs[] = { "shm", "naive", "memo", "typed" };
static struct parts kept[TOOL_COUNT(kernels)][TOOL_COUNT(designs)];

static int by_whole(const void *a, const void *b)
{
	const struct parts *x = a, *y = b;

	return (x->whole > y->whole) - (x->whole < y->whole);
}

/* whether the answer has parts, too */
static bool read_parts(const char *answer, struct parts *p)
{
	return sscanf(answer, "%lf %*u %lf %lf %lf %lf %lf", &p->whole, &p->of[0], &p->of[1],
		      &p->of[2], &p->of[3], &p->of[4]) == 1 + (int)PARTS;
}

static unsigned int messages_of(const struct ddt_kernel *k, const char *design)
{
	struct ddt_result like = { .bytes = 0 };
	double ns;

	snprintf(like.kernel, sizeof(like.kernel), "%s", k->name);
	snprintf(like.set, sizeof(like.set), "%s", k->set);
	ns = ddt_result_of(&like, "latency", design);
	return isfinite(ns) && ns < TURN_NS ? (unsigned int)fmin(TURN_NS / ns, MOST_MESSAGES) : 1;
}

static int take_design(const struct ddt_peer *peer, const struct ddt_kernel *k, unsigned int at,
		       struct parts *median)
{
	struct parts turns[TURNS];
	char answer[DDT_ANSWER];

	*median = (struct parts){ 0 };
	for (int i = 0; i < TURNS; i++) {
		if (ddt_peer_ask(peer, 't', at, messages_of(k, peer->name), answer))
			return TOOL_FAILED;
		if (!read_parts(answer, &turns[i]))
			return TOOL_OK;
	}
	qsort(turns, TURNS, sizeof(*turns), by_whole);
	*median = turns[TURNS / 2];
	return TOOL_OK;
}

void ddt_parts_take(struct perf_suite *suite, const struct ddt_peers *peers,
		    const struct ddt_kernel *k, unsigned int at)
{
	size_t kernel = 0;

	while (kernel < TOOL_COUNT(kernels) && strcmp(kernels[kernel], k->name))
		kernel++;
	if (kernel == TOOL_COUNT(kernels))
		return;
	for (size_t d = 0; d < TOOL_COUNT(designs); d++) {
		for (unsigned int i = 0; i < peers->nr && !suite->status; i++) {
			if (!strcmp(peers->each[i].name, designs[d]))
				suite->status = take_design(&peers->each[i], k, at,
							    &kept[kernel][d]);
		}
	}
}

void ddt_parts_draw(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (size_t k = 0; k < TOOL_COUNT(kernels); k++) {
		for (size_t d = 0; d < TOOL_COUNT(designs); d++) {
			const struct parts *p = &kept[k][d];
			char x[48];

			snprintf(x, sizeof(x), "%s %s", kernels[k], designs[d]);
			/* those at the ends first, what is left on top */
			for (size_t i = 0; i < PARTS && p->whole > 0; i++)
				perf_figure_add(figure, x, names[(i + 1) % PARTS],
						p->of[(i + 1) % PARTS] / 1e3, NAN);
		}
	}
}

void ddt_parts_forget(void)
{
	memset(kept, 0, sizeof(kept));
}
