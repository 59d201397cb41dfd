// SPDX-License-Identifier: MIT
/*
 * A thread takes some samples from the lookup to the score. With a library's products
 * many samples go through a layer together, and threads share what is between layers.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/own/dlrm.h"
#include "tools/perf/cpu/own/gemm.h"

/* samples that a thread takes at once, and that a library gets */
#define PIECE 64
#define LIBRARY_SAMPLES 8192
/* how many samples ahead rows of tables are fetched */
#define AHEAD 3

struct own_dlrm {
	const struct cpu_dlrm *in;
	struct team *team;
	const struct own_loops *loops;
	const struct multiplier *multiplier;
	struct gemm gemms[CPU_MAX_LAYERS];	/* our products, or */
	void *made[CPU_MAX_LAYERS];		/* a library's */
	uint32_t widest;	/* words of a sample in front of or behind a layer */
	uint32_t *values[2];	/* of each thread's samples, or of a library's */
	uint32_t *scores;

	/* a library's samples */
	uint64_t first, count, next;
	unsigned int layer;
	uint32_t *from, *to;
};

static bool dlrm_is_last(const struct own_dlrm *dlrm, unsigned int layer)
{
	return layer + 1 == dlrm->in->bottom + dlrm->in->top;
}

/* what the activation makes of a layer's sums, in place */
static void dlrm_activate(const struct own_dlrm *dlrm, unsigned int layer,
			  uint32_t *values, uint64_t count)
{
	const struct own_finish finish = { dlrm->in->type, true, false, 0 };

	if (!dlrm_is_last(dlrm, layer))
		dlrm->loops->finish(&finish, values, count, values);
}

static void dlrm_fetch(const struct cpu_dlrm *in, uint64_t sample)
{
	const uint32_t *rows = in->categories + sample * in->stride;

	for (uint32_t t = 0; t < in->nr_tables; t++) {
		for (uint32_t l = 0; l < in->pooling; l++) {
			const uint32_t *row = (const uint32_t *)in->tables[t] +
					      (uint64_t)*rows++ * in->dim;

			__builtin_prefetch(row);
			__builtin_prefetch(row + in->dim - 1);
		}
	}
}

static void dlrm_add_row(const struct cpu_dlrm *in, const uint32_t *row, uint32_t *to)
{
	if (in->type == CPU_F32) {
		for (uint32_t k = 0; k < in->dim; k++)
			((float *)to)[k] += ((const float *)row)[k];
	} else {
		for (uint32_t k = 0; k < in->dim; k++)
			to[k] += row[k];
	}
}

/* A sample's vectors of the tables, one behind the other. */
static void dlrm_look_up(const struct cpu_dlrm *in, uint64_t sample, uint32_t *to)
{
	const uint32_t *rows = in->categories + sample * in->stride;

	if (sample + AHEAD < in->samples)
		dlrm_fetch(in, sample + AHEAD);
	for (uint32_t t = 0; t < in->nr_tables; t++, to += in->dim) {
		const uint32_t *table = in->tables[t];

		memcpy(to, table + (uint64_t)*rows++ * in->dim, in->dim * 4);
		for (uint32_t l = 1; l < in->pooling; l++)
			dlrm_add_row(in, table + (uint64_t)*rows++ * in->dim, to);
	}
}

/* From the bottom layers' vectors, [samples][dim], to the top layers' inputs. */
static void dlrm_interact(const struct own_dlrm *dlrm, uint64_t first, uint64_t count,
			  const uint32_t *from, uint32_t *to)
{
	const struct cpu_dlrm *in = dlrm->in;
	uint32_t vectors[(CPU_MAX_TABLES + 1) * CPU_MAX_DIM];
	uint32_t inputs = in->layers[in->bottom].inputs;

	for (uint64_t i = 0; i < count; i++, from += in->dim, to += inputs) {
		memcpy(vectors, from, in->dim * 4);
		dlrm_look_up(in, first + i, vectors + in->dim);
		memcpy(to, from, in->dim * 4);
		dlrm->loops->pairs(in->type, vectors, in->nr_tables + 1, in->dim,
				   to + in->dim);
	}
}

static const uint32_t *dlrm_dense(const struct cpu_dlrm *in, uint64_t sample)
{
	return (const uint32_t *)in->dense + sample * in->layers[0].inputs;
}

/* Some samples through everything, between two buffers. */
static void dlrm_samples(struct own_dlrm *dlrm, const struct team_range *range,
			 uint32_t *from, uint32_t *to)
{
	const struct cpu_dlrm *in = dlrm->in;
	uint32_t count = (uint32_t)(range->end - range->first), *swap;
	const uint32_t *rows = dlrm_dense(in, range->first);

	for (unsigned int l = 0; l < in->bottom + in->top; l++) {
		const struct gemm *gemm = &dlrm->gemms[l];

		if (l == in->bottom) {
			dlrm_interact(dlrm, range->first, count, from, to);
			swap = from;
			from = to;
			to = swap;
			rows = from;
		}
		/* words are encoded as they are */
		gemm_multiply(gemm, rows, count, 0, gemm->panels, to, gemm->outputs);
		dlrm_activate(dlrm, l, to, (uint64_t)count * gemm->outputs);
		swap = from;
		from = to;
		to = swap;
		rows = from;
	}
	memcpy(dlrm->scores + range->first, from, count * 4);
}

static void dlrm_part(unsigned int thread, void *arg)
{
	struct own_dlrm *dlrm = arg;
	uint64_t at = (uint64_t)thread * PIECE * dlrm->widest;
	struct team_range range;

	while (team_take(&dlrm->next, PIECE, dlrm->in->samples, &range))
		dlrm_samples(dlrm, &range, dlrm->values[0] + at, dlrm->values[1] + at);
}

static void dlrm_interact_part(unsigned int thread, void *arg)
{
	struct own_dlrm *dlrm = arg;
	uint64_t inputs = dlrm->in->layers[dlrm->in->bottom].inputs;
	struct team_range range;

	(void)thread;
	while (team_take(&dlrm->next, PIECE, dlrm->count, &range))
		dlrm_interact(dlrm, dlrm->first + range.first, range.end - range.first,
			      dlrm->from + range.first * dlrm->in->dim,
			      dlrm->to + range.first * inputs);
}

/* The biases, which a library adds its products to. */
static void dlrm_bias_part(unsigned int thread, void *arg)
{
	struct own_dlrm *dlrm = arg;
	const struct cpu_layer *layer = &dlrm->in->layers[dlrm->layer];
	struct team_range range;

	(void)thread;
	while (team_take(&dlrm->next, PIECE, dlrm->count, &range)) {
		for (uint64_t i = range.first; i < range.end; i++)
			memcpy(dlrm->to + i * layer->outputs, layer->bias,
			       layer->outputs * 4);
	}
}

static void dlrm_activate_part(unsigned int thread, void *arg)
{
	struct own_dlrm *dlrm = arg;
	uint64_t outputs = dlrm->in->layers[dlrm->layer].outputs;
	struct team_range range;

	(void)thread;
	while (team_take(&dlrm->next, PIECE, dlrm->count, &range))
		dlrm_activate(dlrm, dlrm->layer, dlrm->to + range.first * outputs,
			      (range.end - range.first) * outputs);
}

static void dlrm_step(struct own_dlrm *dlrm, team_fn fn)
{
	dlrm->next = 0;
	team_run(dlrm->team, fn, dlrm);
}

static void dlrm_turn(struct own_dlrm *dlrm)
{
	uint32_t *from = dlrm->from;

	dlrm->from = dlrm->to;
	dlrm->to = from;
}

static int dlrm_by_library(struct own_dlrm *dlrm)
{
	const struct cpu_dlrm *in = dlrm->in;
	const void *rows = dlrm_dense(in, dlrm->first);

	for (dlrm->layer = 0; dlrm->layer < in->bottom + in->top; dlrm->layer++) {
		int ret;

		if (dlrm->layer == in->bottom) {
			dlrm_step(dlrm, dlrm_interact_part);
			dlrm_turn(dlrm);
			rows = dlrm->from;
		}
		dlrm_step(dlrm, dlrm_bias_part);
		ret = dlrm->multiplier->run(dlrm->made[dlrm->layer],
					    (uint32_t)dlrm->count, rows, dlrm->to, true);
		if (ret)
			return ret;
		dlrm_step(dlrm, dlrm_activate_part);
		dlrm_turn(dlrm);
		rows = dlrm->from;
	}
	memcpy(dlrm->scores + dlrm->first, dlrm->from, dlrm->count * 4);
	return 0;
}

int own_dlrm_run(struct own_dlrm *dlrm)
{
	int ret = 0;

	if (!dlrm->multiplier) {
		dlrm_step(dlrm, dlrm_part);
		return 0;
	}
	for (dlrm->first = 0; !ret && dlrm->first < dlrm->in->samples;
	     dlrm->first += dlrm->count) {
		uint64_t left = dlrm->in->samples - dlrm->first;

		dlrm->count = left < LIBRARY_SAMPLES ? left : LIBRARY_SAMPLES;
		dlrm->from = dlrm->values[0];
		dlrm->to = dlrm->values[1];
		ret = dlrm_by_library(dlrm);
	}
	return ret;
}

const void *own_dlrm_result(const struct own_dlrm *dlrm)
{
	return dlrm->scores;
}

static bool dlrm_make_layers(struct own_dlrm *dlrm)
{
	const struct cpu_dlrm *in = dlrm->in;

	for (unsigned int l = 0; l < in->bottom + in->top; l++) {
		const struct cpu_layer *layer = &in->layers[l];

		dlrm->widest = layer->inputs > dlrm->widest ? layer->inputs :
							      dlrm->widest;
		dlrm->widest = layer->outputs > dlrm->widest ? layer->outputs :
							       dlrm->widest;
		if (!dlrm->multiplier) {
			if (gemm_make(&dlrm->gemms[l], dlrm->loops, in->type, layer))
				return false;
			continue;
		}
		dlrm->made[l] = dlrm->multiplier->make(in->type, layer, LIBRARY_SAMPLES,
						       team_threads(dlrm->team));
		if (!dlrm->made[l])
			return false;
	}
	return true;
}

static bool dlrm_make_buffers(struct own_dlrm *dlrm)
{
	uint64_t samples = dlrm->multiplier ? LIBRARY_SAMPLES :
					      PIECE * team_threads(dlrm->team);

	for (unsigned int i = 0; i < 2; i++)
		dlrm->values[i] = malloc(samples * dlrm->widest * 4);
	dlrm->scores = malloc(dlrm->in->samples * 4 + 1);
	return dlrm->values[0] && dlrm->values[1] && dlrm->scores;
}

struct own_dlrm *own_dlrm_make(const struct cpu_dlrm *in, struct team *team,
			       const struct own_loops *loops,
			       const struct multiplier *multiplier)
{
	struct own_dlrm *dlrm = calloc(1, sizeof(*dlrm));

	if (!dlrm)
		return NULL;
	dlrm->in = in;
	dlrm->team = team;
	dlrm->loops = loops;
	dlrm->multiplier = multiplier;
	if (dlrm_make_layers(dlrm) && dlrm_make_buffers(dlrm))
		return dlrm;
	own_dlrm_free(dlrm);
	return NULL;
}

void own_dlrm_free(struct own_dlrm *dlrm)
{
	if (!dlrm)
		return;
	for (unsigned int l = 0; l < CPU_MAX_LAYERS; l++) {
		gemm_free(&dlrm->gemms[l]);
		if (dlrm->made[l])
			dlrm->multiplier->free(dlrm->made[l]);
	}
	free(dlrm->values[0]);
	free(dlrm->values[1]);
	free(dlrm->scores);
	free(dlrm);
}
