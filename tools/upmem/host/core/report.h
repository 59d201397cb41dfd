/* SPDX-License-Identifier: MIT */
/* What calls took, added up for PIMDIMM_REPORT. */
#ifndef HOST_REPORT_H
#define HOST_REPORT_H

#include <stdint.h>

#include <pimdimm/program.h>

enum report_kind {
	REPORT_LOAD,
	REPORT_TO_DPU,
	REPORT_FROM_DPU,
	REPORT_COLLECTIVE,
	REPORT_LAUNCH,
	REPORT_KINDS,
};

uint64_t report_now(void);
/* a call of so many bytes, all DPUs together, and nanoseconds */
void report_add(enum report_kind kind, uint64_t bytes, uint64_t ns);
void report_launch(const struct pimdimm_run *run);

#endif /* HOST_REPORT_H */
