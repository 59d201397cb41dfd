/* SPDX-License-Identifier: MIT */
/*
 * This tool, run again: by a launcher, with other variables, on emulated machines. What it
 * prints as CSV are rows here.
 */
#ifndef PIMDIMM_PERF_HOSTS_RUNS_H
#define PIMDIMM_PERF_HOSTS_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/perf/suites/suite.h"

#define HOSTS_RUN_ROWS 128

struct hosts_run_row {
	char collective[24], algorithm[32];
	char type[8], op[8];
	uint64_t bytes;
	/* the most that a host has sent to other machines, and copied into shared memory */
	uint64_t sent, staged;
	double ns, least;
};

struct hosts_run {
	struct hosts_run_row rows[HOSTS_RUN_ROWS];
	unsigned int count;
};

/*
 * Runs `BEFORE pimdimm perf --csv ARGUMENTS` in a shell. 0, or TOOL_FAILED after a message:
 * it failed, or an element was wrong.
 */
__attribute__((format(printf, 3, 4)))
int hosts_run(struct hosts_run *run, const char *before, const char *format, ...);
/* The row, or NULL. */
const struct hosts_run_row *hosts_run_find(const struct hosts_run *run, const char *collective,
					   uint64_t bytes, const char *algorithm);
/* Whether a command succeeds; what it prints goes nowhere. */
__attribute__((format(printf, 1, 2)))
bool hosts_run_works(const char *format, ...);
/* The tool's path, in quotes for a shell. */
const char *hosts_run_tool(void);

/* The report's header. 0, or suite->status after a message. */
int hosts_report_begin(struct perf_suite *suite);

/* of a network of emulated machines, in Gb/s: what it is to have, and what MPI's streams got */
struct hosts_rate {
	double nominal, measured;	/* 0: there is none */
};

/* "10gbit", "2500mbit" as a rate that has not been measured. */
struct hosts_rate hosts_rate_of(const char *text);
/* The members and the last columns of a row. */
void hosts_rate_json(struct json_object *row, const struct hosts_rate *rate);
void hosts_rate_csv(char *text, size_t bytes, const struct hosts_rate *rate);

/* What was compared: a row of the report. */
struct hosts_beside {
	const char *collective, *where, *opponent;
	uint64_t bytes;
	uint32_t hosts;
	double ours, its;	/* ns */
	struct hosts_rate rate;
};

void hosts_beside_head(struct perf_report *r);
void hosts_beside_put(struct perf_report *r, const struct hosts_beside *b);

/* The median of a few numbers, which are put in order. */
double hosts_median(double *numbers, unsigned int count);

#endif /* PIMDIMM_PERF_HOSTS_RUNS_H */
