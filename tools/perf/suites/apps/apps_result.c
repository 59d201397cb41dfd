// SPDX-License-Identifier: MIT
/* Names of what was measured, and the sums that measured and modelled times make. */
#include <stddef.h>

#include "tools/apps/common/context.h"
#include "tools/perf/suites/apps/apps_result.h"

const char *apps_algorithm_name(enum apps_algorithm algorithm)
{
	static const char *const names[APPS_ALGORITHMS] = {
		"direct", "pr+im", "conventional", APP_SDK,
	};

	return names[algorithm];
}

const char *apps_collective_name(unsigned int number)
{
	return sdk_name((enum sdk_collective)number);
}

double apps_communication(const struct apps_times *times)
{
	return times->collectives + times->reordering;
}

double apps_composed(const struct apps_times *times)
{
	return apps_communication(times) + times->transfers + times->programs;
}

const struct apps_cpu *apps_fastest_cpu(const struct apps_result *result)
{
	const struct apps_cpu *fastest = NULL;

	for (unsigned int i = 0; i < result->nr_cpu; i++) {
		const struct apps_cpu *cpu = &result->cpu[i];

		if (!*cpu->left_out && !cpu->wrong && (!fastest || cpu->ns < fastest->ns))
			fastest = cpu;
	}
	return fastest;
}
