/* SPDX-License-Identifier: MIT */
/* What callers and reports are told of launches of PE programs. */
#ifndef PD_TOLD_H
#define PD_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/shared/abi.h"
#include "runtime/watch/report.h"

struct pimdimm_run;

/* whether its size is one that callers have been compiled with */
bool pd_run_size_known(const struct pimdimm_run *run);
/* the number that launches share which are to end together; NULL: there is none */
uint32_t *pd_run_over(const struct pimdimm_run *run);
/* whether it says so: a launch of which a PE did not end in time makes it 1 */
static inline bool pd_is_over(const uint32_t *over)
{
	return __atomic_load_n(over, __ATOMIC_RELAXED) == 1;
}

/*
 * A launch that is over, of a program of this name on so many PEs, and what tasklets of
 * the slowest one did.
 */
void pd_run_tell(const struct pimdimm_run *run, const char *name, uint32_t nr_pes,
		 const struct pd_tasklet tasklets[PE_PLACES]);

#endif /* PD_TOLD_H */
