/* SPDX-License-Identifier: MIT */
/* Rows of `--suite datatypes` as text, CSV and JSON. */
#ifndef PIMDIMM_PERF_DATATYPES_ROWS_H
#define PIMDIMM_PERF_DATATYPES_ROWS_H

#include "tools/perf/suites/datatypes/turns.h"

void ddt_rows_begin(struct perf_suite *suite);
void ddt_row_put(struct perf_suite *suite, const struct ddt_turns *turns, unsigned int way);

#endif /* PIMDIMM_PERF_DATATYPES_ROWS_H */
