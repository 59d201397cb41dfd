/* SPDX-License-Identifier: MIT */
/* What a report is told of launches of PE programs. */
#ifndef PD_TOLD_H
#define PD_TOLD_H

#include <stdbool.h>

#include "runtime/watch/report.h"

struct pimdimm_run;

/* A launch that is over; shuffled: its tasklets ran in an order by chance. */
void pd_run_tell(const struct pimdimm_run *run, const char *name, bool shuffled);

#endif /* PD_TOLD_H */
