// SPDX-License-Identifier: MIT
/*
 * Stochastic gradient descent with momentum, cross entropy behind a softmax. Samples of
 * a batch go forward and back independently, then each row of weights adds up what they
 * say: no sum depends on the number of threads.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/apps/common/parallel.h"
#include "tools/apps/common/progress.h"
#include "tools/apps/common/random.h"
#include "tools/apps/mlp/idx.h"
#include "tools/apps/mlp/loops.h"
#include "tools/apps/mlp/train.h"
#include "tools/tool.h"

#define BATCH		MLP_FIT_BATCH
#define RATE		0.08f	/* of the first step, falling to 0 */
#define MOMENTUM	0.9f
#define HIDDEN_1	128	/* multiples of 4 */
#define HIDDEN_2	64
#define ROOM		12	/* for the classes: a multiple of 4 */

/* streams of random numbers */
#define STREAM_ORDER	0x666974u
#define STREAM_WEIGHTS	(STREAM_ORDER + 1)

/* images whose activations say how large these become */
#define PROBED		(20 * BATCH)

/* a share of activations that may be larger than the largest told */
#define OUTLIERS	0.0005

static void file_name(char *path, size_t bytes, const char *folder, const char *name,
		      const char *what)
{
	snprintf(path, bytes, "%s/%s-%s", folder, name, what);
	if (access(path, F_OK))
		snprintf(path, bytes, "%s/%s-%s.gz", folder, name, what);
}

static int take_images(const struct idx *pixels, const struct idx *labels,
		       const char *path, struct mlp_images *images)
{
	uint64_t values;

	images->count = pixels->dims[0];
	if (labels->dims[0] != images->count)
		return tool_error("%s: %s labels, expected one for each of %s images",
				  path, tool_count(labels->dims[0]),
				  tool_count(images->count));
	for (uint32_t i = 0; i < images->count; i++) {
		if (labels->data[i] >= MLP_CLASSES)
			return tool_error("%s: label %s is %u, expected less than %u",
					  path, tool_count(i), labels->data[i],
					  MLP_CLASSES);
	}
	if (pixels->dims[1] != 28 || pixels->dims[2] != 28)
		return tool_error("%s: images of %u x %u pixels, expected 28 x 28",
				  path, pixels->dims[1], pixels->dims[2]);
	images->pixels = 28 * 28;
	values = (uint64_t)images->count * images->pixels;
	images->values = malloc(values * sizeof(float));
	if (!images->values)
		return tool_error("%s: no memory for %s pixels", path,
				  tool_count(values));
	for (uint64_t i = 0; i < values; i++)
		images->values[i] = (float)pixels->data[i] / 255;
	return TOOL_OK;
}

int mlp_images_load(const char *folder, const char *name, struct mlp_images *images)
{
	struct idx pixels, labels = { .data = NULL };
	char path[4096];
	int ret;

	*images = (struct mlp_images){ 0 };
	file_name(path, sizeof(path), folder, name, "images-idx3-ubyte");
	ret = idx_load(path, 3, &pixels);
	if (!ret) {
		file_name(path, sizeof(path), folder, name, "labels-idx1-ubyte");
		ret = idx_load(path, 1, &labels);
	}
	images->labels = labels.data;
	if (!ret)
		ret = take_images(&pixels, &labels, path, images);
	free(pixels.data);
	return ret;
}

void mlp_images_free(struct mlp_images *images)
{
	free(images->values);
	free(images->labels);
	*images = (struct mlp_images){ 0 };
}

/* A layer while it is fitted: its rows are padded to a multiple of 4. */
struct fitted {
	uint32_t inputs, outputs;
	float *weights, *velocity;	/* [outputs][inputs] */
	float *values, *deltas;		/* behind it: [BATCH][outputs] */
};

struct training {
	const struct mlp_loops *loops;
	const struct mlp_images *images;
	struct fitted layers[MLP_FIT_LAYERS];
	uint32_t *order;	/* images, shuffled */
	uint32_t first;		/* of the batch, in order */
	float *pixels;		/* of the batch */
	float rate;
	float *gradients;	/* a row for each thread */
	uint32_t widest;
};

/* The values that a layer begins with. */
static const float *inputs_of(const struct training *t, unsigned int layer)
{
	return layer ? t->layers[layer - 1].values : t->pixels;
}

static void forward(const struct training *t, uint32_t b)
{
	for (unsigned int k = 0; k < MLP_FIT_LAYERS; k++) {
		const struct fitted *layer = &t->layers[k];
		const float *x = inputs_of(t, k) + (uint64_t)b * layer->inputs;
		float *y = layer->values + (uint64_t)b * layer->outputs;

		for (uint32_t o = 0; o < layer->outputs; o += 4)
			t->loops->dot_four(x, layer->weights +
					      (uint64_t)o * layer->inputs,
					   layer->inputs, y + o);
		for (uint32_t o = 0; k + 1 < MLP_FIT_LAYERS && o < layer->outputs; o++)
			y[o] = y[o] < 0 ? 0 : y[o];
	}
}

/* The scores' share in the loss: what the softmax has, less the right class. */
static void begin_deltas(const struct training *t, uint32_t b)
{
	const struct fitted *last = &t->layers[MLP_FIT_LAYERS - 1];
	const float *y = last->values + (uint64_t)b * last->outputs;
	float *d = last->deltas + (uint64_t)b * last->outputs;
	float most = y[0], sum = 0;

	for (uint32_t i = 1; i < MLP_CLASSES; i++)
		most = y[i] > most ? y[i] : most;
	for (uint32_t i = 0; i < last->outputs; i++) {
		d[i] = i < MLP_CLASSES ? expf(y[i] - most) : 0;
		sum += d[i];
	}
	for (uint32_t i = 0; i < MLP_CLASSES; i++)
		d[i] /= sum * BATCH;
	d[t->images->labels[t->order[t->first + b]]] -= 1.0f / BATCH;
}

static void backward(const struct training *t, uint32_t b)
{
	begin_deltas(t, b);
	for (unsigned int k = MLP_FIT_LAYERS - 1; k; k--) {
		const struct fitted *layer = &t->layers[k];
		const float *d = layer->deltas + (uint64_t)b * layer->outputs;
		const float *x = layer[-1].values + (uint64_t)b * layer->inputs;
		float *to = layer[-1].deltas + (uint64_t)b * layer->inputs;

		memset(to, 0, layer->inputs * sizeof(*to));
		for (uint32_t o = 0; o < layer->outputs; o += 4)
			t->loops->add_four(to, layer->weights +
					       (uint64_t)o * layer->inputs,
					   layer->inputs, d + o, layer->inputs);
		for (uint32_t i = 0; i < layer->inputs; i++)
			to[i] = x[i] > 0 ? to[i] : 0;
	}
}

static void load_pixels(const struct training *t, uint32_t b)
{
	uint32_t pixels = t->images->pixels;

	memcpy(t->pixels + (uint64_t)b * pixels,
	       t->images->values + (uint64_t)t->order[t->first + b] * pixels,
	       pixels * sizeof(float));
}

static void samples_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct training *t = arg;
	uint32_t end = (uint32_t)app_part_first(BATCH, part + 1, parts);

	for (uint32_t b = (uint32_t)app_part_first(BATCH, part, parts); b < end; b++) {
		load_pixels(t, b);
		forward(t, b);
		backward(t, b);
	}
}

/* One row of weights by what all samples of the batch say. */
static void update_row(const struct training *t, unsigned int k, uint32_t o,
		       float *gradient)
{
	const struct fitted *layer = &t->layers[k];
	float *weights = layer->weights + (uint64_t)o * layer->inputs;
	float *velocity = layer->velocity + (uint64_t)o * layer->inputs;

	memset(gradient, 0, layer->inputs * sizeof(*gradient));
	for (uint32_t b = 0; b < BATCH; b += 4) {
		float factors[4];

		for (uint32_t i = 0; i < 4; i++)
			factors[i] = layer->deltas[(uint64_t)(b + i) *
						   layer->outputs + o];
		/* behind the activation many are */
		if (factors[0] == 0 && factors[1] == 0 && factors[2] == 0 &&
		    factors[3] == 0)
			continue;
		t->loops->add_four(gradient, inputs_of(t, k) +
					     (uint64_t)b * layer->inputs,
				   layer->inputs, factors, layer->inputs);
	}
	for (uint32_t i = 0; i < layer->inputs; i++) {
		velocity[i] = MOMENTUM * velocity[i] - t->rate * gradient[i];
		weights[i] += velocity[i];
	}
}

static void rows_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct training *t = arg;
	float *gradient = t->gradients + (uint64_t)part * t->widest;

	for (unsigned int k = 0; k < MLP_FIT_LAYERS; k++) {
		uint32_t outputs = t->layers[k].outputs;
		uint32_t end = (uint32_t)app_part_first(outputs, part + 1, parts);

		for (uint32_t o = (uint32_t)app_part_first(outputs, part, parts);
		     o < end; o++)
			update_row(t, k, o, gradient);
	}
}

/* Every order is equally likely. */
static void shuffle(const struct training *t, uint64_t seed, uint32_t epoch)
{
	uint32_t count = t->images->count;

	for (uint32_t i = count - 1; i; i--) {
		uint32_t k = (uint32_t)app_random_below(
			app_random(seed, STREAM_ORDER,
				   (uint64_t)epoch * count + i), i + 1);
		uint32_t other = t->order[k];

		t->order[k] = t->order[i];
		t->order[i] = other;
	}
}

static void run_epochs(struct training *t, uint32_t epochs, uint64_t seed,
		       unsigned int threads)
{
	uint32_t batches = t->images->count / BATCH;
	uint64_t steps = (uint64_t)epochs * batches, step = 0;

	for (uint32_t epoch = 0; epoch < epochs; epoch++) {
		shuffle(t, seed, epoch);
		for (uint32_t i = 0; i < batches; i++, step++) {
			t->first = i * BATCH;
			t->rate = RATE * (1 - (float)step / (float)steps);
			app_parallel(threads, samples_part, t);
			app_parallel(threads, rows_part, t);
			app_progress("training", step, steps);
		}
	}
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* How large activations behind each layer become, outliers aside. */
static int probe_largest(struct training *t, struct mlp_fit *fit)
{
	uint32_t probed = t->images->count < PROBED ? t->images->count / BATCH * BATCH :
						      PROBED;

	for (unsigned int k = 0; k < MLP_FIT_LAYERS; k++) {
		uint64_t outputs = t->layers[k].outputs, n = probed * outputs;
		float *values = malloc(n * sizeof(*values));

		if (!values)
			return -ENOMEM;
		for (t->first = 0; t->first < probed; t->first += BATCH) {
			for (uint32_t b = 0; b < BATCH; b++) {
				load_pixels(t, b);
				forward(t, b);
			}
			memcpy(values + t->first * outputs, t->layers[k].values,
			       BATCH * outputs * sizeof(*values));
		}
		qsort(values, n, sizeof(*values), by_size);
		fit->largest[k] = values[(uint64_t)((double)n * (1 - OUTLIERS))];
		free(values);
	}
	return 0;
}

static int make_layer(struct training *t, unsigned int k, uint32_t inputs,
		      uint32_t outputs, uint64_t seed)
{
	struct fitted *layer = &t->layers[k];
	uint64_t n = (uint64_t)inputs * outputs;
	float scale = sqrtf(6.0f / (float)inputs);

	layer->inputs = inputs;
	layer->outputs = outputs;
	layer->weights = malloc(n * sizeof(float));
	layer->velocity = calloc(n, sizeof(float));
	layer->values = calloc(outputs, BATCH * sizeof(float));
	layer->deltas = calloc(outputs, BATCH * sizeof(float));
	if (!layer->weights || !layer->velocity || !layer->values || !layer->deltas)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++)
		layer->weights[i] = scale * (float)(2 * app_random_unit(
			app_random(seed, STREAM_WEIGHTS + k, i)) - 1);
	return 0;
}

static int make_training(struct training *t, unsigned int threads, uint64_t seed)
{
	uint32_t pixels = t->images->pixels, count = t->images->count;

	t->loops = mlp_loops_fastest();
	t->widest = pixels;
	t->order = malloc(count * sizeof(*t->order));
	t->pixels = malloc((uint64_t)BATCH * pixels * sizeof(float));
	t->gradients = malloc((uint64_t)threads * t->widest * sizeof(float));
	if (!t->order || !t->pixels || !t->gradients ||
	    make_layer(t, 0, pixels, HIDDEN_1, seed) ||
	    make_layer(t, 1, HIDDEN_1, HIDDEN_2, seed) ||
	    make_layer(t, 2, HIDDEN_2, ROOM, seed))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		t->order[i] = i;
	return 0;
}

static void free_training(struct training *t)
{
	for (unsigned int k = 0; k < MLP_FIT_LAYERS; k++) {
		free(t->layers[k].weights);
		free(t->layers[k].velocity);
		free(t->layers[k].values);
		free(t->layers[k].deltas);
	}
	free(t->order);
	free(t->pixels);
	free(t->gradients);
}

static void take_weights(struct training *t, struct mlp_fit *fit)
{
	fit->widths[0] = t->images->pixels;
	for (unsigned int k = 0; k < MLP_FIT_LAYERS; k++) {
		fit->widths[k + 1] = t->layers[k].outputs;
		fit->weights[k] = t->layers[k].weights;
		t->layers[k].weights = NULL;
	}
	/* rows behind these only fill the loops */
	fit->widths[MLP_FIT_LAYERS] = MLP_CLASSES;
}

int mlp_fit_images(const struct mlp_images *images, uint32_t epochs, uint64_t seed,
		   unsigned int threads, struct mlp_fit *fit)
{
	struct training t = { .images = images };
	int ret = make_training(&t, threads, seed);

	*fit = (struct mlp_fit){ .widths = { 0 } };
	if (!ret) {
		run_epochs(&t, epochs, seed, threads);
		ret = probe_largest(&t, fit);
	}
	if (!ret)
		take_weights(&t, fit);
	free_training(&t);
	return ret;
}

void mlp_fit_free(struct mlp_fit *fit)
{
	for (unsigned int k = 0; k < MLP_FIT_LAYERS; k++)
		free(fit->weights[k]);
	*fit = (struct mlp_fit){ .widths = { 0 } };
}
