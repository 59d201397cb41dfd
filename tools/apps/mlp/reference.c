// SPDX-License-Identifier: MIT
/*
 * The model on the host: integers modulo 2^w, f32 in double precision with a bound of
 * what single precision may be off. Of the PEs' side it shares the model alone.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/parallel.h"
#include "tools/apps/common/dot.h"
#include "tools/apps/mlp/reference.h"

#define ROWS_AT_ONCE 4

/* one layer, all samples */
struct layer_job {
	const struct mlp_model *model;
	unsigned int layer;
	const struct app_dot *dot;
	const void *inputs;	/* integers: elements; f32: doubles; [batch][inputs] */
	const double *slack;	/* f32: what an input's product may be off by */
	int32_t *integers;	/* outputs, or */
	double *sums, *bounds;
	uint8_t *scratch;	/* rows of the weights, for each thread */
};

static uint32_t outputs_of(const struct layer_job *job)
{
	return job->model->layers[job->layer].outputs;
}

static uint32_t inputs_of(const struct layer_job *job)
{
	return job->model->layers[job->layer].inputs;
}

static uint64_t row_bytes(const struct layer_job *job)
{
	return (uint64_t)inputs_of(job) *
	       mlp_traits[job->model->type].element_bytes;
}

static void integer_row(const struct layer_job *job, const uint8_t *row,
			uint32_t output)
{
	const uint8_t *inputs = job->inputs;
	uint32_t n = inputs_of(job), outputs = outputs_of(job), sum = 0;

	for (uint32_t b = 0; b < job->model->batch; b++, inputs += row_bytes(job)) {
		switch (job->model->type) {
		case MLP_I8:
			sum = (uint32_t)(int8_t)job->dot->i8(row, inputs, n);
			break;
		case MLP_I8_I32:
			sum = job->dot->i8(row, inputs, n);
			break;
		case MLP_I16:
			sum = (uint32_t)(int16_t)job->dot->i16(row, inputs, n);
			break;
		default:
			sum = job->dot->i32(row, inputs, n);
			break;
		}
		job->integers[(uint64_t)b * outputs + output] = (int32_t)sum;
	}
}

static void float_row(const struct layer_job *job, const uint8_t *row,
		      uint32_t output)
{
	uint32_t n = inputs_of(job);

	for (uint64_t b = 0; b < job->model->batch; b++) {
		uint64_t at = b * outputs_of(job) + output;

		job->dot->f32(row, (const double *)job->inputs + b * n,
			      job->slack + b * n, n, &job->sums[at],
			      &job->bounds[at]);
	}
}

static void layer_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct layer_job *job = arg;
	uint64_t bytes = row_bytes(job);
	uint8_t *rows = job->scratch + part * ROWS_AT_ONCE * bytes;
	uint32_t end = (uint32_t)app_part_first(outputs_of(job), part + 1, parts);

	for (uint32_t first = (uint32_t)app_part_first(outputs_of(job), part, parts);
	     first < end; first += ROWS_AT_ONCE) {
		uint32_t n = end - first < ROWS_AT_ONCE ? end - first : ROWS_AT_ONCE;

		mlp_weights(job->model, job->layer, first, n, rows);
		for (uint32_t i = 0; i < n; i++) {
			if (job->integers)
				integer_row(job, rows + i * bytes, first + i);
			else
				float_row(job, rows + i * bytes, first + i);
		}
	}
}

/* all rows of a layer; frees nothing */
static int run_layer(struct layer_job *job, unsigned int threads)
{
	job->scratch = malloc(threads * ROWS_AT_ONCE * row_bytes(job));
	if (!job->scratch)
		return -ENOMEM;
	app_parallel(threads, layer_part, job);
	free(job->scratch);
	return 0;
}

/* A sum as the next layer's input, as the paper's activation and our scaling have it. */
static int32_t activate_integer(const struct mlp_model *model, unsigned int layer,
				int32_t sum)
{
	uint32_t shift = model->layers[layer].shift;
	int64_t value = sum;

	if (model->relu && value < 0)
		value = 0;
	if (model->type != MLP_I8_I32)
		return (int32_t)value;
	if (shift)
		value = (value + (INT64_C(1) << (shift - 1))) >> shift;
	value = value > 127 ? 127 : value;
	return (int32_t)(value < -128 ? -128 : value);
}

/* Sums of a layer to elements, in a new array; NULL. */
static void *next_integers(const struct mlp_model *model, unsigned int layer,
			   const int32_t *sums)
{
	uint32_t size = mlp_traits[model->type].element_bytes;
	uint64_t n = (uint64_t)model->batch * model->layers[layer].outputs;
	uint8_t *elements = malloc(n * size);

	for (uint64_t i = 0; elements && i < n; i++) {
		int32_t value = activate_integer(model, layer, sums[i]);

		memcpy(elements + i * size, &value, size);
	}
	return elements;
}

static void last_integers(const struct mlp_model *model, int32_t *sums)
{
	uint64_t n = (uint64_t)model->batch * mlp_outputs(model);

	for (uint64_t i = 0; model->last_relu && i < n; i++)
		sums[i] = sums[i] < 0 ? 0 : sums[i];
}

static int reference_integers(const struct mlp_model *model, unsigned int threads,
			      const struct app_dot *dot,
			      struct mlp_reference *reference)
{
	struct layer_job job = { .model = model, .dot = dot,
				 .inputs = model->features };
	void *elements = NULL;
	int ret = 0;

	for (; !ret && job.layer < model->nr_layers; job.layer++) {
		reference->integers = calloc(outputs_of(&job),
					     (uint64_t)model->batch * 4);
		job.integers = reference->integers;
		ret = job.integers ? run_layer(&job, threads) : -ENOMEM;
		free(elements);
		elements = NULL;
		if (ret || job.layer + 1 == model->nr_layers)
			continue;
		elements = next_integers(model, job.layer, job.integers);
		job.inputs = elements;
		ret = elements ? 0 : -ENOMEM;
		free(reference->integers);
		reference->integers = NULL;
	}
	if (!ret)
		last_integers(model, reference->integers);
	return ret;
}

/*
 * A sum of n products with n roundings on the longest way from a product to it is off
 * by at most gamma = n u / (1 - n u) times the sum of the products' magnitudes, u being
 * 2^-24. Of a layer on P PEs n is a PE's columns and P - 1 further additions.
 */
static double gamma_of(uint64_t n)
{
	double nu = (double)n * 0x1p-24;

	return nu / (1 - nu);
}

/*
 * What each input adds to the bound, times the magnitude of its weight: what it is off
 * itself, and the roundings of what PEs have in its place. Room for products that are
 * rounded to denormals, and for this side's own roundings.
 */
static double *make_slack(const double *inputs, const double *errors, uint64_t n,
			  double gamma)
{
	double *slack = malloc(n * sizeof(*slack));

	for (uint64_t i = 0; slack && i < n; i++) {
		double error = errors ? errors[i] : 0;

		slack[i] = (error + gamma * (fabs(inputs[i]) + error)) *
				   (1 + 0x1p-40) + 0x1p-120;
	}
	return slack;
}

static double *features_as_doubles(const struct mlp_model *model)
{
	uint64_t n = (uint64_t)model->batch * model->layers[0].inputs;
	const float *features = model->features;
	double *inputs = malloc(n * sizeof(*inputs));

	for (uint64_t i = 0; inputs && i < n; i++)
		inputs[i] = features[i];
	return inputs;
}

/* One layer from inputs and their errors, which it replaces by its outputs. */
static int float_layer(struct layer_job *job, uint32_t nr_pes, unsigned int threads,
		       double **inputs, double **errors)
{
	const struct mlp_model *model = job->model;
	uint32_t columns = (inputs_of(job) + nr_pes - 1) / nr_pes;
	uint64_t n = (uint64_t)model->batch * inputs_of(job);
	double *slack = make_slack(*inputs, *errors, n,
				   gamma_of((uint64_t)columns + nr_pes));
	int ret = -ENOMEM;

	job->inputs = *inputs;
	job->slack = slack;
	n = (uint64_t)model->batch * outputs_of(job);
	job->sums = malloc(n * sizeof(double));
	job->bounds = malloc(n * sizeof(double));
	if (slack && job->sums && job->bounds)
		ret = run_layer(job, threads);
	free(slack);
	free(*inputs);
	free(*errors);
	*inputs = job->sums;
	*errors = job->bounds;
	return ret;
}

/* The activation, which no error grows by; tells whether f32 holds all values. */
static bool activate_floats(bool relu, double *sums, const double *bounds,
			    uint64_t n)
{
	bool held = true;

	for (uint64_t i = 0; i < n; i++) {
		held &= fabs(sums[i]) + bounds[i] <= FLT_MAX;
		if (relu && sums[i] < 0)
			sums[i] = 0;
	}
	return held;
}

static int reference_floats(const struct mlp_model *model, uint32_t nr_pes,
			    unsigned int threads, const struct app_dot *dot,
			    struct mlp_reference *reference)
{
	struct layer_job job = { .model = model, .dot = dot };
	double *inputs = features_as_doubles(model), *errors = NULL;
	int ret = inputs ? 0 : -ENOMEM;

	for (; !ret && job.layer < model->nr_layers; job.layer++) {
		bool last = job.layer + 1 == model->nr_layers;
		uint64_t columns = (inputs_of(&job) + nr_pes - 1) / nr_pes;

		ret = float_layer(&job, nr_pes, threads, &inputs, &errors);
		if (!ret && !activate_floats(last ? model->last_relu : model->relu,
					     inputs, errors, (uint64_t)model->batch *
					     outputs_of(&job)))
			reference->overflow = true;
		if (columns + nr_pes - 1 > reference->additions)
			reference->additions = columns + nr_pes - 1;
	}
	reference->scores = inputs;
	reference->bounds = errors;
	return ret;
}

int mlp_reference_make(const struct mlp_model *model, uint32_t nr_pes,
		       unsigned int threads, struct mlp_reference *reference)
{
	const struct app_dot *dot = app_dot_fastest();

	*reference = (struct mlp_reference){ 0 };
	if (model->type == MLP_F32)
		return reference_floats(model, nr_pes, threads, dot, reference);
	return reference_integers(model, threads, dot, reference);
}

void mlp_reference_free(struct mlp_reference *reference)
{
	free(reference->integers);
	free(reference->scores);
	free(reference->bounds);
	*reference = (struct mlp_reference){ 0 };
}

static uint64_t floats_differ(const struct mlp_reference *reference, uint64_t n,
			      const float *scores, double *largest, double *bound)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < n; i++) {
		double error = fabs(scores[i] - reference->scores[i]);

		/* what is no number is no score either */
		wrong += !(error <= reference->bounds[i]);
		if (error > *largest || !i) {
			*largest = error;
			*bound = reference->bounds[i];
		}
	}
	return wrong;
}

uint64_t mlp_reference_differ(const struct mlp_reference *reference,
			      const struct mlp_model *model, const void *scores,
			      double *largest, double *bound)
{
	uint64_t n = (uint64_t)model->batch * mlp_outputs(model), wrong = 0;
	uint32_t size = mlp_traits[model->type].sum_bytes;

	*largest = 0;
	*bound = 0;
	if (model->type == MLP_F32)
		return floats_differ(reference, n, scores, largest, bound);
	for (uint64_t i = 0; i < n; i++)
		wrong += memcmp((const uint8_t *)scores + i * size,
				&reference->integers[i], size) != 0;
	return wrong;
}
