// SPDX-License-Identifier: MIT
/* `perf --reproduce`: runs every suite that draws, then writes the page of their figures. */
#include <stdlib.h>

#include "tools/perf/plot.h"
#include "tools/perf/suites/page.h"
#include "tools/perf/suites/reproduce.h"
#include "tools/tool.h"

#define MAX_PARTS 16

/* one suite, its report and figures in the folder */
static int run_part(const struct perf_suite_kind *kind, const struct command *self,
		    const struct perf_args *args)
{
	struct perf_args *own = malloc(sizeof(*own));
	char *report = NULL, *plots = NULL;
	int ret = TOOL_FAILED;

	if (!own || asprintf(&report, "%s/%s.json", args->reproduce, kind->name) < 0 ||
	    asprintf(&plots, "%s/%s", args->reproduce, kind->name) < 0) {
		tool_error("no memory for suite %s", kind->name);
		goto out;
	}
	*own = *args;
	own->suite = kind->name;
	own->format = PERF_JSON;
	own->output = report;
	own->plot = plots;
	if (kind->own_scale)
		own->given_sizes = own->given_shapes = false;
	ret = perf_suite_run(kind, self, own);
out:
	free(plots);
	free(report);
	free(own);
	return ret;
}

static int check_reproduce(const struct command *self, const struct perf_args *args)
{
	if (args->suite || args->plot || args->figures || args->latency || args->hosts ||
	    args->output || args->format != PERF_TEXT)
		return tool_usage(self, "--reproduce goes without --suite, --plot, --figures, --osu, --hosts, --output, --json and --csv");
	return perf_plot_check(args->reproduce);
}

int perf_reproduce(const struct perf_suite_kind *const kinds[], size_t count,
		   const struct command *self, const struct perf_args *args)
{
	struct perf_page_part parts[MAX_PARTS];
	unsigned int nr_parts = 0;
	int ret, worst = TOOL_OK;

	if (check_reproduce(self, args))
		return TOOL_USAGE;
	for (size_t i = 0; i < count && nr_parts < MAX_PARTS && !perf_interrupted(); i++) {
		if (!kinds[i]->draws)
			continue;
		ret = run_part(kinds[i], self, args);
		worst = ret > worst ? ret : worst;
		parts[nr_parts++] = (struct perf_page_part){
			kinds[i]->name, kinds[i]->meaning, ret
		};
	}
	ret = perf_interrupted() ? TOOL_FAILED : perf_page_write(args->reproduce, parts, nr_parts);
	return ret > worst ? ret : worst;
}
