/* SPDX-License-Identifier: MIT */
/* Rows of `--suite hosts`, and what its figures have in common. */
#ifndef PIMDIMM_PERF_HOSTS_ROWS_H
#define PIMDIMM_PERF_HOSTS_ROWS_H

#include "tools/perf/suites/draw.h"
#include "tools/perf/suites/hosts/runs.h"

#define HOSTS_FACTOR	4u	/* from size to size */

/* a way to do what a figure is about; what is NAN has not been measured, or not counted */
struct hosts_row {
	const char *figure, *collective, *algorithm;
	const char *where;	/* private, mapped, mram, machines */
	const char *type, *op;	/* "-": it has none */
	uint64_t bytes;		/* of a host's vector; of MRAM, of a PE's */
	uint32_t hosts, machines;
	double ns, least;	/* measured */
	double touched;		/* counted: bytes that all hosts load and store */
	double sent;		/* counted: the most that one host sends to other machines */
	uint64_t wrong;
	struct hosts_rate rate;
};

void hosts_rows_head(struct perf_report *r);
void hosts_row_put(struct perf_suite *suite, const struct hosts_row *row);

/* where a run was, for its rows */
struct hosts_scene {
	const char *figure, *where;
	uint32_t hosts, machines;
	struct hosts_rate rate;
	const char *mpi;	/* what MPI was told to be, "Open MPI coll/han"; NULL: nothing */
};

/* Puts a row of a run, all of whose elements were right; NAN where it has no such row. */
double hosts_row_take(struct perf_suite *suite, const struct hosts_scene *scene,
		      const struct hosts_run *run, const char *collective, uint64_t bytes,
		      const char *algorithm);
/* " (8 hosts on 2 processors)", or nothing where there are as many processors. */
const char *hosts_outnumber(uint32_t hosts);
/* The figure's title says so where hosts outnumber processors. */
void hosts_title(struct perf_figure *figure, uint32_t hosts);
/* Says why there is nothing to draw. */
void hosts_absent(struct perf_suite *suite, const struct perf_figure *figure, const char *why);

/* The geometric mean of what is added; NAN: nothing. */
struct hosts_mean {
	double logs;
	unsigned int count;
};
void hosts_mean_add(struct hosts_mean *mean, double value);
double hosts_mean_of(const struct hosts_mean *mean);

#endif /* PIMDIMM_PERF_HOSTS_ROWS_H */
