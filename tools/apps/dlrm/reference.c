// SPDX-License-Identifier: MIT
/*
 * The model on the host: integers modulo 2^32, f32 in double precision with a bound of
 * what single precision may be off. Of the PEs' side it shares the model and the
 * samples alone: it knows no axes and no order of samples but theirs.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/dot.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/dlrm/reference.h"

/* samples that go through a layer together, for its weights to stay in cache */
#define BLOCK 32

struct reference_job {
	const struct dlrm_model *model;
	const struct dlrm_samples *samples;
	const uint32_t *dense;
	const struct app_dot *dot;
	struct dlrm_reference *reference;
	uint32_t widest;	/* values of a sample in front of or behind a layer */
	atomic_bool failed, overflow;
};

/*
 * Values of a block of samples, `width` of each: integers, or numbers with what they may
 * be off by.
 */
struct values {
	uint32_t width;
	uint32_t *integers;
	double *numbers, *errors;
};

/* A block of samples on its way, and what it needs. */
struct walk {
	const struct reference_job *job;
	uint64_t first;
	uint32_t samples;
	struct values now, next;
	double *slack;		/* as app_dot has it */
	double *vectors, *off;	/* of one sample, and what they may be off by */
	uint32_t *words;
};

/* gamma = n u / (1 - n u), u = 2^-24: n roundings */
static double gamma_of(uint64_t n)
{
	double nu = (double)n * 0x1p-24;

	return nu / (1 - nu);
}

static int values_make(struct values *values, uint32_t width)
{
	values->integers = malloc((uint64_t)BLOCK * width * 4);
	values->numbers = malloc((uint64_t)BLOCK * width * 8);
	values->errors = malloc((uint64_t)BLOCK * width * 8);
	return values->integers && values->numbers && values->errors ? 0 : -ENOMEM;
}

static void values_free(struct values *values)
{
	free(values->integers);
	free(values->numbers);
	free(values->errors);
}

static void begin_block(struct walk *walk)
{
	const uint32_t *dense = walk->job->dense + walk->first * DLRM_DENSE;
	float value;

	walk->now.width = DLRM_DENSE;
	for (uint32_t i = 0; i < walk->samples * DLRM_DENSE; i++) {
		walk->now.integers[i] = dense[i];
		memcpy(&value, &dense[i], 4);
		walk->now.numbers[i] = (double)value;
		walk->now.errors[i] = 0;
	}
}

static void integer_output(const struct walk *walk, const uint32_t *row,
			   uint32_t output)
{
	for (uint32_t i = 0; i < walk->samples; i++)
		walk->next.integers[i * walk->next.width + output] = row[0] +
			walk->job->dot->i32(row + 1, walk->now.integers +
						     i * walk->now.width,
					    walk->now.width);
}

static void float_output(const struct walk *walk, const float *row, uint32_t output)
{
	uint32_t width = walk->now.width;

	for (uint32_t i = 0; i < walk->samples; i++) {
		uint32_t at = i * walk->next.width + output;
		double sum, bound;

		walk->job->dot->f32(row + 1, walk->now.numbers + i * width,
				    walk->slack + i * width, width, &sum, &bound);
		walk->next.numbers[at] = sum + (double)row[0];
		walk->next.errors[at] = bound + gamma_of(width) *
						fabs((double)row[0]);
	}
}

/* What each input adds to the bound, times the magnitude of its weight. */
static void set_slack(struct walk *walk)
{
	double gamma = gamma_of((uint64_t)walk->now.width + 1);

	for (uint32_t i = 0; i < walk->samples * walk->now.width; i++) {
		double error = walk->now.errors[i];

		walk->slack[i] = (error + gamma * (fabs(walk->now.numbers[i]) +
						   error)) * (1 + 0x1p-40) +
				 0x1p-120;
	}
}

static void turn(struct walk *walk)
{
	struct values now = walk->now;

	walk->now = walk->next;
	walk->next = now;
}

static void activate(struct walk *walk)
{
	for (uint32_t i = 0; i < walk->samples * walk->now.width; i++) {
		if ((int32_t)walk->now.integers[i] < 0)
			walk->now.integers[i] = 0;
		if (walk->now.numbers[i] < 0)
			walk->now.numbers[i] = 0;
	}
}

static void pass_layer(struct walk *walk, uint32_t number)
{
	const struct dlrm_model *model = walk->job->model;
	const struct dlrm_layer *layer = &model->layers[number];
	const uint8_t *row = model->weights + layer->at;

	walk->next.width = layer->outputs;
	if (model->type == DLRM_F32)
		set_slack(walk);
	for (uint32_t o = 0; o < layer->outputs; o++, row += layer->row_bytes) {
		if (model->type == DLRM_F32)
			float_output(walk, (const float *)row, o);
		else
			integer_output(walk, (const uint32_t *)row, o);
	}
	turn(walk);
}

/* A table's vector of a sample: the sum of the rows it asks for. */
static void sum_rows(struct walk *walk, uint64_t sample, uint32_t table)
{
	const struct dlrm_model *model = walk->job->model;
	uint32_t pooling = walk->job->samples->pooling, dim = model->dim;
	const uint32_t *rows = walk->job->samples->categories +
		(sample * DLRM_MAX_TABLES + table) * pooling;
	uint32_t at = (table + 1) * dim, row[DLRM_MAX_DIM];
	float value;

	for (uint32_t k = 0; k < dim; k++) {
		walk->words[at + k] = 0;
		walk->vectors[at + k] = 0;
		walk->off[at + k] = 0;
	}
	for (uint32_t l = 0; l < pooling; l++) {
		dlrm_embedding(model, table, rows[l], 0, dim, row);
		for (uint32_t k = 0; k < dim; k++) {
			memcpy(&value, &row[k], 4);
			walk->words[at + k] += row[k];
			walk->vectors[at + k] += (double)value;
			walk->off[at + k] += fabs((double)value) *
					     gamma_of(pooling - 1);
		}
	}
}

/* The product of two vectors, with what it may be off by. */
static void multiply_pair(const struct walk *walk, uint32_t a, uint32_t b, uint32_t to)
{
	uint32_t dim = walk->job->model->dim, integer = 0;
	double gamma = gamma_of((uint64_t)dim + 1), sum = 0, error = 0;
	const double *x = walk->vectors + a * dim, *y = walk->vectors + b * dim;
	const double *ex = walk->off + a * dim, *ey = walk->off + b * dim;

	for (uint32_t k = 0; k < dim; k++) {
		double larger = (fabs(x[k]) + ex[k]) * (fabs(y[k]) + ey[k]);

		integer += walk->words[a * dim + k] * walk->words[b * dim + k];
		sum += x[k] * y[k];
		error += larger - fabs(x[k] * y[k]) + gamma * larger + 0x1p-120;
	}
	walk->next.integers[to] = integer;
	walk->next.numbers[to] = sum;
	walk->next.errors[to] = error * (1 + 0x1p-40) + fabs(sum) * 0x1p-40;
}

/* One sample's vector of the bottom layers, and all pairs of vectors. */
static void interact_sample(struct walk *walk, uint32_t i)
{
	const struct dlrm_model *model = walk->job->model;
	uint32_t to = i * walk->next.width, dim = model->dim;

	for (uint32_t k = 0; k < dim; k++) {
		walk->words[k] = walk->now.integers[i * dim + k];
		walk->vectors[k] = walk->now.numbers[i * dim + k];
		walk->off[k] = walk->now.errors[i * dim + k];
		walk->next.integers[to + k] = walk->words[k];
		walk->next.numbers[to + k] = walk->vectors[k];
		walk->next.errors[to + k] = walk->off[k];
	}
	for (uint32_t table = 0; table < model->tables; table++)
		sum_rows(walk, walk->first + i, table);
	to += dim;
	for (uint32_t a = 1; a <= model->tables; a++)
		for (uint32_t b = 0; b < a; b++)
			multiply_pair(walk, a, b, to++);
}

static void keep_scores(struct walk *walk)
{
	struct dlrm_reference *reference = walk->job->reference;

	for (uint32_t i = 0; i < walk->samples; i++) {
		reference->integers[walk->first + i] = walk->now.integers[i];
		reference->scores[walk->first + i] = walk->now.numbers[i];
		reference->bounds[walk->first + i] = walk->now.errors[i];
	}
}

/* Whether f32 holds all values, behind a layer. */
static bool in_range(const struct walk *walk)
{
	for (uint32_t i = 0; i < walk->samples * walk->now.width; i++) {
		if (!(fabs(walk->now.numbers[i]) + walk->now.errors[i] <= FLT_MAX))
			return false;
	}
	return true;
}

static bool walk_block(struct walk *walk)
{
	const struct dlrm_model *model = walk->job->model;
	uint32_t last = model->bottom + model->top - 1;
	bool held = true;

	begin_block(walk);
	for (uint32_t i = 0; i <= last; i++) {
		if (i == model->bottom) {
			walk->next.width = dlrm_interactions(model);
			for (uint32_t k = 0; k < walk->samples; k++)
				interact_sample(walk, k);
			turn(walk);
			held &= model->type != DLRM_F32 || in_range(walk);
		}
		pass_layer(walk, i);
		held &= model->type != DLRM_F32 || in_range(walk);
		if (i < last)
			activate(walk);
	}
	keep_scores(walk);
	return held;
}

static int walk_make(struct walk *walk)
{
	const struct dlrm_model *model = walk->job->model;
	uint64_t vectors = (uint64_t)(model->tables + 1) * model->dim;
	int ret = values_make(&walk->now, walk->job->widest);

	if (!ret)
		ret = values_make(&walk->next, walk->job->widest);
	walk->slack = malloc((uint64_t)BLOCK * walk->job->widest * 8);
	walk->vectors = malloc(vectors * 8);
	walk->off = malloc(vectors * 8);
	walk->words = malloc(vectors * 4);
	return !ret && walk->slack && walk->vectors && walk->off && walk->words ?
		       0 : -ENOMEM;
}

static void walk_free(struct walk *walk)
{
	values_free(&walk->now);
	values_free(&walk->next);
	free(walk->slack);
	free(walk->vectors);
	free(walk->off);
	free(walk->words);
}

static void reference_part(unsigned int part, unsigned int parts, void *arg)
{
	struct reference_job *job = arg;
	struct walk walk = { .job = job };
	uint64_t count = job->samples->count;
	uint64_t end = app_part_first(count, part + 1, parts);

	if (walk_make(&walk))
		job->failed = true;
	walk.first = app_part_first(count, part, parts);
	for (; !job->failed && walk.first < end; walk.first += walk.samples) {
		walk.samples = end - walk.first < BLOCK ?
				       (uint32_t)(end - walk.first) : BLOCK;
		if (!walk_block(&walk))
			job->overflow = true;
	}
	walk_free(&walk);
}

/* Widest layer or interaction, whose sums are the longest, too. */
static uint32_t widest_of(const struct dlrm_model *model)
{
	uint32_t widest = dlrm_interactions(model);

	for (uint32_t i = 0; i < model->bottom + model->top; i++) {
		if (model->layers[i].inputs > widest)
			widest = model->layers[i].inputs;
		if (model->layers[i].outputs > widest)
			widest = model->layers[i].outputs;
	}
	return widest;
}

int dlrm_reference_make(const struct dlrm_model *model,
			const struct dlrm_samples *samples, const uint32_t *dense,
			unsigned int threads, struct dlrm_reference *reference)
{
	struct reference_job job = {
		.model = model, .samples = samples, .dense = dense,
		.dot = app_dot_fastest(), .reference = reference,
		.widest = widest_of(model),
	};

	*reference = (struct dlrm_reference){
		.integers = malloc(samples->count * 4),
		.scores = malloc(samples->count * 8),
		.bounds = malloc(samples->count * 8),
	};
	if (!reference->integers || !reference->scores || !reference->bounds)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->bottom + model->top; i++) {
		if (model->layers[i].inputs > reference->additions)
			reference->additions = model->layers[i].inputs;
	}
	app_parallel(threads, reference_part, &job);
	reference->overflow = job.overflow;
	return job.failed ? -ENOMEM : 0;
}

void dlrm_reference_free(struct dlrm_reference *reference)
{
	free(reference->integers);
	free(reference->scores);
	free(reference->bounds);
	*reference = (struct dlrm_reference){ 0 };
}

uint64_t dlrm_reference_differ(const struct dlrm_reference *reference,
			       uint64_t count, const uint32_t *scores,
			       double *largest, double *bound)
{
	uint64_t wrong = 0;
	float score;

	if (!largest) {
		for (uint64_t i = 0; i < count; i++)
			wrong += scores[i] != reference->integers[i];
		return wrong;
	}
	*largest = -1;
	for (uint64_t i = 0; i < count; i++) {
		double error;

		memcpy(&score, &scores[i], 4);
		error = fabs((double)score - reference->scores[i]);
		/* what is no number is no score either */
		wrong += !(error <= reference->bounds[i]);
		if (error > *largest) {
			*largest = error;
			*bound = reference->bounds[i];
		}
	}
	return wrong;
}
