/* SPDX-License-Identifier: MIT */
/* Launches that are parts of one, which takes as long as the longest of them. */
#ifndef PD_REPORT_PARTS_H
#define PD_REPORT_PARTS_H

#include "runtime/watch/report_call.h"

struct pd_report_parts;

/* All with the report's lock held. NULL: none of them has come yet, or long ago. */
struct pd_report_parts *pd_report_parts_find(uint32_t id);
/* the first of them, which was added to this row */
void pd_report_parts_begin(uint32_t id, uint32_t row, const struct pd_report_call *call);
/* the row that all of them are added to */
uint32_t pd_report_parts_row(const struct pd_report_parts *parts);
/*
 * Make of a further one what it adds to those before: its own bytes and faults, but
 * times of PEs only as far as they go beyond. @tasklets receives theirs.
 */
void pd_report_parts_add(struct pd_report_parts *parts, struct pd_report_call *call,
			 struct pd_tasklet tasklets[PD_TASKLETS]);
/* the rows are gone */
void pd_report_parts_forget(void);

#endif /* PD_REPORT_PARTS_H */
