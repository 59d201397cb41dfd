// SPDX-License-Identifier: MIT
/* igraph: search and components, on one thread, as it has no others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <igraph.h>

#include <pimdimm/pimdimm.h>

#include "tools/perf/cpu/own/plugin.h"

struct igraph_state {
	const struct cpu_graph *in;
	igraph_t graph;
	igraph_vector_int_t order, layers;	/* of a search */
	igraph_vector_int_t members;		/* components of vertices */
	uint32_t *result;
};

static void igraph_plugin_release(void *arg)
{
	struct igraph_state *state = arg;

	igraph_destroy(&state->graph);
	igraph_vector_int_destroy(&state->order);
	igraph_vector_int_destroy(&state->layers);
	igraph_vector_int_destroy(&state->members);
	free(state->result);
	free(state);
}

static bool igraph_is_directed_input(const struct cpu_graph *in)
{
	return in->in_first != in->first;
}

/* An undirected edge stands at both ends: here at the smaller one. */
static igraph_error_t igraph_add_input(struct igraph_state *state)
{
	const struct cpu_graph *in = state->in;
	bool directed = igraph_is_directed_input(in);
	igraph_vector_int_t ends;
	igraph_error_t ret = igraph_vector_int_init(&ends, 0);

	if (!ret)
		ret = igraph_vector_int_reserve(&ends, (igraph_integer_t)in->edges *
						       (directed ? 2 : 1));
	for (uint64_t v = 0; !ret && v < in->vertices; v++) {
		for (uint64_t e = in->first[v]; e < in->first[v + 1]; e++) {
			if (!directed && in->targets[e] < v)
				continue;
			igraph_vector_int_push_back(&ends, (igraph_integer_t)v);
			igraph_vector_int_push_back(&ends, in->targets[e]);
		}
	}
	if (!ret)
		ret = igraph_add_edges(&state->graph, &ends, NULL);
	igraph_vector_int_destroy(&ends);
	return ret;
}

static void *igraph_plugin_prepare(const void *input, const struct cpu_hands *hands)
{
	struct igraph_state *state = calloc(1, sizeof(*state));

	(void)hands;
	if (!state)
		return NULL;
	/* errors come back, where its own handler would end the process */
	igraph_set_error_handler(igraph_error_handler_ignore);
	state->in = input;
	state->result = malloc(state->in->vertices * sizeof(*state->result));
	if (!state->result ||
	    igraph_empty(&state->graph, state->in->vertices,
			 igraph_is_directed_input(state->in))) {
		free(state->result);
		free(state);
		return NULL;
	}
	if (!igraph_vector_int_init(&state->order, 0) &&
	    !igraph_vector_int_init(&state->layers, 0) &&
	    !igraph_vector_int_init(&state->members, 0) && !igraph_add_input(state))
		return state;
	igraph_plugin_release(state);
	return NULL;
}

static int igraph_search(void *arg)
{
	struct igraph_state *state = arg;

	return igraph_bfs_simple(&state->graph, state->in->source, IGRAPH_OUT,
				 &state->order, &state->layers, NULL);
}

/* layers[i] is where level i begins in the order, and there is one more entry. */
static const void *igraph_levels(void *arg)
{
	struct igraph_state *state = arg;
	igraph_integer_t count = igraph_vector_int_size(&state->layers) - 1;

	memset(state->result, 0xff, state->in->vertices * sizeof(*state->result));
	for (igraph_integer_t i = 0; i < count; i++)
		for (igraph_integer_t k = VECTOR(state->layers)[i];
		     k < VECTOR(state->layers)[i + 1]; k++)
			state->result[VECTOR(state->order)[k]] = (uint32_t)i;
	return state->result;
}

static int igraph_label(void *arg)
{
	struct igraph_state *state = arg;

	return igraph_connected_components(&state->graph, &state->members, NULL, NULL,
					   IGRAPH_WEAK);
}

static const void *igraph_labels(void *arg)
{
	struct igraph_state *state = arg;

	for (uint32_t v = 0; v < state->in->vertices; v++)
		state->result[v] = (uint32_t)VECTOR(state->members)[v];
	return state->result;
}

static void igraph_plugin_version(char *text, size_t size)
{
	const char *version;

	igraph_version(&version, NULL, NULL, NULL);
	snprintf(text, size, "igraph %s", version);
}

static const char *igraph_refuses(enum cpu_type type)
{
	(void)type;
	return NULL;
}

extern const struct cpu_plugin cpu_plugin;
const struct cpu_plugin cpu_plugin = {
	.built_for = PIMDIMM_VERSION,
	.version = igraph_plugin_version,
	.refuses = igraph_refuses,
	.works = {
		[CPU_BFS] = { igraph_plugin_prepare, igraph_search, igraph_levels,
			      igraph_plugin_release },
		[CPU_CC] = { igraph_plugin_prepare, igraph_label, igraph_labels,
			     igraph_plugin_release },
	},
};
