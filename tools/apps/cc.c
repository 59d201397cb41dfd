// SPDX-License-Identifier: MIT
/* Loads a graph, has its components found on PEs, compares and tells. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/apps/cc.h"
#include "tools/graph/graph_load.h"
#include "tools/inside.h"
#include "tools/tool.h"

#define DEFAULT_RANKS 4

static uint64_t mram_needed(const struct graph *graph, uint32_t nr_pes)
{
	uint64_t bytes = components_plan(graph, nr_pes).bytes;

	if (bytes < PIMDIMM_MRAM_MIN)
		return PIMDIMM_MRAM_MIN;
	return pd_round_up(bytes, PIMDIMM_MRAM_ALIGN);
}

/* what the kernel thinks it can hand out without swapping; 0 not to be told */
static uint64_t memory_available(void)
{
	uint64_t bytes = tool_number_in("/proc/meminfo", "MemAvailable:", 1024);

	return bytes == UINT64_MAX ? 0 : bytes;
}

/*
 * The default system has 256 PEs; fewer share what memory there is where every
 * PE's copy of the labels is large.
 */
static int choose_system(const struct cc *cc, char *uri, size_t bytes)
{
	uint64_t available = memory_available(), mram = 0;
	uint32_t ranks;

	for (ranks = DEFAULT_RANKS; ranks; ranks /= 2) {
		uint32_t nr_pes = ranks * PIMDIMM_RANK_PES;

		mram = mram_needed(&cc->graph, nr_pes);
		if (!available || mram * nr_pes <= available / 4 * 3)
			break;
	}
	if (mram > PIMDIMM_MRAM_MAX) {
		tool_error("%s: %s vertices and %s edges need %s bytes of MRAM in each PE, which has at most %s",
			   cc->path, tool_count(cc->graph.nr_vertices),
			   tool_count(cc->graph.nr_edges), tool_count(mram),
			   tool_size(PIMDIMM_MRAM_MAX));
		return -E2BIG;
	}
	if (!ranks) {
		tool_error("%s: even %u PEs with %s bytes of MRAM each need more memory than the %s KiB that are available",
			   cc->path, PIMDIMM_RANK_PES, tool_count(mram),
			   tool_count(available / 1024));
		return -ENOMEM;
	}
	snprintf(uri, bytes, "mem:ranks=%" PRIu32 ",mram=%" PRIu64, ranks,
		 mram);
	return 0;
}

static int check_system(const struct cc *cc, const struct pimdimm_geometry *g)
{
	uint64_t needed = mram_needed(&cc->graph, g->nr_pes);

	if (needed <= g->mram_size)
		return 0;
	if (needed > PIMDIMM_MRAM_MAX)
		tool_error("%s needs %s bytes of MRAM in each of the system's %u PEs; a PE has at most %s",
			   cc->path, tool_count(needed), g->nr_pes,
			   tool_size(PIMDIMM_MRAM_MAX));
	else
		tool_error("%s needs %s bytes of MRAM in each PE, and this system has %s: a system with mram=%" PRIu64 "K (mram_size=%" PRIu64 "K for the module) would fit",
			   cc->path, tool_count(needed),
			   tool_count(g->mram_size), needed / 1024,
			   needed / 1024);
	return -E2BIG;
}

static int library_error(const char *what, int err)
{
	/* memory may also have been short on this side of the library */
	if (err == -ENOMEM)
		tool_error("%s: no memory", what);
	else
		tool_error("%s: %s", what, pimdimm_errmsg());
	return err;
}

/* Compare with the host; labels is the PEs' result. */
static int cc_judge(struct cc *cc, const uint32_t *labels)
{
	uint32_t nr_vertices = cc->graph.nr_vertices;
	uint32_t *expected = reallocarray(NULL, nr_vertices, sizeof(*expected));
	uint64_t start = tool_now();
	int ret;

	if (!expected)
		return library_error(cc->path, -ENOMEM);
	components_on_host(&cc->graph, expected);
	cc->host_ns = tool_now() - start;
	for (uint32_t v = 0; v < nr_vertices; v++)
		cc->wrong += labels[v] != expected[v];
	ret = components_summarise(expected, nr_vertices, &cc->summary);
	free(expected);
	if (ret)
		return library_error(cc->path, ret);
	cc->largest_name = graph_name(&cc->graph, cc->summary.largest_label);
	return 0;
}

static void put_labels(FILE *file, const struct graph *graph,
		       const uint32_t *labels)
{
	for (uint32_t v = 0; v < graph->nr_vertices && !ferror(file); v++)
		fprintf(file, "%" PRIu32 " %" PRIu32 "\n",
			graph_name(graph, v), graph_name(graph, labels[v]));
}

/* All of them, or no file. */
static int save_labels(const struct cc *cc, const uint32_t *labels)
{
	FILE *file = fopen(cc->labels, "we");
	int failed, err;

	if (!file) {
		err = errno;
		tool_error("%s: %s", cc->labels, strerror(err));
		return -err;
	}
	errno = 0;
	put_labels(file, &cc->graph, labels);
	failed = ferror(file);
	err = errno;
	if (fclose(file) && !failed) {
		failed = 1;
		err = errno;
	}
	if (!failed)
		return 0;
	tool_error("%s: %s", cc->labels, strerror(err));
	unlink(cc->labels);
	return err ? -err : -EIO;
}

int cc_load(struct cc *cc)
{
	return graph_load(cc->path, &cc->graph);
}

const char *cc_uri_given(const struct cc *cc)
{
	const char *uri = cc->uri ? cc->uri : getenv("PIMDIMM_URI");

	return uri && *uri ? uri : NULL;
}

int cc_open(struct cc *cc, struct pimdimm **sys)
{
	const char *uri = cc_uri_given(cc);
	char own[64];
	int ret;

	if (!uri) {
		ret = choose_system(cc, own, sizeof(own));
		if (ret)
			return ret;
		uri = own;
	}
	ret = pimdimm_open(uri, sys);
	if (ret) {
		tool_error("cannot open the system: %s", pimdimm_errmsg());
		return ret;
	}
	ret = check_system(cc, pimdimm_geometry(*sys));
	if (ret)
		pimdimm_close(*sys);
	return ret;
}

int cc_run(struct cc *cc, struct pimdimm *sys)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	uint32_t *labels;
	int ret;

	cc->mram_size = g->mram_size;
	cc->layout = components_plan(&cc->graph, g->nr_pes);
	labels = reallocarray(NULL, cc->graph.nr_vertices, sizeof(*labels));
	if (!labels)
		return library_error(cc->path, -ENOMEM);
	ret = components_on_pes(sys, &cc->graph, labels, &cc->run);
	ret = ret ? library_error(cc->path, ret) : cc_judge(cc, labels);
	/* wrong ones are of no use to anybody */
	if (!ret && cc->labels && !cc->wrong)
		ret = save_labels(cc, labels);
	free(labels);
	return ret;
}

void cc_free(struct cc *cc)
{
	graph_free(&cc->graph);
}

int cc_print(const struct cc *cc)
{
	const struct graph *g = &cc->graph;
	const struct components_run *run = &cc->run;
	uint64_t permille = UINT64_C(1000) * cc->summary.largest /
			    g->nr_vertices;

	printf("%s (%s): %s vertices, %s %s, %s edges\n", cc->path, g->kind,
	       tool_count(g->nr_vertices), tool_count(g->nr_pairs),
	       g->pairs_are, tool_count(g->nr_edges));
	printf("  %u PEs of %u tasklets, each with all labels (%s bytes) and %s edges in MRAM\n",
	       cc->layout.nr_pes, COMPONENTS_TASKLETS,
	       tool_count(cc->layout.label_bytes),
	       tool_count(cc->layout.slice));
	printf("  %u rounds in %s: loading %s, PE kernels %s, AllReduce(MIN) %s\n",
	       run->rounds, tool_seconds(run->total_ns),
	       tool_seconds(run->load_ns), tool_seconds(run->kernel_ns),
	       tool_seconds(run->allreduce_ns));
	printf("  %s components; the largest has %s vertices (%" PRIu64 ".%" PRIu64 " %%)\n",
	       tool_count(cc->summary.count), tool_count(cc->summary.largest),
	       permille / 10, permille % 10);
	if (cc->wrong)
		return tool_error("%s labels differ from union-find's on the host",
				  tool_count(cc->wrong));
	printf("  every label is the one that union-find gives on the host: verified\n");
	return TOOL_OK;
}

static void cc_add_number(struct json_object *object, const char *key, uint64_t n)
{
	tool_json_add(object, key, json_object_new_uint64(n));
}

struct json_object *cc_json(const struct cc *cc)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "file", tool_json_string(cc->path));
	tool_json_add(object, "kind", tool_json_string(cc->graph.kind));
	cc_add_number(object, "vertices", cc->graph.nr_vertices);
	cc_add_number(object, "pairs", cc->graph.nr_pairs);
	cc_add_number(object, "edges", cc->graph.nr_edges);
	cc_add_number(object, "pes", cc->layout.nr_pes);
	cc_add_number(object, "mram_size", cc->mram_size);
	cc_add_number(object, "rounds", cc->run.rounds);
	cc_add_number(object, "load_ns", cc->run.load_ns);
	cc_add_number(object, "kernel_ns", cc->run.kernel_ns);
	cc_add_number(object, "allreduce_ns", cc->run.allreduce_ns);
	cc_add_number(object, "total_ns", cc->run.total_ns);
	cc_add_number(object, "host_ns", cc->host_ns);
	cc_add_number(object, "components", cc->summary.count);
	cc_add_number(object, "largest", cc->summary.largest);
	cc_add_number(object, "largest_vertex", cc->largest_name);
	tool_json_add(object, "verified", json_object_new_boolean(!cc->wrong));
	return object;
}
