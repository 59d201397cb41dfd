// SPDX-License-Identifier: MIT
/*
 * Figures of Chen et al., "Design and Implementation of Kernel-based MPI Reduction Operations
 * for Intel GPUs". A host is what a process with its GPU is there, MRAM of its ranks or memory
 * that all hosts map is device memory: what is measured here has no PCIe, no kernel launch and
 * handles that are passed once. PE j of each host makes a group, whose parts are a vector of
 * the host's: of 64 PEs, a 64th of it each.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/perf/suites/hosts/figures.h"
#include "tools/perf/suites/hosts/opponents.h"
#include "tools/perf/suites/hosts/rows.h"
#include "tools/tool.h"

#define HOSTS		2u
#define PES		64u	/* of a host */
#define MIB(n)		(UINT64_C(n) << 20)
/* the largest that PEs of two hosts take, and what keeps parts whole */
#define LEAST		(8u * HOSTS * PES)

/* A vector of the paper's, or the largest that is asked for. */
static uint64_t vector_of(const struct perf_suite *suite, uint64_t papers)
{
	const struct perf_args *args = suite->args;
	uint64_t bytes = papers;

	while (args->given_sizes && bytes > args->end && bytes > LEAST)
		bytes /= 2;
	return bytes;
}

/* Allreduce of vectors in MRAM, of so many bytes a host, with options. */
static bool run_mram(struct perf_suite *suite, struct hosts_run *run, uint64_t vector,
		     const char *options)
{
	suite->status = hosts_run(run, "", "--hosts %u --no-baseline -s %ux%u -x 01 -n %u -w 1 -b %llu %s allreduce",
				  HOSTS, PES, HOSTS, suite->how.iters,
				  (unsigned long long)(vector / PES), options);
	return !suite->status;
}

static void put_mram(struct perf_suite *suite, const struct perf_figure *figure,
		     const struct hosts_run_row *row)
{
	hosts_row_put(suite, &(struct hosts_row){
		.figure = figure->number, .collective = row->collective,
		.algorithm = row->algorithm, .where = "mram", .type = row->type, .op = row->op,
		.bytes = row->bytes, .hosts = HOSTS, .machines = 1, .ns = row->ns,
		.least = row->least, .touched = NAN, .sent = (double)row->sent });
}

#define VECTORS		2u

/* What no operation is faster than, by what none is slower than. */
static double spread_of(const struct hosts_run *run)
{
	double least = NAN, most = NAN;

	for (unsigned int i = 0; i < run->count; i++) {
		least = fmin(least, run->rows[i].least);
		most = fmax(most, run->rows[i].least);
	}
	return most / least;
}

/*
 * Times of all operations by the sum's, and the most of them by the least. Cases do not take
 * turns: what disturbs one says nothing of another, hence the least times.
 */
void hosts_figure_g3(struct perf_suite *suite, struct perf_figure *figure)
{
	static const double papers[VECTORS] = { 508.0 / 503, 858.0 / 850 };
	const uint64_t vectors[VECTORS] = { vector_of(suite, MIB(1)), vector_of(suite, MIB(16)) };
	/* both are one where neither may be larger */
	const unsigned int count = vectors[0] == vectors[1] ? 1 : VECTORS;
	static struct hosts_run runs[VECTORS];

	for (unsigned int v = 0; v < count; v++) {
		if (!run_mram(suite, &runs[v], vectors[v], "-d i32 -o all"))
			return;
		for (unsigned int i = 0; i < runs[v].count; i++)
			put_mram(suite, figure, &runs[v].rows[i]);
	}
	for (unsigned int i = 0; i < runs[0].count; i++) {
		for (unsigned int v = 0; v < count; v++)
			perf_figure_add(figure, runs[v].rows[i].op, tool_size(vectors[v]),
					runs[v].rows[i].least / runs[v].rows[0].least, NAN);
	}
	for (unsigned int v = 0; v < count; v++)
		perf_figure_add(figure, "most by least", tool_size(vectors[v]),
				spread_of(&runs[v]), papers[v]);
}

static double time_of_type(const struct hosts_run *run, const char *type)
{
	for (unsigned int i = 0; i < run->count; i++) {
		if (!strcmp(run->rows[i].type, type))
			return run->rows[i].least;
	}
	return NAN;
}

/* Of as many bytes, and of as many elements, by i32's. */
void hosts_figure_g4(struct perf_suite *suite, struct perf_figure *figure)
{
	static const char *const sorts[] = { "-d i8,u8", "-d i16,u16,f16,bf16",
					     "-d i32,u32,f32", "-d i64,u64,f64" };
	const uint64_t vector = vector_of(suite, MIB(4));
	static struct hosts_run bytes, counts[TOOL_COUNT(sorts)];

	if (!run_mram(suite, &bytes, vector, "-d all"))
		return;
	for (unsigned int i = 0; i < bytes.count; i++)
		put_mram(suite, figure, &bytes.rows[i]);
	for (size_t s = 0; s < TOOL_COUNT(sorts); s++) {
		if (!run_mram(suite, &counts[s], vector << s, sorts[s]))
			return;
		for (unsigned int i = 0; i < counts[s].count; i++)
			put_mram(suite, figure, &counts[s].rows[i]);
	}
	for (unsigned int i = 0; i < bytes.count; i++) {
		const char *type = bytes.rows[i].type;
		double ns = NAN, paper = strcmp(type, "f32") ? NAN : 1;

		for (size_t s = 0; s < TOOL_COUNT(sorts) && isnan(ns); s++)
			ns = time_of_type(&counts[s], type);
		perf_figure_add(figure, type, "as many bytes",
				bytes.rows[i].least / time_of_type(&bytes, "i32"), paper);
		perf_figure_add(figure, type, "as many elements",
				ns / time_of_type(&counts[2], "i32"), paper);
	}
}

/* Reductions in memory that all hosts map, by MPI's time. */
void hosts_figure_g8(struct perf_suite *suite, struct perf_figure *figure)
{
	static const struct {
		const char *x, *collective, *mpi;
		double paper;
	} all[] = {
		{ "reduce", "reduce", "mpi", 13.8 },
		{ "reduce_scatter", "reduce_scatter", "mpi", 20.4 },
		/* of parts of one size, for which MPI has a function of its own */
		{ "reduce_scatter_block", "reduce_scatter", "mpi-block", 22.5 },
	};
	const struct hosts_scene scene = { .figure = figure->number, .where = "mapped",
					   .hosts = HOSTS, .machines = 1 };
	const uint64_t vector = vector_of(suite, MIB(32));
	static struct hosts_run run;
	char launcher[600];

	if (!hosts_launcher()) {
		hosts_absent(suite, figure, "no MPI library is installed");
		return;
	}
	snprintf(launcher, sizeof(launcher), "%s -n %u", hosts_launcher(), HOSTS);
	suite->status = hosts_run(&run, launcher,
				  "--host-buffers --mapped -a auto,mpi,mpi-block -n %u -w 1 -b %llu reduce reduce_scatter",
				  suite->how.iters, (unsigned long long)vector);
	for (size_t i = 0; i < TOOL_COUNT(all) && !suite->status; i++) {
		const struct hosts_run_row *ours;
		double mpi;

		ours = hosts_run_find(&run, all[i].collective, vector, "auto");
		mpi = hosts_row_take(suite, &scene, &run, all[i].collective, vector, all[i].mpi);
		perf_figure_add(figure, all[i].x, "MPI by ours", ours ? mpi / ours->ns : NAN,
				all[i].paper);
		/* once for both that are compared with it */
		if (!strcmp(all[i].mpi, "mpi"))
			hosts_row_take(suite, &scene, &run, all[i].collective, vector, "auto");
	}
}
