/* SPDX-License-Identifier: MIT */
/* PIMDIMM_REPORT: where a report goes when the process ends. */
#ifndef PD_REPORT_FILE_H
#define PD_REPORT_FILE_H

/* Collect if PIMDIMM_REPORT says so and this is the first time. */
void pd_report_open(void);

#endif /* PD_REPORT_FILE_H */
