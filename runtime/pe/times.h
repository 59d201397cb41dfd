/* SPDX-License-Identifier: MIT */
/* Where the time of PEs went: from their clocks, added up and compared. */
#ifndef PD_TIMES_H
#define PD_TIMES_H

#include <pimdimm/program.h>

#include "runtime/pe/shared/shared.h"
#include "runtime/watch/report.h"

/* What a PE's clock says, which its program could write to. */
void pd_times_read(const struct pe_shared *s, struct pimdimm_times *t);

/* The same of each tasklet and traveller; 0 of those that there are not. */
void pd_times_tasklets(const struct pe_shared *s, struct pd_tasklet tasklets[PE_PLACES]);

/*
 * Adds what tasklets of a PE did to what it did before, in memory to free, and copies
 * the sum for whoever wants it. Where there is no memory, nothing is kept.
 */
void pd_times_keep(struct pd_tasklet **sum, const struct pd_tasklet tasklets[PE_PLACES],
		   struct pd_tasklet *copy);

void pd_times_add(struct pimdimm_times *sum, const struct pimdimm_times *t);

/*
 * PE @pe took @t, which may be the most instructions or cycles in this launch. The
 * slowest PE is UINT32_MAX to begin with.
 */
void pd_times_compare(struct pimdimm_run *run, uint32_t pe, const struct pimdimm_times *t);

/*
 * A launch that took @ns: what follows from its sums, and the share of it that emulation had,
 * by the times of its threads laid side by side.
 */
void pd_times_end(struct pimdimm_run *run, uint64_t ns, uint64_t emulation_ns, uint64_t busy_ns);

#endif /* PD_TIMES_H */
