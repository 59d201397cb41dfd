/* SPDX-License-Identifier: MIT */
/* The ranks' counters on a timeline, as rates. */
#ifndef PIMDIMM_TRACE_RATES_H
#define PIMDIMM_TRACE_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/module/sysfs.h"
#include "tools/trace/file.h"

/* Rates of the ranks' counters, as counters of their tracks. */
struct trace_rates {
	struct sysfs_ranks before;
	uint64_t before_ns;
	bool named[256];
};

void trace_rates_sample(struct trace_rates *rates, const char *folder,
			struct trace_file *file);
void trace_rates_end(struct trace_rates *rates);

#endif /* PIMDIMM_TRACE_RATES_H */
