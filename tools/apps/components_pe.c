// SPDX-License-Identifier: MIT
/*
 * Connected components on PEs. Every PE holds the whole vector of labels and a
 * slice of the edges; labels form a forest in which a vertex points to a smaller
 * one of its component, a root to itself. In a round each PE
 *
 *  - shortens the paths from its slice of the vertices, and
 *  - hooks, for each edge of its slice, the larger of the two roots that its ends
 *    lead to under the smaller one,
 *
 * and AllReduce(MIN) joins the vectors. Labels only ever fall and never leave
 * their component, so MIN may take any PE's word over another's: what it drops
 * is found again, because edges stay. When a round changes nothing, every vertex
 * points to a root and both ends of every edge to the same one.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pidcomm.h>

#include "tools/apps/components_pe.h"
#include "tools/tool.h"

/*
 * A walk to the root gives up after so many steps. Roots then come closer by the
 * paths' shortening, so that a round costs no more than edges times steps, also
 * where a long chain of hooks has formed.
 */
#define WALK_STEPS 16

/* What a tasklet looks at between two barriers: one DMA transfer of edges. */
#define BATCH 256

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* A PE's WRAM: the parts that a tasklet writes have its number. */
struct scratch {
	uint64_t word[COMPONENTS_TASKLETS];	/* an MRAM word passing through */
	uint32_t changed[COMPONENTS_TASKLETS];
	uint32_t count[COMPONENTS_TASKLETS];
	/* labels that should fall: the vertex in the upper half */
	uint64_t proposals[COMPONENTS_TASKLETS][BATCH];
};

struct job {
	struct components_layout layout;
	uint32_t nr_vertices;
	uint32_t vertex_slice;	/* vertices whose paths a PE shortens */
};

/* what a tasklet knows */
struct tasklet {
	struct pimdimm_pe *pe;
	const struct job *job;
	struct scratch *wram;
	unsigned int id;
};

static uint32_t read_label(const struct tasklet *t, uint32_t vertex)
{
	uint64_t *word = &t->wram->word[t->id];

	/* a launch in which this fails is reported as a whole */
	pimdimm_mram_read(t->pe, vertex / 2 * UINT64_C(8), word, 8);
	return (uint32_t)(*word >> vertex % 2 * 32);
}

static uint32_t cc_pe_walk(const struct tasklet *t, uint32_t vertex)
{
	for (unsigned int step = 0; step < WALK_STEPS; step++) {
		uint32_t up = read_label(t, vertex);

		if (up == vertex)
			break;
		vertex = up;
	}
	return vertex;
}

static void propose(const struct tasklet *t, uint32_t vertex, uint32_t label)
{
	t->wram->proposals[t->id][t->wram->count[t->id]++] =
		(uint64_t)vertex << 32 | label;
}

/* MRAM is written by words of two labels: a word has one tasklet to write it. */
static void cc_pe_accept(const struct tasklet *t, uint64_t proposal)
{
	uint64_t *word = &t->wram->word[t->id];
	uint32_t vertex = (uint32_t)(proposal >> 32);
	uint32_t label = (uint32_t)proposal;
	unsigned int shift = vertex % 2 * 32;

	if (vertex / 2 % COMPONENTS_TASKLETS != t->id ||
	    read_label(t, vertex) <= label)
		return;
	*word &= ~((uint64_t)UINT32_MAX << shift);
	*word |= (uint64_t)label << shift;
	pimdimm_mram_write(t->pe, vertex / 2 * UINT64_C(8), word, 8);
	t->wram->changed[t->id] = 1;
}

/*
 * Labels are only read between one pair of barriers and only written between the
 * next, so that no tasklet meets a half-written label or loses one.
 */
static void cc_pe_settle(const struct tasklet *t)
{
	pimdimm_barrier(t->pe);
	for (unsigned int i = 0; i < COMPONENTS_TASKLETS; i++) {
		for (uint32_t j = 0; j < t->wram->count[i]; j++)
			cc_pe_accept(t, t->wram->proposals[i][j]);
	}
	pimdimm_barrier(t->pe);
	t->wram->count[t->id] = 0;
}

struct range {
	uint64_t first, end;
};

/* the tasklet's part of first to end, and how long all parts are at most */
static struct range part_of(const struct tasklet *t, struct range all,
			    uint64_t *longest)
{
	uint64_t length = all.end - all.first;
	uint64_t part = (length + COMPONENTS_TASKLETS - 1) / COMPONENTS_TASKLETS;

	*longest = part;
	return (struct range){
		all.first + MIN(length, part * t->id),
		all.first + MIN(length, part * (t->id + 1)),
	};
}

static void shorten_batch(const struct tasklet *t, uint64_t first, uint64_t end)
{
	for (uint64_t v = first; v < end; v++) {
		uint32_t up = read_label(t, (uint32_t)v), root;

		if (up == v)
			continue;
		root = cc_pe_walk(t, up);
		if (root != up)
			propose(t, (uint32_t)v, root);
	}
}

static void shorten_paths(const struct tasklet *t)
{
	uint64_t slice = t->job->vertex_slice, longest;
	uint64_t first = slice * pimdimm_pe_id(t->pe);
	struct range mine = part_of(t, (struct range){
		MIN(first, t->job->nr_vertices),
		MIN(first + slice, t->job->nr_vertices),
	}, &longest);

	for (uint64_t done = 0; done < longest; done += BATCH) {
		first = MIN(mine.first + done, mine.end);
		shorten_batch(t, first, MIN(first + BATCH, mine.end));
		cc_pe_settle(t);
	}
}

/* The edges arrive where their proposals will stand: each makes at most one. */
static void hook_batch(const struct tasklet *t, uint64_t first, uint64_t end)
{
	uint64_t *edges = t->wram->proposals[t->id];
	uint32_t last = 0, last_root = 0;

	if (first == end)
		return;
	pimdimm_mram_read(t->pe, t->job->layout.edges + first * 8, edges,
			  (end - first) * 8);
	for (uint64_t i = 0; i < end - first; i++) {
		uint32_t low = graph_edge_low(edges[i]);
		uint32_t root = cc_pe_walk(t, graph_edge_high(edges[i]));

		/* edges are sorted: those of one vertex follow each other */
		if (!i || low != last)
			last_root = cc_pe_walk(t, low);
		last = low;
		if (root > last_root)
			propose(t, root, last_root);
		else if (root < last_root)
			propose(t, last_root, root);
	}
}

static void hook_roots(const struct tasklet *t)
{
	uint64_t longest, first;
	struct range mine = part_of(t, (struct range){
		0, t->job->layout.slice }, &longest);

	for (uint64_t done = 0; done < longest; done += BATCH) {
		first = MIN(mine.first + done, mine.end);
		hook_batch(t, first, MIN(first + BATCH, mine.end));
		cc_pe_settle(t);
	}
}

/* The status word is reduced with the labels: 0 when any PE changed any. */
static void tell_status(const struct tasklet *t)
{
	uint64_t *word = &t->wram->word[t->id];

	*word = UINT64_MAX;
	for (unsigned int i = 0; i < COMPONENTS_TASKLETS; i++) {
		if (t->wram->changed[i])
			*word = 0;
	}
	pimdimm_mram_write(t->pe, t->job->layout.status, word, 8);
}

static void cc_pe_relax(struct pimdimm_pe *pe, void *arg)
{
	struct tasklet t = {
		.pe = pe,
		.job = arg,
		.wram = pimdimm_wram(pe),
		.id = pimdimm_tasklet_id(pe),
	};

	shorten_paths(&t);
	hook_roots(&t);
	/* the last barrier of hook_roots() lies behind all changes */
	if (t.id == 0)
		tell_status(&t);
}

struct components_layout components_plan(const struct graph *graph,
					 uint32_t nr_pes)
{
	struct components_layout layout = {
		.nr_pes = nr_pes,
		.label_bytes = (graph->nr_vertices + UINT64_C(1)) / 2 * 8,
		.slice = (graph->nr_edges + nr_pes - 1) / nr_pes,
	};

	layout.status = layout.label_bytes;
	layout.edges = layout.status + 8;
	layout.bytes = layout.edges + layout.slice * 8;
	return layout;
}

static int load_labels(struct pidcomm *cube, const struct job *job)
{
	uint64_t bytes = job->layout.label_bytes;
	uint32_t *labels = malloc(bytes);
	const void *bufs[] = { labels };
	int ret;

	if (!labels)
		return -ENOMEM;
	/* an odd count leaves half a word that nobody reads */
	for (uint64_t v = 0; v < bytes / 4; v++)
		labels[v] = (uint32_t)v;
	ret = pidcomm_broadcast(cube, "1", bytes, bufs, 0);
	free(labels);
	return ret;
}

/* The last slices are filled up with 0, an edge from vertex 0 to itself. */
static int load_edges(struct pidcomm *cube, const struct graph *graph,
		      const struct components_layout *layout)
{
	uint64_t *edges = calloc(layout->slice * layout->nr_pes + 1, 8);
	const void *bufs[] = { edges };
	int ret;

	if (!edges)
		return -ENOMEM;
	if (graph->nr_edges)
		memcpy(edges, graph->edges, graph->nr_edges * 8);
	ret = pidcomm_scatter(cube, "1", layout->slice * 8, bufs,
			      layout->edges);
	free(edges);
	return ret;
}

static int run_round(struct pimdimm *sys, struct pidcomm *cube, struct job *job,
		     struct components_run *run, bool *changed)
{
	uint64_t status, start = tool_now(), launched;
	int ret;

	ret = pimdimm_launch(sys, 0, job->layout.nr_pes, COMPONENTS_TASKLETS,
			     cc_pe_relax, job);
	launched = tool_now();
	run->kernel_ns += launched - start;
	if (!ret)
		ret = pidcomm_allreduce(cube, "1", job->layout.label_bytes + 8,
					0, 0, PIDCOMM_U32, PIDCOMM_MIN);
	run->allreduce_ns += tool_now() - launched;
	if (!ret)
		ret = pimdimm_read(sys, 0, job->layout.status, &status, 8);
	if (!ret)
		*changed = !status;
	run->rounds++;
	return ret;
}

static int run_rounds(struct pimdimm *sys, struct pidcomm *cube,
		      const struct graph *graph, struct components_run *run)
{
	uint32_t nr_pes = pimdimm_geometry(sys)->nr_pes;
	struct job job = {
		.layout = components_plan(graph, nr_pes),
		.nr_vertices = graph->nr_vertices,
		.vertex_slice = graph->nr_vertices / nr_pes + 1,
	};
	uint64_t start = tool_now();
	bool changed = true;
	int ret;

	ret = load_labels(cube, &job);
	if (!ret)
		ret = load_edges(cube, graph, &job.layout);
	run->load_ns = tool_now() - start;
	while (!ret && changed)
		ret = run_round(sys, cube, &job, run, &changed);
	return ret;
}

int components_on_pes(struct pimdimm *sys, const struct graph *graph,
		      uint32_t *labels, struct components_run *run)
{
	uint32_t nr_pes = pimdimm_geometry(sys)->nr_pes;
	uint64_t start = tool_now();
	struct pidcomm *cube;
	int ret;

	*run = (struct components_run){ 0 };
	ret = pidcomm_create(sys, 1, &nr_pes, &cube);
	if (ret)
		return ret;
	ret = run_rounds(sys, cube, graph, run);
	if (!ret)
		ret = pimdimm_read(sys, 0, 0, labels,
				   graph->nr_vertices * sizeof(*labels));
	pidcomm_destroy(cube);
	run->total_ns = tool_now() - start;
	return ret;
}
