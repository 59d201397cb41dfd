/* SPDX-License-Identifier: MIT */
/* What the benchmark prints: header, rows as they come, what is not measured, totals. */
#ifndef PIMDIMM_PERF_REPORT_H
#define PIMDIMM_PERF_REPORT_H

#include <stdio.h>

#include "tools/perf/measure.h"
#include "tools/perf/rig.h"

enum perf_format {
	PERF_TEXT,
	PERF_JSON,
	PERF_CSV,
};

/* a line of the report: an algorithm on a case */
struct perf_row {
	const struct perf_case *c;
	const char *algorithm;
	uint32_t groups, members;
	double median, min;		/* ns */
	struct perf_interval interval;
	double roofline, baseline;	/* ns, medians; 0: not measured */
	uint64_t wrong;
	uint64_t tried;			/* calls, in none of the times */
	double mean, max;		/* ns */
	/* of several hosts: bytes to other machines, of all and the most; ns between machines */
	uint64_t sent, most_sent;
	double network;
};

struct perf_report {
	enum perf_format format;
	const char *path;	/* NULL: standard output */
	char *temporary;	/* renamed to path when all is written */
	FILE *out;
	unsigned int rows, done, planned;
	uint64_t wrong, tried;
	double busbw, share;	/* sums over the rows */
	unsigned int shares;
	bool open_array;	/* JSON: "rows" has begun */
	bool own_columns;	/* rows are not the collectives' */
	bool hosts;		/* there are several: rows of JSON and CSV have what they sent */
	bool latency;		/* the text is tables as the OSU benchmarks print them */
	unsigned int iters;	/* repetitions of each row */
	char table[192];	/* what the rows of such a table have in common */
	struct json_object *absent;	/* JSON: what is not measured; NULL: nothing */
};

/* Nothing is written to `path` but a whole report. 0 or TOOL_USAGE. */
int perf_report_open(struct perf_report *r, enum perf_format format,
		     const char *path);
/* the header wants a system to tell its geometry; the first one is as any */
void perf_report_header(struct perf_report *r, const struct perf_rig *rig,
			const struct perf_how *how);
void perf_report_row(struct perf_report *r, const struct perf_row *row);
/* after a row that is printed elsewhere */
void perf_report_row_end(struct perf_report *r, uint64_t wrong);
/* JSON: a row that is made elsewhere */
struct json_object;
void perf_report_json_row(struct perf_report *r, struct json_object *row);
/* a member of it; null where there is no such number */
void perf_report_json_number(struct json_object *row, const char *key,
			     double value);
/* on a terminal, what is being measured */
void perf_report_progress(struct perf_report *r, const struct perf_case *c);
void perf_report_clear(struct perf_report *r);
/*
 * Something has no rows, and why: a comment among them, in JSON an object of the array
 * "not_measured". Nothing in CSV, whose comments stand at its head.
 */
void perf_report_absent(struct perf_report *r, const char *what, const char *why);
/* JSON: another array of objects after the rows */
void perf_report_json(struct perf_report *r, const char *key,
		      struct json_object *value);
/* Totals, and the file gets its name. 0 or TOOL_FAILED after a message. */
int perf_report_close(struct perf_report *r);
/* The file gets its name, whatever was written to it. 0 or TOOL_FAILED after a message. */
int perf_report_finish(struct perf_report *r);
void perf_report_drop(struct perf_report *r);

double perf_share(const struct perf_row *row);	/* of the roofline; 0: unknown */
double perf_speedup(const struct perf_row *row);

#endif /* PIMDIMM_PERF_REPORT_H */
