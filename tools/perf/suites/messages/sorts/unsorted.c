// SPDX-License-Identifier: MIT
/* Collects functions without a sort, and tells of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/perf/suites/messages/sorts/unsorted.h"
#include "tools/tool.h"

/* of each method, which is one of few names */
struct kept {
	const char *method;
	struct unsorted_list list;
};

static struct kept kept[8];
static size_t nr_kept;

static struct unsorted *find(const struct unsorted_list *list, const char *where,
			     const char *function)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct unsorted *u = &list->of[i];

		if (!strcmp(u->function, function) && !strcmp(u->where, where))
			return u;
	}
	return NULL;
}

/* with costs of nothing; NULL: no memory */
static struct unsorted *find_or_append(struct unsorted_list *list, const struct unsorted *name)
{
	struct unsorted *u = find(list, name->where, name->function), *of;

	if (u)
		return u;
	of = realloc(list->of, (list->nr + 1) * sizeof(*of));
	if (!of)
		return NULL;
	list->of = of;
	u = &of[list->nr++];
	*u = *name;
	u->instructions = u->references = 0;
	return u;
}

bool unsorted_add(struct unsorted_list *list, const char *where, const char *function,
		  double instructions, double references)
{
	const char *slash = strrchr(where, '/');
	struct unsorted name, *u;

	snprintf(name.where, sizeof(name.where), "%s", slash ? slash + 1 : where);
	snprintf(name.function, sizeof(name.function), "%s", function);
	u = find_or_append(list, &name);
	if (!u)
		return false;
	u->instructions += instructions;
	u->references += references;
	return true;
}

void unsorted_least(struct unsorted_list *list, const struct unsorted_list *other)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct unsorted *u = &list->of[i];
		const struct unsorted *o = find(other, u->where, u->function);

		u->instructions = fmin(u->instructions, o ? o->instructions : 0);
		u->references = fmin(u->references, o ? o->references : 0);
	}
}

void unsorted_free(struct unsorted_list *list)
{
	free(list->of);
	*list = (struct unsorted_list){ NULL, 0 };
}

static struct unsorted_list *kept_of(const char *method)
{
	for (size_t i = 0; i < nr_kept; i++)
		if (!strcmp(kept[i].method, method))
			return &kept[i].list;
	if (nr_kept == TOOL_COUNT(kept))
		return NULL;
	kept[nr_kept].method = method;
	return &kept[nr_kept++].list;
}

bool unsorted_keep(const char *method, const struct unsorted_list *list, double messages)
{
	struct unsorted_list *to = kept_of(method);

	for (size_t i = 0; to && i < list->nr; i++) {
		const struct unsorted *u = &list->of[i];
		struct unsorted *most;

		if (!u->instructions && !u->references)
			continue;
		most = find_or_append(to, u);
		if (!most)
			return false;
		most->instructions = fmax(most->instructions, u->instructions / messages);
		most->references = fmax(most->references, u->references / messages);
	}
	return to;
}

void unsorted_forget(void)
{
	for (size_t i = 0; i < nr_kept; i++)
		unsorted_free(&kept[i].list);
	nr_kept = 0;
}

static struct json_object *unsorted_json(const char *method, const struct unsorted *u)
{
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "method", tool_json_string(method));
	tool_json_add(o, "where", tool_json_string(u->where));
	tool_json_add(o, "function", tool_json_string(u->function));
	perf_report_json_number(o, "instructions", u->instructions);
	perf_report_json_number(o, "references", u->references);
	return o;
}

void unsorted_report(struct perf_report *report)
{
	struct json_object *array = report->format == PERF_JSON ? json_object_new_array() : NULL;

	for (size_t m = 0; m < nr_kept; m++) {
		for (size_t i = 0; i < kept[m].list.nr; i++) {
			const struct unsorted *u = &kept[m].list.of[i];

			if (array)
				json_object_array_add(array, unsorted_json(kept[m].method, u));
			else
				fprintf(report->out, "# unsorted, in no overhead: %s: %s, %s: %.1f instructions, %.1f references at most\n",
					kept[m].method, u->where, u->function, u->instructions,
					u->references);
		}
	}
	if (array)
		perf_report_json(report, "unsorted", array);
}
