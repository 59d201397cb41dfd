// SPDX-License-Identifier: MIT
/* Algorithms on a case, measured in turn with the roofline and `conventional`. */
#include <string.h>

#include "tools/perf/runners/compare.h"
#include "tools/perf/runners/library.h"
#include "tools/perf/runners/roofline.h"
#include "tools/perf/runners/sdk.h"
#include "tools/tool.h"

#define MAX_RUNNERS 16

static unsigned int find_runner(const struct perf_runner *runners,
				unsigned int count, const char *name)
{
	unsigned int i = 0;

	while (i < count && strcmp(runners[i].name, name))
		i++;
	return i;
}

static const struct perf_method *method_of(const char *name)
{
	return strcmp(name, "sdk") ? &perf_library : &perf_sdk;
}

int perf_measure_case(struct perf_rig *rig, const struct perf_case *c,
		      const struct perf_how *how, const char *const names[],
		      unsigned int count, struct perf_row *rows)
{
	struct perf_runner r[MAX_RUNNERS];
	struct perf_setup setup;
	unsigned int n = 0, base;
	double roofline;
	int ret;

	if (perf_setup_make(&setup, rig, c, how->seed))
		return TOOL_FAILED;
	for (; n < count; n++)
		r[n] = (struct perf_runner){ .setup = &setup, .name = names[n],
					     .method = method_of(names[n]) };
	perf_roofline_runners(&setup, &r[n]);
	n += 2;
	base = find_runner(r, n, "conventional");
	if (base == n && how->baseline)
		r[n++] = (struct perf_runner){ .setup = &setup,
					       .name = "conventional",
					       .method = &perf_library };
	ret = perf_measure(r, n, how);
	roofline = perf_roofline_ns(&r[count]);
	for (unsigned int i = 0; i < count && !ret; i++)
		rows[i] = (struct perf_row){ c, names[i], setup.groups,
			setup.members, r[i].median, r[i].min,
			r[i].interval, roofline,
			base < n ? r[base].median : 0, r[i].wrong,
			r[i].tried, r[i].mean, r[i].max,
			r[i].sent, r[i].most_sent, r[i].network };
	perf_setup_free(&setup);
	return ret;
}
