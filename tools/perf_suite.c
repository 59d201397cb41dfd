// SPDX-License-Identifier: MIT
#include <string.h>

#include "perf_suite.h"

int perf_suite(const struct command *self, const struct perf_args *args)
{
	return tool_usage(self, "unknown suite \"%s\", expected paper or targets",
			  args->suite);
}
