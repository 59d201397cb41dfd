/* SPDX-License-Identifier: MIT */
/* Where the time of PEs went: from their clocks, added up and compared. */
#ifndef PD_TIMES_H
#define PD_TIMES_H

#include <pimdimm/program.h>

#include "runtime/pe/shared/shared.h"

/* What a PE's clock says, which its program could write to. */
void pd_times_read(const struct pe_shared *s, struct pimdimm_times *t);

void pd_times_add(struct pimdimm_times *sum, const struct pimdimm_times *t);

/*
 * PE @pe took @t, which may be the most instructions or cycles in this launch. The
 * slowest PE is UINT32_MAX to begin with.
 */
void pd_times_compare(struct pimdimm_run *run, uint32_t pe, const struct pimdimm_times *t);

#endif /* PD_TIMES_H */
