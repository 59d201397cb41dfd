// SPDX-License-Identifier: MIT
/* Afforest: links along edges, compressed paths, a sample of the labels. */
#include "tools/perf/cpu/own/afforest.h"

/* edges of each vertex that are followed before labels are sampled */
#define ROUNDS 2
#define SAMPLES 1024
/* vertices that a thread takes at once: hubs are few, and others go on meanwhile */
#define PIECE 1024

struct afforest {
	const struct cpu_graph *graph;
	uint32_t *labels;
	uint64_t next;		/* piece to be taken */
	unsigned int round;
	uint32_t largest;	/* label of the largest component, it seems */
};

static uint32_t label_of(const uint32_t *labels, uint32_t v)
{
	return __atomic_load_n(&labels[v], __ATOMIC_RELAXED);
}

/*
 * Joins the trees of two vertices: the larger root is hooked to something smaller, so
 * that labels never grow, and the root of a whole component is its smallest vertex.
 */
static void afforest_link(uint32_t *labels, uint32_t u, uint32_t v)
{
	uint32_t a = label_of(labels, u), b = label_of(labels, v);

	while (a != b) {
		uint32_t high = a > b ? a : b, low = a > b ? b : a;
		uint32_t above = label_of(labels, high), root = high;

		if (above == low ||
		    (above == high &&
		     __atomic_compare_exchange_n(&labels[high], &root, low, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
			return;
		a = label_of(labels, label_of(labels, high));
		b = label_of(labels, low);
	}
}

static void afforest_begin(unsigned int thread, void *arg)
{
	struct afforest *a = arg;
	struct team_range range;

	(void)thread;
	while (team_take(&a->next, PIECE * 64, a->graph->vertices, &range)) {
		for (uint64_t v = range.first; v < range.end; v++)
			a->labels[v] = (uint32_t)v;
	}
}

static void afforest_sample(unsigned int thread, void *arg)
{
	struct afforest *a = arg;
	const struct cpu_graph *graph = a->graph;
	struct team_range range;

	(void)thread;
	while (team_take(&a->next, PIECE * 16, graph->vertices, &range)) {
		for (uint64_t v = range.first; v < range.end; v++) {
			uint64_t edge = graph->first[v] + a->round;

			if (edge < graph->first[v + 1])
				afforest_link(a->labels, (uint32_t)v,
					      graph->targets[edge]);
		}
	}
}

static void afforest_compress(unsigned int thread, void *arg)
{
	struct afforest *a = arg;
	struct team_range range;
	uint32_t *labels = a->labels;

	(void)thread;
	while (team_take(&a->next, PIECE * 16, a->graph->vertices, &range)) {
		for (uint64_t v = range.first; v < range.end; v++) {
			uint32_t label = label_of(labels, (uint32_t)v);

			while (label != label_of(labels, label))
				label = label_of(labels, label);
			__atomic_store_n(&labels[v], label, __ATOMIC_RELAXED);
		}
	}
}

/* An edge stands at both ends: one that leads into the largest is seen from outside. */
static void afforest_finish(unsigned int thread, void *arg)
{
	struct afforest *a = arg;
	const struct cpu_graph *graph = a->graph;
	struct team_range range;

	(void)thread;
	while (team_take(&a->next, PIECE, graph->vertices, &range)) {
		for (uint64_t v = range.first; v < range.end; v++) {
			if (label_of(a->labels, (uint32_t)v) == a->largest)
				continue;
			for (uint64_t e = graph->first[v] + ROUNDS;
			     e < graph->first[v + 1]; e++)
				afforest_link(a->labels, (uint32_t)v,
					      graph->targets[e]);
		}
	}
}

static uint64_t afforest_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* The label that most of a sample have, counted in a table by hash. */
static uint32_t afforest_most(const struct afforest *a)
{
	uint32_t keys[2 * SAMPLES], counts[2 * SAMPLES] = { 0 }, best = 0, most = 0;
	uint64_t state = 1;

	for (unsigned int i = 0; i < SAMPLES; i++) {
		uint32_t key = a->labels[afforest_random(&state) % a->graph->vertices];
		uint32_t at = key * 2654435761u % (2 * SAMPLES);

		while (counts[at] && keys[at] != key)
			at = (at + 1) % (2 * SAMPLES);
		keys[at] = key;
		if (++counts[at] > most) {
			most = counts[at];
			best = key;
		}
	}
	return best;
}

static void afforest_step(struct afforest *a, struct team *team, team_fn fn)
{
	a->next = 0;
	team_run(team, fn, a);
}

void own_afforest_run(const struct cpu_graph *graph, struct team *team, uint32_t *labels)
{
	struct afforest a = { .graph = graph, .labels = labels };

	afforest_step(&a, team, afforest_begin);
	for (a.round = 0; a.round < ROUNDS; a.round++) {
		afforest_step(&a, team, afforest_sample);
		afforest_step(&a, team, afforest_compress);
	}
	a.largest = afforest_most(&a);
	afforest_step(&a, team, afforest_finish);
	afforest_step(&a, team, afforest_compress);
}
