/* SPDX-License-Identifier: MIT */
/* Rows of `--suite pe`. */
#ifndef PIMDIMM_PERF_PE_REPORT_H
#define PIMDIMM_PERF_PE_REPORT_H

#include "tools/perf/suites/pe/pe_rig.h"

/* one measurement: times in nanoseconds, of the repetition in the middle */
struct pe_row {
	const char *name;
	uint32_t nr_pes;
	uint64_t work;		/* of all PEs together */
	const char *work_unit;
	double measured;
	double emulation;	/* the part of it that hardware has not */
	double modelled;	/* the cost model's; NAN: it has none */
	double figure;
	const char *figure_unit;
	uint64_t wrong;
};

void pe_report_begin(struct perf_suite *suite, struct pe_rig *rig);
void pe_report_row(struct perf_suite *suite, const struct pe_row *row);

#endif /* PIMDIMM_PERF_PE_REPORT_H */
