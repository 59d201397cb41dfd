// SPDX-License-Identifier: MIT
#include "perf_suite.h"
void perf_suite_paper(struct perf_suite *suite)
{
	(void)suite;
}
