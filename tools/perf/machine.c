// SPDX-License-Identifier: MIT
/* The header of the benchmark: what it ran on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <linux/pimdimm.h>

#include "tools/csv.h"
#include "tools/inside.h"
#include "tools/module/sysfs.h"
#include "tools/perf/machine.h"
#include "tools/tool.h"

static void describe_places(struct perf_machine *m, const struct pimdimm *sys)
{
	const char *bound = "threads wherever the scheduler puts them";

	if (pd_workers_bound(sys->workers))
		bound = "threads bound to shares of the cores";
	else if (sys->placement->binds)
		bound = "threads not bound: the system refuses it";
	if (sys->near)
		snprintf(m->places, sizeof(m->places),
			 "%s, memory on %u NUMA nodes", bound,
			 sys->placement->nr_nodes);
	else if (sys->near_err)
		snprintf(m->places, sizeof(m->places),
			 "%s, memory not placed: %.40s", bound,
			 strerror(sys->near_err));
	else
		snprintf(m->places, sizeof(m->places), "%s", bound);
}

void perf_head_read(struct tool_head *head, const struct pimdimm *sys)
{
	enum pd_isa isa;

	tool_head_read(head);
	snprintf(head->threads, sizeof(head->threads), "%u",
		 sys ? pd_workers_threads(sys->workers) : 1);
	if (sys || !pd_isa_choose(&isa))
		snprintf(head->tier, sizeof(head->tier), "%s",
			 pd_isa_name(sys ? sys->isa : isa));
}

void perf_machine_read(struct perf_machine *m, const struct perf_rig *rig)
{
	const struct pimdimm *sys = rig->sys;
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	bool loaded;

	*m = (struct perf_machine){
		.tier = pd_isa_name(sys->isa),
		.threads = pd_workers_threads(sys->workers),
		.layout = pimdimm_layout_name(g->layout),
		.backend = sys->backend->name,
		.library = pimdimm_version(),
		.commit = tool_commit(),
		.source = sys->placement->source,
		.hosts = rig->team ? rig->team->count : 0,
	};
	perf_head_read(&m->head, sys);
	if (m->hosts)
		snprintf(m->head.hosts, sizeof(m->head.hosts), "%u", m->hosts);
	tool_kernel_name(m->machine, sizeof(m->machine));
	tool_cpu_name(m->cpu, sizeof(m->cpu));
	snprintf(m->caches, sizeof(m->caches), "%s; %s for these threads",
		 sys->placement->caches, tool_size(sys->cache_bytes));
	describe_places(m, sys);
	if (!strcmp(m->backend, "mem") && g->layout == PIMDIMM_LAYOUT_LINEAR)
		tool_mem_pages(m->pages, sizeof(m->pages));
	loaded = sysfs_module(m->module, sizeof(m->module));
	if (!loaded)
		snprintf(m->module, sizeof(m->module), "not loaded");
}

void perf_machine_print(const struct perf_machine *m, FILE *out)
{
	fprintf(out,
		"# machine %s; %s\n# caches  %s\n# places  %s, by %s\n"
		"# tier    %s, %u threads; backend %s, layout %s\n"
		"# version header %s, library %s, module %s%s%s\n",
		m->machine, m->cpu, m->caches, m->places, m->source, m->tier,
		m->threads, m->backend, m->layout, PIMDIMM_VERSION, m->library, m->module,
		*m->commit ? ", commit " : "", m->commit);
	if (*m->pages)
		fprintf(out, "# memory  MRAM in %s\n", m->pages);
	if (m->hosts)
		fprintf(out, "# hosts   %u processes, with as many threads each\n", m->hosts);
}

struct json_object *perf_machine_json(const struct perf_machine *m)
{
	const struct {
		const char *key, *value;
	} texts[] = {
		{ "machine", m->machine }, { "cpu", m->cpu },
		{ "caches", m->caches },   { "places", m->places },
		{ "topology", m->source }, { "tier", m->tier },
		{ "backend", m->backend }, { "layout", m->layout },
		{ "header", PIMDIMM_VERSION }, { "library", m->library },
		{ "module", m->module }, { "commit", m->commit },
		{ "date", m->head.date },
	};
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < TOOL_COUNT(texts); i++)
		tool_json_add(object, texts[i].key,
			      tool_json_string(texts[i].value));
	tool_json_add(object, "threads", json_object_new_uint64(m->threads));
	if (*m->pages)
		tool_json_add(object, "pages", tool_json_string(m->pages));
	if (m->hosts)
		tool_json_add(object, "hosts", json_object_new_uint64(m->hosts));
	return object;
}
