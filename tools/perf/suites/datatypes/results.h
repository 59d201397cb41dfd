/* SPDX-License-Identifier: MIT */
/* What was measured, kept for the figures and the goals. */
#ifndef PIMDIMM_PERF_DATATYPES_RESULTS_H
#define PIMDIMM_PERF_DATATYPES_RESULTS_H

#include "tools/perf/suites/datatypes/turns.h"

/* a row */
struct ddt_result {
	char context[8], operation[16], kernel[24], set[40], method[16];
	uint64_t bytes, blocks;	/* that a run moves; of a message */
	uint64_t message;	/* bytes */
	double median, first;
	bool between;		/* of a kernel that is no application's */
};

void ddt_results_add(const struct ddt_turns *turns, const struct ddt_way *way);
void ddt_results_forget(void);
/* the at-th, in the order in which they were measured; NULL: there are no more */
const struct ddt_result *ddt_result_at(unsigned int at);
/* the same kernel and set by another operation or method; NAN: it was not measured */
double ddt_result_of(const struct ddt_result *like, const char *operation, const char *method);
/* the time of the faster of the MPI libraries that were measured; NAN */
double ddt_result_mpi(const struct ddt_result *like);
bool ddt_result_is(const struct ddt_result *r, const char *context, const char *operation,
		   const char *method);
/* the geometric mean over a kernel's sets of method's time by that of `by`; NAN */
double ddt_results_mean(const char *context, const char *operation, const char *kernel,
			const char *method, const char *by);

#endif /* PIMDIMM_PERF_DATATYPES_RESULTS_H */
