// SPDX-License-Identifier: MIT
/* Prints connected components for `cc` and `demo`, as text and JSON. */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "tools/apps/cc/cc.h"
#include "tools/apps/cc/print.h"

static uint64_t total_ns(const struct app_report *report)
{
	return report->wall_ns[APP_LOADING] + report->wall_ns[APP_RUN];
}

/* labels and edges into MRAM */
static uint64_t load_ns(const struct app_report *report)
{
	return report->wall_ns[APP_LOADING] +
	       app_report_of(report, APP_RUN, "broadcast");
}

int cc_print(const struct app_context *ctx)
{
	const struct cc *cc = ctx->state;
	const struct graph *g = &cc->graph;
	uint64_t permille = UINT64_C(1000) * cc->summary.largest /
			    g->nr_vertices;

	printf("%s (%s): %s vertices, %s %s, %s edges\n", ctx->input, g->kind,
	       tool_count(g->nr_vertices), tool_count(g->nr_pairs),
	       g->pairs_are, tool_count(g->nr_edges));
	if (ctx->hosts)
		printf("  %u hosts\n", ctx->nr_hosts);
	printf("  %u PEs of %u tasklets, each with all labels (%s bytes) and %s edges in MRAM\n",
	       ctx->nr_pes, CC_TASKLETS, tool_count(cc->layout.label_bytes),
	       tool_count(cc->layout.slice));
	printf("  %u rounds in %s: loading %s, PE kernels %s, AllReduce(MIN) %s\n",
	       cc->rounds, tool_seconds(total_ns(&ctx->report)),
	       tool_seconds(load_ns(&ctx->report)),
	       tool_seconds(app_report_emulation_ns(&ctx->report, APP_RUN)),
	       tool_seconds(app_report_of(&ctx->report, APP_RUN, "allreduce")));
	printf("  %s components; the largest has %s vertices (%" PRIu64 ".%" PRIu64 " %%)\n",
	       tool_count(cc->summary.count), tool_count(cc->summary.largest),
	       permille / 10, permille % 10);
	if (ctx->wrong)
		return tool_error("%s labels differ from union-find's on the host",
				  tool_count(ctx->wrong));
	printf("  every label is the one that union-find gives on the host: verified\n");
	return TOOL_OK;
}

static void cc_add_number(struct json_object *object, const char *key, uint64_t n)
{
	tool_json_add(object, key, json_object_new_uint64(n));
}

struct json_object *cc_json(const struct app_context *ctx)
{
	struct json_object *object = json_object_new_object();
	const struct cc *cc = ctx->state;

	tool_json_add(object, "file", tool_json_string(ctx->input));
	tool_json_add(object, "kind", tool_json_string(cc->graph.kind));
	cc_add_number(object, "vertices", cc->graph.nr_vertices);
	cc_add_number(object, "pairs", cc->graph.nr_pairs);
	cc_add_number(object, "edges", cc->graph.nr_edges);
	if (ctx->hosts)
		cc_add_number(object, "hosts", ctx->nr_hosts);
	cc_add_number(object, "pes", ctx->nr_pes);
	cc_add_number(object, "mram_size", pimdimm_geometry(ctx->sys)->mram_size);
	cc_add_number(object, "rounds", cc->rounds);
	cc_add_number(object, "load_ns", load_ns(&ctx->report));
	cc_add_number(object, "kernel_ns",
		      app_report_emulation_ns(&ctx->report, APP_RUN));
	cc_add_number(object, "allreduce_ns",
		      app_report_of(&ctx->report, APP_RUN, "allreduce"));
	cc_add_number(object, "total_ns", total_ns(&ctx->report));
	cc_add_number(object, "host_ns", cc->host_ns);
	cc_add_number(object, "components", cc->summary.count);
	cc_add_number(object, "largest", cc->summary.largest);
	cc_add_number(object, "largest_vertex", cc->largest_name);
	tool_json_add(object, "verified", json_object_new_boolean(!ctx->wrong));
	return object;
}
