// SPDX-License-Identifier: MIT
/*
 * Figures: ratios by kernel, and those of Hashmi et al., "FALCON-X: Zero-copy MPI derived
 * datatype processing on modern CPU and GPU architectures" (JPDC 144, 2020), by their numbers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/datatypes/figures.h"
#include "tools/perf/suites/datatypes/grid.h"
#include "tools/perf/suites/datatypes/parts.h"
#include "tools/perf/suites/datatypes/results.h"
#include "tools/perf/suites/draw.h"
#include "tools/tool.h"

#define MIB	(UINT64_C(1) << 20)

static const char *const opponents[] = { "mpich", "openmpi" };

static void add_if(struct perf_figure *figure, const char *x, const char *series, double ours,
		   double paper)
{
	if (isfinite(ours))
		perf_figure_add(figure, x, series, ours, paper);
}

/* numbers of the paper's text, of what is not measured here as it was there */
struct papers {
	const char *x, *series;
	double value;
};

/* beside what was measured, if anything was */
static void add_papers(struct perf_figure *figure, const struct papers *papers, size_t count)
{
	for (size_t i = 0; i < count && figure->count; i++)
		perf_figure_add(figure, papers[i].x, papers[i].series, NAN, papers[i].value);
}

/* whether it is the first row of its kernel in this context, by this operation */
static bool is_first(const struct ddt_result *r, unsigned int at, const char *context,
		     const char *operation)
{
	for (unsigned int i = 0; i < at; i++) {
		const struct ddt_result *other = ddt_result_at(i);

		if (!strcmp(other->context, context) && !strcmp(other->kernel, r->kernel) &&
		    !strcmp(other->operation, operation))
			return false;
	}
	return !strcmp(r->context, context) && !strcmp(r->operation, operation);
}

/* typed by the plain loop, of each kernel and operation of a context */
static void draw_by_plain(struct perf_figure *figure, const char *context,
			  const char *const operations[], size_t count)
{
	const struct ddt_result *r;

	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (!is_first(r, i, context, operations[0]))
			continue;
		for (size_t o = 0; o < count; o++)
			add_if(figure, r->kernel, operations[o],
			       ddt_results_mean(context, operations[o], r->kernel, "typed",
						"plain"), NAN);
	}
}

static void draw_host(struct perf_suite *suite, struct perf_figure *figure)
{
	static const char *const operations[] = { "pack", "unpack", "copy" };

	(void)suite;
	draw_by_plain(figure, "host", operations, TOOL_COUNT(operations));
}

static void draw_mram(struct perf_suite *suite, struct perf_figure *figure)
{
	static const char *const operations[] = { "push", "pull", "move" }, *const halo = "halo";

	(void)suite;
	draw_by_plain(figure, "mram", operations, TOOL_COUNT(operations));
	draw_by_plain(figure, "halo", &halo, 1);
}

static const char *const others[] = { "mpich", "openmpi", "shm", "naive", "pipeline", "exchange",
				      "memo", "cma", "plain" };

static void draw_pair(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct ddt_result *r;

	(void)suite;
	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (!is_first(r, i, "pair", "latency") || r->between)
			continue;
		for (size_t o = 0; o < TOOL_COUNT(others); o++)
			add_if(figure, r->kernel, others[o],
			       ddt_results_mean("pair", "latency", r->kernel, others[o], "typed"),
			       NAN);
	}
}

/* of the kernel, or of all */
static void draw_calls_of(struct perf_figure *figure, const char *kernel)
{
	static const char *const operations[] = { "push", "pull" };
	const struct ddt_result *r;

	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (!is_first(r, i, "mram", "push") || (kernel && strcmp(r->kernel, kernel)))
			continue;
		for (size_t o = 0; o < TOOL_COUNT(operations); o++)
			add_if(figure, r->kernel, operations[o],
			       ddt_results_mean("mram", operations[o], r->kernel, "calls",
						"typed"), NAN);
	}
}

/* A call of the library for each block against one for all: what the paper has of GPUs. */
static void draw_calls(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct papers papers[] = { { "SPECFEM3D_cm, best", "GPU kernel", 316 } };

	(void)suite;
	draw_calls_of(figure, NULL);
	add_papers(figure, papers, TOOL_COUNT(papers));
}

static void draw_gpu_milc(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct papers papers[] = { { "Open MPI", "GPU kernel", 22 },
						{ "MV2-GDR", "GPU kernel", 4.8 } };

	(void)suite;
	draw_calls_of(figure, "MILC_su3_zd");
	add_papers(figure, papers, TOOL_COUNT(papers));
}

static void draw_gpu_specfem(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct papers papers[] = { { "Open MPI", "GPU kernel", 5836 },
						{ "MV2-GDR", "GPU kernel", 369 } };

	(void)suite;
	draw_calls_of(figure, "SPECFEM3D_cm");
	add_papers(figure, papers, TOOL_COUNT(papers));
}

static uint64_t block_of(const struct ddt_result *r)
{
	return r->message / (r->blocks ? r->blocks : 1);
}

/* private memory, which the kernel copies, by mapped memory; the paper maps by XPMEM */
static void draw_cma(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct ddt_result *r;

	(void)suite;
	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		uint64_t block = block_of(r);

		if (strcmp(r->kernel, "vector") || r->message != MIB ||
		    !ddt_result_is(r, "pair", "latency", "cma"))
			continue;
		add_if(figure, tool_size(block), "CMA by mapped",
		       r->median / ddt_result_of(r, "latency", "memo"),
		       block == 4 ? 6.8 : block == 4096 ? 1.16 : NAN);
	}
}

static void draw_naive(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct ddt_result *r;

	(void)suite;
	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		char x[32], series[32];

		if (strcmp(r->kernel, "vector") || !ddt_result_is(r, "pair", "latency", "naive"))
			continue;
		/* tool_size() has one buffer */
		snprintf(x, sizeof(x), "%s", tool_size(r->message));
		snprintf(series, sizeof(series), "blocks of %s", tool_size(block_of(r)));
		perf_figure_add(figure, x, series, r->median / 1e3, NAN);
	}
}

/* the best of the blocks of a range of lengths, for which the text has a number */
static void add_best(struct perf_figure *figure, const char *operation, const char *by,
		     const char *of, const char *x, const uint64_t range[2], double paper)
{
	const struct ddt_result *r;
	double best = NAN;

	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		uint64_t block = block_of(r);

		if (!strcmp(r->kernel, "vector") && r->message == 2 * MIB && block >= range[0] &&
		    block <= range[1] && ddt_result_is(r, "pair", operation, by))
			best = fmax(best, r->median / ddt_result_of(r, operation, of));
	}
	add_if(figure, x, operation, best, paper);
}

static const char *const pair_operations[] = { "latency", "bandwidth", "both" };

/* vectors of 2 MiB: the time of one design or library by another's, over lengths of blocks */
static void draw_vectors(struct perf_figure *figure, const char *name, const char *by,
			 const char *of)
{
	const struct ddt_result *r;

	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		char series[32];

		if (strcmp(r->kernel, "vector") || r->message != 2 * MIB ||
		    strcmp(r->method, by) || strcmp(r->context, "pair"))
			continue;
		snprintf(series, sizeof(series), "%s%s%s", name, *name ? ", " : "", r->operation);
		add_if(figure, tool_size(block_of(r)), series,
		       r->median / ddt_result_of(r, r->operation, of),
		       !strcmp(of, "memo") && block_of(r) == 2 * MIB &&
				       !strcmp(r->operation, "latency") ? 1.0 : NAN);
	}
}

static void draw_designs(struct perf_suite *suite, struct perf_figure *figure)
{
	static const uint64_t few[2] = { 0, 8192 }, more[2] = { 8193, MIB };

	(void)suite;
	draw_vectors(figure, "", "shm", "memo");
	add_best(figure, pair_operations[0], "shm", "memo", "to 8K, best", few, 3.0);
	add_best(figure, pair_operations[0], "shm", "memo", "to 1M, best", more, 1.5);
}

static void draw_opponents(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct papers papers[] = {
		{ "below 16K, best", "others, latency", 3.0 },
		{ "above, best", "others, latency", 2.0 },
	};

	(void)suite;
	for (size_t o = 0; o < TOOL_COUNT(opponents); o++)
		draw_vectors(figure, opponents[o], opponents[o], "typed");
	add_papers(figure, papers, TOOL_COUNT(papers));
}

/*
 * The paper's sets of a kernel, which it calls A to E; what its text has of Open MPI, and of others
 * that are not here, at these sets or on another machine.
 */
struct letters {
	const char *kernel;
	struct { const char *set, *x; double paper; } sets[6];
	struct papers others[4];
};

/* a set that is asked for has rows, if only of this library */
static void tell_left_out(struct perf_suite *suite, const struct perf_figure *figure,
			  const struct letters *l, size_t s)
{
	struct ddt_kernel *k;
	char what[96], why[96];

	for (unsigned int at = 0; (k = ddt_kernel_make(at)); at++) {
		bool left_out = !strcmp(k->name, l->kernel) && !strcmp(k->set, l->sets[s].set) &&
				(k->bytes < suite->args->begin || k->bytes > suite->args->end);

		snprintf(what, sizeof(what), "Figure %s, %s: %s %s", figure->number, l->sets[s].x,
			 k->name, k->set);
		snprintf(why, sizeof(why), "its message of %s is not within --begin and --end",
			 tool_size(k->bytes));
		if (left_out)
			perf_report_absent(&suite->report, what, why);
		ddt_kernel_free(k);
	}
}

static void draw_letters(struct perf_suite *suite, struct perf_figure *figure,
			 const struct letters *l)
{
	size_t papers = 0;

	for (size_t s = 0; s < TOOL_COUNT(l->sets) && l->sets[s].set; s++) {
		struct ddt_result like = { .bytes = 0 };

		snprintf(like.kernel, sizeof(like.kernel), "%s", l->kernel);
		snprintf(like.set, sizeof(like.set), "%s", l->sets[s].set);
		for (size_t o = 0; o < TOOL_COUNT(others); o++)
			add_if(figure, l->sets[s].x, others[o],
			       ddt_result_of(&like, "latency", others[o]) /
				       ddt_result_of(&like, "latency", "typed"),
			       !strcmp(others[o], "openmpi") ? l->sets[s].paper : NAN);
	}
	while (papers < TOOL_COUNT(l->others) && l->others[papers].x)
		papers++;
	add_papers(figure, l->others, papers);
	/* of a figure of nothing it is told that there is none */
	for (size_t s = 0; s < TOOL_COUNT(l->sets) && l->sets[s].set && figure->count; s++)
		tell_left_out(suite, figure, l, s);
}

static void draw_milc(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct letters milc = { "MILC_su3_zd", {
		{ "16x16x32x32", "A", NAN }, { "32x32x32x32", "B", 1.31 },
		{ "64x64x32x32", "C", NAN }, { "128x128x32x32", "D", NAN },
		{ "128x128x64x64", "E", NAN } }, {
		{ "B", "MVAPICH2-X", 11 }, { "KNL", "others", 10 },
		{ "POWER8", "Spectrum MPI", 3 } } };

	draw_letters(suite, figure, &milc);
}

static void draw_wrf(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct letters wrf = { "WRF_y_vec", {
		{ "4x22x4x27x8x18x11x13", "42 KiB", 2.1 }, { "4x140x34x85x8x136x41x43", "A", NAN },
		{ "4x268x34x85x8x264x41x43", "B", NAN }, { "4x524x34x85x8x520x41x43", "C", NAN },
		{ "4x1036x34x85x8x1032x41x43", "D", 1.23 } }, {
		{ "42 KiB", "others", 1.4 }, { "D", "Intel MPI 2019", 2.9 },
		{ "D", "MVAPICH2", 2.15 } } };

	draw_letters(suite, figure, &wrf);
}

static void draw_mg(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct letters mg = { "NAS_MG_z", {
		{ "258x130x130", "A", NAN }, { "512x258x258", "B", NAN },
		{ "768x258x258", "C", NAN }, { "1024x258x258", "D", NAN },
		{ "2048x258x258", "E", NAN } }, {
		{ "E", "MVAPICH2", 2 }, { "E", "Intel MPI 2019", 2 },
		{ "E", "Intel MPI 2018", 3 } } };

	draw_letters(suite, figure, &mg);
}

static void draw_stencil(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct letters stencil = { "stencil_3d", {
		{ "64", "64", NAN }, { "128", "128", NAN }, { "256", "256", NAN },
		{ "512", "512", NAN } }, {
		{ "512", "Intel MPI 2019", 5.5 }, { "512", "MVAPICH2", 2 } } };

	draw_letters(suite, figure, &stencil);
}

/* the same between PEs, each of which has a box */
static void draw_boxes(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct ddt_result *r;

	(void)suite;
	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (!strcmp(r->context, "halo"))
			perf_figure_add(figure, r->set, r->method, r->median / 1e3, NAN);
	}
}

static void draw_grid(struct perf_suite *suite, struct perf_figure *figure)
{
	const double flops = (double)DDT_GRID_FLOPS * DDT_GRID_CELLS * DDT_GRID_CELLS;
	const struct ddt_result *r;

	(void)suite;
	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (!strcmp(r->context, "grid") && !strcmp(r->operation, "step"))
			perf_figure_add(figure, r->method, "GFLOPS", flops / r->median, NAN);
	}
}

/* GFLOPS by a plan over those lane by lane, where the paper has its design over others' */
static void draw_gain(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct papers papers[] = { { "FALCON-X, best", "GFLOPS", 1.10 } };
	const struct ddt_result *r;

	(void)suite;
	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (ddt_result_is(r, "grid", "step", "lanes"))
			add_if(figure, "planned by lanes", "GFLOPS",
			       r->median / ddt_result_of(r, "step", "planned"), NAN);
	}
	add_papers(figure, papers, TOOL_COUNT(papers));
}

static void draw_share(struct perf_suite *suite, struct perf_figure *figure)
{
	const struct ddt_result *r;

	(void)suite;
	for (unsigned int i = 0; (r = ddt_result_at(i)); i++) {
		if (!strcmp(r->context, "grid") && !strcmp(r->operation, "exchange"))
			perf_figure_add(figure, r->method, "exchange",
					100 * r->median / ddt_result_of(r, "step", r->method), NAN);
	}
}

#define BY_OURS	"another's time by ours, measured"

static const struct perf_drawing drawings[] = {
	{ "DDT-host", "DDTBench's kernels in host memory, typed", "kernel, mean of its sets",
	  "time by a plain loop's, measured", NULL, PERF_RATIO, draw_host },
	{ "DDT-mram", "DDTBench's kernels in MRAM, typed", "kernel, mean of its sets",
	  "time by a plain loop's, measured", NULL, PERF_RATIO, draw_mram },
	{ "DDT-pair", "latency of DDTBench's kernels between two processes",
	  "kernel, mean of its sets", BY_OURS, NULL, PERF_RATIO, draw_pair },
	{ "FX-5", "where a message's time goes, also figure 1: parts of one run of both processes",
	  "kernel, last set, and design", "us, measured", NULL, PERF_STACKED, ddt_parts_draw },
	{ "FX-3", "private memory against mapped, 1 MiB", "block",
	  "CMA's time by that of mapped memory, measured", NULL, PERF_RATIO, draw_cma },
	{ "FX-4", "naive zero-copy by number of runs", "message", "us, measured", NULL, PERF_BARS,
	  draw_naive },
	{ "FX-6", "vectors of 2 MiB: layouts kept against packing", "block",
	  "shm's time by memo's, measured", NULL, PERF_RATIO, draw_designs },
	{ "FX-7", "push and pull: a call for each block; the paper: of GPUs",
	  "kernel, mean of its sets", "time by one call's, measured", NULL, PERF_RATIO,
	  draw_calls },
	{ "FX-13", "MILC_su3_zd: a call for each block; the paper: libraries on GPUs", "whose time",
	  "time by one call's, measured", NULL, PERF_RATIO, draw_gpu_milc },
	{ "FX-14", "SPECFEM3D_cm: a call for each block; the paper: libraries on GPUs",
	  "whose time", "time by one call's, measured", NULL, PERF_RATIO, draw_gpu_specfem },
	{ "FX-8", "vectors of 2 MiB", "block", BY_OURS,
	  NULL, PERF_RATIO, draw_opponents },
	{ "FX-9", "MILC_su3_zd, latency", "set", BY_OURS, NULL, PERF_RATIO, draw_milc },
	{ "FX-10", "WRF_y_vec, latency", "set", BY_OURS, NULL, PERF_RATIO, draw_wrf },
	{ "FX-11", "NAS_MG_z, latency", "set", BY_OURS, NULL,
	  PERF_RATIO, draw_mg },
	{ "FX-12", "faces of a halved cube", "cells along an edge", BY_OURS, NULL, PERF_RATIO,
	  draw_stencil },
	{ "FX-12-PEs", "faces of boxes, one a PE", "cells of a box", "us, measured", NULL,
	  PERF_BARS, draw_boxes },
	{ "FX-15", "2-D stencil of 9 points, 1048 x 1048 doubles, on PEs", "exchange of borders",
	  "GFLOPS, of measured time", NULL, PERF_BARS, draw_grid },
	{ "FX-15-gain", "the same: by the exchange of borders", "exchange by exchange",
	  "GFLOPS by another's, of measured time", NULL, PERF_RATIO, draw_gain },
	{ "FX-15-share", "the same: what of a step the exchange takes", "exchange of borders",
	  "% of a step, measured", NULL, PERF_BARS, draw_share },
};

void ddt_figures_draw(struct perf_suite *suite)
{
	perf_suite_draw(suite, drawings, TOOL_COUNT(drawings));
}
