// SPDX-License-Identifier: MIT
/*
 * A stencil of 9 points on a square of doubles (SHOC's, which FALCON-X's figure 15 has), cut
 * into boxes with a border one wide, a box a PE: a step computes each cell from those around
 * it, out of one array into another, and exchanges borders, columns first, so that corners
 * come along with rows. What comes of all steps is compared with the same on the host.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/types.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/datatypes/grid.h"
#include "tools/perf/suites/datatypes/rows.h"
#include "tools/perf/suites/datatypes/turns.h"
#include "tools/tool.h"

#define CELLS	DDT_GRID_CELLS
#define FACES	4
#define STEPS	100	/* for each repetition that is asked for */
#define MOST_ACROSS	8	/* PEs: no larger power of two divides it */
#define DMA	2048u	/* bytes at a time */
#define MOST_ROW	(CELLS + 2)

struct box {
	uint32_t across, down;		/* PEs */
	uint64_t width, height;		/* cells of a PE, without the border */
	uint64_t row, bytes;		/* with it */
};

struct grid {
	struct perf_suite *suite;
	struct box box;
	struct pimdimm *sys;
	struct pidcomm *hc;
	unsigned int from;		/* which array is read: 0 or 1 */
	struct pidcomm_face faces[2][FACES];
	struct pidcomm_plan *plans[2][2];	/* of an array, along an axis */
	double *cells, *expected;	/* of the whole, with a border */
	double *boxes;			/* of all PEs */
	void **bufs;
	char *face;
	unsigned int steps;
	double *step_ns, *exchange_ns;
};

static struct box box_of(uint32_t nr_pes)
{
	struct box b = { .across = 1, .down = 1 };

	while (2 * b.across * b.down <= nr_pes && b.across * b.down < MOST_ACROSS * MOST_ACROSS)
		*(b.across > b.down ? &b.down : &b.across) *= 2;
	b.width = CELLS / b.across;
	b.height = CELLS / b.down;
	b.row = 8 * (b.width + 2);
	b.bytes = b.row * (b.height + 2);
	return b;
}

uint64_t ddt_grid_bytes(const struct perf_suite *suite, uint32_t nr_pes)
{
	const struct box b = box_of(nr_pes);
	uint64_t face = 8 * b.width;

	return face >= suite->args->begin && face <= suite->args->end ? 2 * b.bytes : 0;
}

/* n cells of a row, whose neighbours lie in the rows above and below; one code, one rounding */
__attribute__((noinline))
static void compute_row(double *restrict to, const double *up, const double *row,
			const double *down, uint64_t n)
{
	for (uint64_t i = 1; i <= n; i++)
		to[i] = 0.25 * row[i] + 0.15 * (up[i] + down[i] + row[i - 1] + row[i + 1]) +
			0.0375 * (up[i - 1] + up[i + 1] + down[i - 1] + down[i + 1]);
}

static int move_row(struct pimdimm_pe *pe, uint64_t off, double *row, uint64_t bytes, bool write)
{
	int ret = 0;

	for (uint64_t at = 0; at < bytes && !ret; at += DMA) {
		uint64_t n = bytes - at < DMA ? bytes - at : DMA;
		char *wram = (char *)row + at;

		ret = write ? pimdimm_mram_write(pe, off + at, wram, n) :
			      pimdimm_mram_read(pe, off + at, wram, n);
	}
	return ret;
}

/* one PE's box; three rows of it are in WRAM at a time. A DMA that fails fails the launch. */
static void grid_kernel(struct pimdimm_pe *pe, void *arg)
{
	const struct grid *g = arg;
	const struct box *b = &g->box;
	uint64_t from = g->from * b->bytes, to = !g->from * b->bytes;
	double *rows[3], *out = pimdimm_wram_alloc(pe, b->row);

	for (unsigned int i = 0; i < 3; i++) {
		rows[i] = pimdimm_wram_alloc(pe, b->row);
		if (!rows[i] || !out || (i < 2 && move_row(pe, from + i * b->row, rows[i], b->row,
							   false)))
			return;
	}
	for (uint64_t y = 1; y <= b->height; y++) {
		double *above = rows[0];

		if (move_row(pe, from + (y + 1) * b->row, rows[2], b->row, false))
			return;
		compute_row(out, rows[0], rows[1], rows[2], b->width);
		if (move_row(pe, to + y * b->row + 8, out + 1, 8 * b->width, true))
			return;
		rows[0] = rows[1];
		rows[1] = rows[2];
		rows[2] = above;
	}
}

static int make_part(const struct grid *g, unsigned int array, uint64_t y, uint64_t x,
		     uint64_t height, uint64_t width, struct pimtype_part *part)
{
	const struct box *b = &g->box;
	const uint64_t sizes[] = { b->height + 2, b->width + 2 }, cells[] = { height, width };
	const uint64_t starts[] = { y, x };
	struct pimtype *type;
	int ret = pimtype_subarray(2, sizes, cells, starts, PIMTYPE_ORDER_C,
				   pimtype_basic(PIMTYPE_F64), &type);

	if (!ret)
		*part = (struct pimtype_part){ (int64_t)(array * b->bytes), 1, type };
	return ret;
}

/* columns without corners, to -1 and +1 of axis 0, then whole rows */
static int make_faces(struct grid *g, unsigned int array)
{
	const uint64_t w = g->box.width, h = g->box.height;
	struct pidcomm_face *f = g->faces[array];
	int ret = make_part(g, array, 1, 1, h, 1, &f[0].send);

	ret = ret ? ret : make_part(g, array, 1, 0, h, 1, &f[0].recv);
	ret = ret ? ret : make_part(g, array, 1, w, h, 1, &f[1].send);
	ret = ret ? ret : make_part(g, array, 1, w + 1, h, 1, &f[1].recv);
	ret = ret ? ret : make_part(g, array, 1, 0, 1, w + 2, &f[2].send);
	ret = ret ? ret : make_part(g, array, 0, 0, 1, w + 2, &f[2].recv);
	ret = ret ? ret : make_part(g, array, h, 0, 1, w + 2, &f[3].send);
	ret = ret ? ret : make_part(g, array, h + 1, 0, 1, w + 2, &f[3].recv);
	ret = ret ? ret : pidcomm_plan_halo(g->hc, "10", 0, f, &g->plans[array][0]);
	return ret ? ret : pidcomm_plan_halo(g->hc, "01", 0, f + 2, &g->plans[array][1]);
}

static int planned_exchange(struct grid *g)
{
	int ret = pidcomm_plan_run(g->plans[g->from][0]);

	return ret ? ret : pidcomm_plan_run(g->plans[g->from][1]);
}

/* a pull and a push for each face of each PE */
static int lanes_exchange(struct grid *g)
{
	const struct box *b = &g->box;
	uint32_t nr = b->across * b->down;
	void *buf = g->face;
	int ret = 0;

	for (uint32_t i = 0; i < FACES * nr && !ret; i++) {
		uint32_t f = i / nr, pe = i % nr, x = pe % b->across, y = pe / b->across;
		const struct pidcomm_face *face = &g->faces[g->from][f];
		uint32_t stride = f < 2 ? 1 : b->across, at = f < 2 ? x : y;
		uint32_t last = (f < 2 ? b->across : b->down) - 1;
		uint64_t bytes = 8 * (f < 2 ? b->height : b->width + 2);
		struct pimtype_part packed = { 0, bytes, pimtype_basic(PIMTYPE_PACKED) };

		if (f % 2 ? at == last : !at)
			continue;
		ret = pimtype_pull(g->sys, pe, 1, face->send, &buf, packed);
		if (!ret)
			ret = pimtype_push(g->sys, f % 2 ? pe + stride : pe - stride, 1,
					   g->faces[g->from][f ^ 1].recv,
					   (const void *const *)&buf, packed);
	}
	return ret;
}

typedef int exchange_fn(struct grid *g);

/* The whole is cut into boxes of both arrays, or what the last step wrote is put together. */
static void cut_boxes(struct grid *g, double *cells, bool join)
{
	const struct box *b = &g->box;

	for (uint32_t pe = 0; pe < b->across * b->down; pe++) {
		uint64_t x = pe % b->across * b->width, y = pe / b->across * b->height;

		for (uint64_t row = 0; row < b->height + 2; row++) {
			double *of = g->boxes + (pe * b->bytes + row * b->row) / 8;
			double *at = cells + (y + row) * MOST_ROW + x;

			if (join && row && row <= b->height)
				memcpy(at + 1, of + 1, 8 * b->width);
			else if (!join)
				memcpy(of, at, b->row);
		}
	}
}

static int fill_arrays(struct grid *g)
{
	int ret = 0;

	cut_boxes(g, g->cells, false);
	for (unsigned int array = 0; array < 2 && !ret; array++)
		ret = pimdimm_push(g->sys, 0, g->box.across * g->box.down, array * g->box.bytes,
				   (const void *const *)g->bufs, g->box.bytes);
	g->from = 0;
	return ret;
}

/* all steps, each of which begins with borders that are right */
static int run_steps(struct grid *g, exchange_fn *exchange)
{
	int ret = 0;

	for (unsigned int i = 0; i < g->steps && !ret; i++) {
		uint64_t start = tool_now(), computed;

		if (perf_interrupted())
			return -1;
		ret = pimdimm_launch(g->sys, 0, g->box.across * g->box.down, 1, grid_kernel, g);
		g->from = !g->from;
		computed = tool_now();
		if (!ret)
			ret = exchange(g);
		g->step_ns[i] = (double)(tool_now() - start);
		g->exchange_ns[i] = (double)(tool_now() - computed);
	}
	return ret;
}

static int count_wrong(struct grid *g, uint64_t *wrong)
{
	double *is = calloc(MOST_ROW * MOST_ROW, sizeof(*is));
	int ret;

	*wrong = 0;
	if (!is)
		return pimdimm_error(ENOMEM, "no memory for the cells that come back");
	ret = pimdimm_pull(g->sys, 0, g->box.across * g->box.down, g->from * g->box.bytes,
			   g->bufs, g->box.bytes);
	if (!ret)
		cut_boxes(g, is, true);
	for (uint64_t y = 1; y <= CELLS && !ret; y++) {
		for (uint64_t x = 1; x <= CELLS; x++)
			*wrong += memcmp(&is[y * MOST_ROW + x], &g->expected[y * MOST_ROW + x],
					 sizeof(*is)) != 0;
	}
	free(is);
	return ret;
}

/* the same on the host; its border stays as it is */
static bool make_cells(struct grid *g, uint64_t seed)
{
	double *other = malloc(MOST_ROW * MOST_ROW * sizeof(*other));

	if (!other)
		return false;
	for (uint64_t i = 0; i < MOST_ROW * MOST_ROW; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		g->cells[i] = (double)(seed >> 40);
	}
	memcpy(g->expected, g->cells, MOST_ROW * MOST_ROW * sizeof(*other));
	memcpy(other, g->cells, MOST_ROW * MOST_ROW * sizeof(*other));
	for (unsigned int i = 0; i < g->steps; i++) {
		double *was = g->expected;

		for (uint64_t y = 1; y <= CELLS; y++)
			compute_row(other + y * MOST_ROW, was + (y - 1) * MOST_ROW,
				    was + y * MOST_ROW, was + (y + 1) * MOST_ROW, CELLS);
		g->expected = other;
		other = was;
	}
	free(other);
	return true;
}

static bool make_grid(struct grid *g)
{
	const uint64_t pes = (uint64_t)g->box.across * g->box.down;

	g->steps = STEPS * g->suite->how.iters;
	g->cells = malloc(MOST_ROW * MOST_ROW * sizeof(*g->cells));
	g->expected = malloc(MOST_ROW * MOST_ROW * sizeof(*g->expected));
	g->boxes = malloc(pes * g->box.bytes);
	g->bufs = calloc(pes, sizeof(*g->bufs));
	g->face = malloc(8 * MOST_ROW);
	g->step_ns = calloc(g->steps, sizeof(*g->step_ns));
	g->exchange_ns = calloc(g->steps, sizeof(*g->exchange_ns));
	if (!g->cells || !g->expected || !g->boxes || !g->bufs || !g->face || !g->step_ns ||
	    !g->exchange_ns)
		return false;
	for (uint64_t pe = 0; pe < pes; pe++)
		g->bufs[pe] = (char *)g->boxes + pe * g->box.bytes;
	return make_cells(g, g->suite->how.seed);
}

static void free_grid(struct grid *g)
{
	for (unsigned int a = 0; a < 2; a++) {
		for (unsigned int f = 0; f < FACES; f++) {
			pimtype_free((struct pimtype *)(uintptr_t)g->faces[a][f].send.type);
			pimtype_free((struct pimtype *)(uintptr_t)g->faces[a][f].recv.type);
		}
		pidcomm_plan_free(g->plans[a][0]);
		pidcomm_plan_free(g->plans[a][1]);
	}
	pidcomm_destroy(g->hc);
	free(g->cells);
	free(g->expected);
	free(g->boxes);
	free(g->bufs);
	free(g->face);
	free(g->step_ns);
	free(g->exchange_ns);
}

/* times are sorted: of a step, or of the exchange in it */
static void put_times(struct grid *g, const char *operation, const char *name, double *ns,
		      uint64_t wrong)
{
	const struct box *b = &g->box;
	uint64_t bytes = 16 * (b->height * (b->across - 1) * b->down +
			       (b->width + 2) * (b->down - 1) * b->across);
	struct ddt_kernel k = { .name = "stencil_2d", .bytes = bytes, .blocks = b->height };
	struct ddt_turns turns = { .context = "grid", .operation = operation, .kernel = &k,
				   .bytes = bytes, .nr = 1 };

	snprintf(k.set, sizeof(k.set), "%dx%d", CELLS, CELLS);
	turns.ways[0] = (struct ddt_way){ .name = name, .first = ns[0], .wrong = wrong };
	perf_sort_times(ns, g->steps);
	turns.ways[0].median = perf_median(ns, g->steps);
	turns.ways[0].min = ns[0];
	ddt_row_put(g->suite, &turns, 0);
}

static int take_way(struct grid *g, const char *name, exchange_fn *exchange)
{
	uint64_t wrong = 0;
	int ret = fill_arrays(g);

	if (!ret)
		ret = run_steps(g, exchange);
	if (!ret)
		ret = count_wrong(g, &wrong);
	if (ret)
		return ret;
	put_times(g, "step", name, g->step_ns, wrong);
	put_times(g, "exchange", name, g->exchange_ns, 0);
	return 0;
}

void ddt_grid(struct perf_suite *suite)
{
	struct grid g = { .suite = suite, .sys = suite->rig.sys,
			  .box = box_of(suite->rig.nr_pes) };
	const uint32_t dims[] = { g.box.across, g.box.down };
	int ret = 0;

	if (suite->status || !ddt_grid_bytes(suite, suite->rig.nr_pes))
		return;
	if (!make_grid(&g)) {
		suite->status = tool_error("no memory for a grid of %d x %d", CELLS, CELLS);
	} else {
		ret = pidcomm_create(g.sys, 2, dims, &g.hc);
		for (unsigned int array = 0; array < 2 && !ret; array++)
			ret = make_faces(&g, array);
		ret = ret ? ret : take_way(&g, "planned", planned_exchange);
		ret = ret ? ret : take_way(&g, "lanes", lanes_exchange);
	}
	if (ret)
		suite->status = perf_interrupted() ?
				tool_error("interrupted") :
				tool_error("a grid of %d x %d: %s", CELLS, CELLS, pimdimm_errmsg());
	free_grid(&g);
}
