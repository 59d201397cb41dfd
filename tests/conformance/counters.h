/* SPDX-License-Identifier: MIT */
/* What pidcomm_stats() must say after a call. */
#ifndef TESTS_COUNTERS_H
#define TESTS_COUNTERS_H

#include "tests/conformance/call.h"

/* Prints what is wrong as a TAP comment. */
bool counters_right(const struct pidcomm_stats *stats, const struct shape *shape,
		    const struct call *call, const struct grouping *g);

#endif
