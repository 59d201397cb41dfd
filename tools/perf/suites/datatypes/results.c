// SPDX-License-Identifier: MIT
/* Keeps what was measured, and finds it again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/datatypes/results.h"
#include "tools/tool.h"

static struct ddt_result *results;
static unsigned int nr, room;

static bool make_room(void)
{
	unsigned int more = room ? 2 * room : 256;
	struct ddt_result *grown;

	if (nr < room)
		return true;
	grown = realloc(results, more * sizeof(*results));
	if (!grown) {
		tool_error("no memory for %u results: figures lack some", more);
		return false;
	}
	results = grown;
	room = more;
	return true;
}

void ddt_results_add(const struct ddt_turns *turns, const struct ddt_way *way)
{
	struct ddt_result *r;

	if (!make_room())
		return;
	r = &results[nr++];
	*r = (struct ddt_result){ .bytes = turns->bytes, .blocks = turns->kernel->blocks,
				  .message = turns->kernel->bytes,
				  .median = way->median, .first = way->first,
				  .between = turns->kernel->between };
	snprintf(r->context, sizeof(r->context), "%s", turns->context);
	snprintf(r->operation, sizeof(r->operation), "%s", turns->operation);
	snprintf(r->kernel, sizeof(r->kernel), "%s", turns->kernel->name);
	snprintf(r->set, sizeof(r->set), "%s", turns->kernel->set);
	snprintf(r->method, sizeof(r->method), "%s", way->name);
}

void ddt_results_forget(void)
{
	free(results);
	results = NULL;
	nr = room = 0;
}

const struct ddt_result *ddt_result_at(unsigned int at)
{
	return at < nr ? &results[at] : NULL;
}

bool ddt_result_is(const struct ddt_result *r, const char *context, const char *operation,
		   const char *method)
{
	return !strcmp(r->context, context) && !strcmp(r->operation, operation) &&
	       !strcmp(r->method, method);
}

double ddt_result_of(const struct ddt_result *like, const char *operation, const char *method)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct ddt_result *r = &results[i];

		if (!strcmp(r->kernel, like->kernel) && !strcmp(r->set, like->set) &&
		    !strcmp(r->operation, operation) && !strcmp(r->method, method))
			return r->median;
	}
	return NAN;
}

double ddt_result_mpi(const struct ddt_result *like)
{
	/* of a number and none it is the number */
	return fmin(ddt_result_of(like, like->operation, "mpich"),
		    ddt_result_of(like, like->operation, "openmpi"));
}

double ddt_results_mean(const char *context, const char *operation, const char *kernel,
			const char *method, const char *by)
{
	double logs = 0;
	unsigned int count = 0;

	for (unsigned int i = 0; i < nr; i++) {
		const struct ddt_result *r = &results[i];
		double other;

		if (!ddt_result_is(r, context, operation, method) || strcmp(r->kernel, kernel))
			continue;
		other = ddt_result_of(r, operation, by);
		if (!isfinite(other))
			continue;
		logs += log(r->median / other);
		count++;
	}
	return count ? exp(logs / count) : NAN;
}
