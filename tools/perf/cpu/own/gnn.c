// SPDX-License-Identifier: MIT
/*
 * A thread takes some vertices through a layer: sums and what they are multiplied to
 * stay in its cache. With a library's products the whole graph's sums are made first.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/own/gemm.h"
#include "tools/perf/cpu/own/gnn.h"

/* vertices at once */
#define PIECE 64

struct own_gnn {
	const struct cpu_gnn *in;
	struct team *team;
	const struct own_loops *loops;
	const struct multiplier *multiplier;
	struct gemm gemms[CPU_MAX_LAYERS];	/* our products, or */
	void *made[CPU_MAX_LAYERS];		/* a library's */
	uint8_t *features;	/* rows padded to lines, as between layers */
	uint8_t *rows[2];
	void *result;
	uint8_t *scratch;	/* of each thread: */
	uint64_t scratch_bytes;
	uint64_t sums_bytes, encoded_bytes;	/* and how it is divided */
	uint8_t *sums;		/* a library's inputs and outputs */
	uint32_t *products;

	/* the layer at work */
	unsigned int layer;
	const uint8_t *from;
	uint64_t next;
};

static uint64_t lines(uint64_t bytes)
{
	return (bytes + OWN_LINE - 1) / OWN_LINE * OWN_LINE;
}

/* of a row in front of layer l, padded */
static uint64_t gnn_row_bytes(const struct own_gnn *gnn, unsigned int l)
{
	uint32_t elements = !l || l < gnn->in->nr_layers ? gnn->in->layers[l].inputs :
						     gnn->in->layers[l - 1].outputs;

	return lines((uint64_t)elements * own_element_bytes(gnn->in->type));
}

/* The neighbours' sums of a piece of vertices, in padded rows. */
static void gnn_sum(const struct own_gnn *gnn, const struct team_range *range, uint8_t *to)
{
	const struct cpu_graph *graph = &gnn->in->graph;
	uint64_t bytes = gnn_row_bytes(gnn, gnn->layer);

	for (uint64_t v = range->first; v < range->end; v++, to += bytes)
		gnn->loops->sum_rows(gnn->in->type, gnn->from, bytes,
				     graph->targets + graph->first[v],
				     graph->first[v + 1] - graph->first[v], to);
}

/* Sums of products of a piece of vertices to the next layer's features, or the result. */
static void gnn_finish(const struct own_gnn *gnn, const struct team_range *range,
		       const uint32_t *sums)
{
	const struct own_finish finish = { gnn->in->type, gnn->in->relu, false, 0 };
	uint32_t outputs = gnn->in->layers[gnn->layer].outputs;
	bool last = gnn->layer + 1 == gnn->in->nr_layers;
	uint64_t bytes = last ? (uint64_t)outputs * own_element_bytes(finish.type) :
				gnn_row_bytes(gnn, gnn->layer + 1);
	uint8_t *to = last ? gnn->result : gnn->rows[gnn->layer % 2];

	for (uint64_t v = range->first; v < range->end; v++, sums += outputs)
		gnn->loops->finish(&finish, sums, outputs, to + v * bytes);
}

static void gnn_layer_part(unsigned int thread, void *arg)
{
	struct own_gnn *gnn = arg;
	const struct gemm *gemm = &gnn->gemms[gnn->layer];
	uint8_t *sums = gnn->scratch + thread * gnn->scratch_bytes;
	uint32_t *encoded = (uint32_t *)(sums + gnn->sums_bytes);
	uint32_t *out = (uint32_t *)(sums + gnn->sums_bytes + gnn->encoded_bytes);
	struct team_range range;

	while (team_take(&gnn->next, PIECE, gnn->in->graph.vertices, &range)) {
		uint32_t n = (uint32_t)(range.end - range.first);

		gnn_sum(gnn, &range, sums);
		gemm_encode(gemm, sums, gnn_row_bytes(gnn, gnn->layer), n, encoded);
		gemm_multiply(gemm, encoded, n, 0, gemm->panels, out, gemm->outputs);
		gnn_finish(gnn, &range, out);
	}
}

/* Sums without padding, for a library. */
static void gnn_sums_part(unsigned int thread, void *arg)
{
	struct own_gnn *gnn = arg;
	uint8_t *sums = gnn->scratch + thread * gnn->scratch_bytes;
	uint64_t padded = gnn_row_bytes(gnn, gnn->layer);
	uint64_t bytes = (uint64_t)gnn->in->layers[gnn->layer].inputs *
			 own_element_bytes(gnn->in->type);
	struct team_range range;

	while (team_take(&gnn->next, PIECE, gnn->in->graph.vertices, &range)) {
		gnn_sum(gnn, &range, sums);
		for (uint64_t v = range.first; v < range.end; v++)
			memcpy(gnn->sums + v * bytes, sums + (v - range.first) * padded,
			       bytes);
	}
}

static void gnn_finish_part(unsigned int thread, void *arg)
{
	struct own_gnn *gnn = arg;
	uint64_t outputs = gnn->in->layers[gnn->layer].outputs;
	struct team_range range;

	(void)thread;
	while (team_take(&gnn->next, PIECE, gnn->in->graph.vertices, &range))
		gnn_finish(gnn, &range, gnn->products + range.first * outputs);
}

static void gnn_step(struct own_gnn *gnn, team_fn fn)
{
	gnn->next = 0;
	team_run(gnn->team, fn, gnn);
}

static int gnn_layer(struct own_gnn *gnn)
{
	int ret = 0;

	if (!gnn->multiplier) {
		gnn_step(gnn, gnn_layer_part);
		return 0;
	}
	gnn_step(gnn, gnn_sums_part);
	ret = gnn->multiplier->run(gnn->made[gnn->layer], gnn->in->graph.vertices,
				   gnn->sums, gnn->products, false);
	gnn_step(gnn, gnn_finish_part);
	return ret;
}

int own_gnn_run(struct own_gnn *gnn)
{
	int ret = 0;

	gnn->from = gnn->features;
	for (gnn->layer = 0; !ret && gnn->layer < gnn->in->nr_layers; gnn->layer++) {
		ret = gnn_layer(gnn);
		gnn->from = gnn->rows[gnn->layer % 2];
	}
	return ret;
}

const void *own_gnn_result(const struct own_gnn *gnn)
{
	return gnn->result;
}

static void *gnn_lines(uint64_t bytes)
{
	void *memory = aligned_alloc(OWN_LINE, lines(bytes + 1));

	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

static bool gnn_make_layers(struct own_gnn *gnn)
{
	const struct cpu_gnn *in = gnn->in;

	for (unsigned int l = 0; l < in->nr_layers; l++) {
		if (!gnn->multiplier) {
			if (gemm_make(&gnn->gemms[l], gnn->loops, in->type,
				      &in->layers[l]))
				return false;
			continue;
		}
		gnn->made[l] = gnn->multiplier->make(in->type, &in->layers[l],
						     in->graph.vertices,
						     team_threads(gnn->team));
		if (!gnn->made[l])
			return false;
	}
	return true;
}

/* What rows take at most, in front of any layer and behind the last. */
static uint64_t gnn_widest(const struct own_gnn *gnn)
{
	uint64_t widest = 0;

	for (unsigned int l = 0; l <= gnn->in->nr_layers; l++) {
		uint64_t bytes = gnn_row_bytes(gnn, l);

		widest = bytes > widest ? bytes : widest;
	}
	return widest;
}

static bool gnn_make_buffers(struct own_gnn *gnn)
{
	uint64_t n = gnn->in->graph.vertices, widest = gnn_widest(gnn);
	uint32_t element = own_element_bytes(gnn->in->type);

	gnn->sums_bytes = PIECE * widest;
	/* elements may be widened to 2 bytes there, and are to 4 behind it */
	gnn->encoded_bytes = lines(PIECE * widest * (element == 1 ? 2 : 1));
	gnn->scratch_bytes = gnn->sums_bytes + gnn->encoded_bytes +
			     lines(PIECE * widest / element * 4);
	gnn->scratch = gnn_lines(team_threads(gnn->team) * gnn->scratch_bytes);
	gnn->features = gnn_lines(n * gnn_row_bytes(gnn, 0));
	gnn->rows[0] = gnn_lines(n * widest);
	gnn->rows[1] = gnn_lines(n * widest);
	gnn->result = gnn_lines(n * widest);
	if (gnn->multiplier) {
		gnn->sums = gnn_lines(n * widest);
		gnn->products = gnn_lines(n * widest / element * 4);
		if (!gnn->sums || !gnn->products)
			return false;
	}
	return gnn->scratch && gnn->features && gnn->rows[0] && gnn->rows[1] &&
	       gnn->result;
}

static void gnn_take_features(struct own_gnn *gnn)
{
	uint64_t padded = gnn_row_bytes(gnn, 0);
	uint64_t bytes = (uint64_t)gnn->in->layers[0].inputs *
			 own_element_bytes(gnn->in->type);

	for (uint64_t v = 0; v < gnn->in->graph.vertices; v++)
		memcpy(gnn->features + v * padded,
		       (const uint8_t *)gnn->in->features + v * bytes, bytes);
}

struct own_gnn *own_gnn_make(const struct cpu_gnn *in, struct team *team,
			     const struct own_loops *loops,
			     const struct multiplier *multiplier)
{
	struct own_gnn *gnn = calloc(1, sizeof(*gnn));

	if (!gnn)
		return NULL;
	gnn->in = in;
	gnn->team = team;
	gnn->loops = loops;
	gnn->multiplier = multiplier;
	if (gnn_make_layers(gnn) && gnn_make_buffers(gnn)) {
		gnn_take_features(gnn);
		return gnn;
	}
	own_gnn_free(gnn);
	return NULL;
}

void own_gnn_free(struct own_gnn *gnn)
{
	if (!gnn)
		return;
	for (unsigned int l = 0; l < CPU_MAX_LAYERS; l++) {
		gemm_free(&gnn->gemms[l]);
		if (gnn->made[l])
			gnn->multiplier->free(gnn->made[l]);
	}
	free(gnn->features);
	free(gnn->rows[0]);
	free(gnn->rows[1]);
	free(gnn->result);
	free(gnn->scratch);
	free(gnn->sums);
	free(gnn->products);
	free(gnn);
}
