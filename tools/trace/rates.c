// SPDX-License-Identifier: MIT
/* Turns the ranks' counters in sysfs into rates on the timeline. */
#include <inttypes.h>

#include <json-c/json.h>

#include "tools/tool.h"
#include "tools/trace/rates.h"

static void add_rate(struct trace_file *file, uint32_t number, const char *name,
		     uint64_t ns, uint64_t bytes, uint64_t passed)
{
	struct json_object *event = trace_event("C", name, trace_node(number),
						0, ns);
	struct json_object *args = json_object_new_object();

	/* bytes a ns are GB a second */
	tool_json_add(args, "MB/s",
		      json_object_new_double(1000 * (double)bytes /
					     (double)passed));
	tool_json_add(event, "args", args);
	trace_file_add(file, event);
}

static void rates_add_rank(struct trace_rates *rates, struct trace_file *file,
			   const struct sysfs_rank *now,
			   const struct sysfs_rank *before, uint64_t ns)
{
	uint64_t passed = ns - rates->before_ns;
	char name[32];

	if (now->number < TOOL_COUNT(rates->named) &&
	    !rates->named[now->number]) {
		snprintf(name, sizeof(name), "/dev/pimdimm%" PRIu32,
			 now->number);
		trace_name(file, "process_name", trace_node(now->number), 0,
			   name);
		rates->named[now->number] = true;
	}
	add_rate(file, now->number, "to MRAM", ns,
		 now->bytes_to_mram - before->bytes_to_mram, passed);
	add_rate(file, now->number, "from MRAM", ns,
		 now->bytes_from_mram - before->bytes_from_mram, passed);
}

void trace_rates_sample(struct trace_rates *rates, const char *folder,
			struct trace_file *file)
{
	uint64_t ns = tool_now();
	struct sysfs_ranks now;

	if (sysfs_read(folder, &now))
		return;
	for (size_t i = 0, j = 0; i < now.count && j < rates->before.count;) {
		uint32_t a = now.ranks[i].number;
		uint32_t b = rates->before.ranks[j].number;

		if (a == b)
			rates_add_rank(rates, file, &now.ranks[i],
				       &rates->before.ranks[j], ns);
		i += a <= b;
		j += b <= a;
	}
	sysfs_free(&rates->before);
	rates->before = now;
	rates->before_ns = ns;
}

void trace_rates_end(struct trace_rates *rates)
{
	sysfs_free(&rates->before);
}
