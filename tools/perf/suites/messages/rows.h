/* SPDX-License-Identifier: MIT */
/* Rows of `--suite messages`: a message's counts by method, path and share of posted receives. */
#ifndef PIMDIMM_PERF_MESSAGES_ROWS_H
#define PIMDIMM_PERF_MESSAGES_ROWS_H

#include "tools/perf/suites/messages/counted.h"
#include "tools/perf/suites/suite.h"

#define MESSAGE_SHARES	COUNTED_SHARES	/* 0, 10, ... 100 % */
#define MESSAGE_PATHS	COUNTED_SIZES

struct messages_path {
	const char *name;
	uint32_t bytes;
};

extern const struct messages_path messages_paths[MESSAGE_PATHS];

/* of one message: what both PEs do for it */
struct messages_row {
	unsigned int method, path;
	uint32_t bytes, posted;		/* percent */
	struct exchange_counts of;
	double instructions, references;	/* of R03's categories */
};

/* no row is measured from now on */
void messages_rows_forget(void);
/* A row to be counted, in what a round has; it is measured when its counts are those of a message. */
struct messages_row *messages_row_begin(unsigned int method, unsigned int path, unsigned int share);
void messages_row_end(struct messages_row *row);
/* NULL: it was not measured */
const struct messages_row *messages_row_of(unsigned int method, unsigned int path,
					   unsigned int share);
bool messages_measured(unsigned int method);

/* by sort */
const double *messages_instructions(const struct messages_row *row);
const double *messages_references(const struct messages_row *row);
/* of R03's categories */
double messages_overhead(const double sorts[MESSAGE_SORTS]);
/* of the overhead on R03's machine, a reference to whose memory takes so many */
double messages_r03_cycles(const struct messages_row *row, double reference);

/* the head of the table, then row by row */
void messages_rows_head(struct perf_suite *suite);
void messages_row_put(struct perf_suite *suite, const struct messages_row *row);

#endif /* PIMDIMM_PERF_MESSAGES_ROWS_H */
