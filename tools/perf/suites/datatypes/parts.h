/* SPDX-License-Identifier: MIT */
/* Where the time of messages between two processes goes, by design: parts of one run each. */
#ifndef PIMDIMM_PERF_DATATYPES_PARTS_H
#define PIMDIMM_PERF_DATATYPES_PARTS_H

#include "tools/perf/suites/datatypes/peers.h"
#include "tools/perf/suites/draw.h"

/* Of the kernel, whose number is `at`, if it is drawn; of its sets the last one is. */
void ddt_parts_take(struct perf_suite *suite, const struct ddt_peers *peers,
		    const struct ddt_kernel *k, unsigned int at);
void ddt_parts_draw(struct perf_suite *suite, struct perf_figure *figure);
void ddt_parts_forget(void);

#endif /* PIMDIMM_PERF_DATATYPES_PARTS_H */
