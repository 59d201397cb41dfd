/* SPDX-License-Identifier: MIT */
/* Functions that no list of sorts has: which they are, and what they take. */
#ifndef PIMDIMM_PERF_UNSORTED_H
#define PIMDIMM_PERF_UNSORTED_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/perf/report.h"

struct unsorted {
	char where[32];		/* the object or the source that it is in */
	char function[64];
	double instructions, references;
};

struct unsorted_list {
	struct unsorted *of;
	size_t nr;
};

/* What is of one function is one entry. false: no memory. */
bool unsorted_add(struct unsorted_list *list, const char *where, const char *function,
		  double instructions, double references);
/* The less of each; what one list lacks it takes nothing of. */
void unsorted_least(struct unsorted_list *list, const struct unsorted_list *other);
void unsorted_free(struct unsorted_list *list);

/*
 * Keeps what a method's case has for the report: of each function the most of all cases, of a
 * message, of which the list has so many. false: no memory.
 */
bool unsorted_keep(const char *method, const struct unsorted_list *list, double messages);
void unsorted_forget(void);
/* All that is kept: comments of text and of CSV, or the array "unsorted" of JSON. */
void unsorted_report(struct perf_report *report);

#endif /* PIMDIMM_PERF_UNSORTED_H */
