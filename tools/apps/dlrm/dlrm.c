// SPDX-License-Identifier: MIT
/* `pimdimm app dlrm`: options, samples, plan, run, comparison and result. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/context.h"
#include "tools/apps/dlrm/options.h"
#include "tools/apps/dlrm/reference.h"
#include "tools/apps/dlrm/run.h"

/* Numbers that a sample lacks are 0, as are negative ones; floats are ln(x + 1). */
static int make_dense(struct dlrm_job *job)
{
	uint64_t count = job->samples.count * DLRM_DENSE;

	job->dense = malloc(count * 4);
	for (uint64_t i = 0; job->dense && i < count; i++) {
		int32_t number = job->samples.dense[i];
		float value;

		if (number < 0)
			number = 0;
		value = (float)log((double)number + 1);
		memcpy(&job->dense[i], job->model.type == DLRM_F32 ?
		       (const void *)&value : (const void *)&number, 4);
	}
	return job->dense ? TOOL_OK : app_no_memory("dense numbers");
}

static int dlrm_load(struct app_context *ctx)
{
	struct dlrm *dlrm = ctx->state;
	struct dlrm_job *job = &dlrm->job;
	int ret = dlrm_use_options(ctx);

	if (!ret)
		ret = dlrm_read_samples(ctx, dlrm);
	if (!ret && dlrm_make_weights(&job->model))
		ret = app_no_memory("the layers' weights");
	if (!ret)
		ret = make_dense(job);
	if (!ret && job->batch > job->samples.count)
		job->batch = (uint32_t)job->samples.count;
	return ret;
}

/* The axes for so many PEs: those asked for, or the best. */
static bool axes_for(const struct dlrm *dlrm, uint32_t nr_pes,
		     struct dlrm_layout *layout)
{
	const struct dlrm_job *job = &dlrm->job;
	const uint32_t *axes = dlrm->axes;

	if (!axes[0])
		return dlrm_choose_axes(&job->model, nr_pes, job->batch,
					job->samples.pooling, layout);
	return (uint64_t)axes[0] * axes[1] * axes[2] == nr_pes &&
	       dlrm_set_axes(&job->model, axes[0], axes[1], axes[2], layout);
}

static uint32_t dlrm_fit(const struct app_context *ctx, uint32_t nr_pes)
{
	struct dlrm_layout layout;

	for (uint32_t n = nr_pes / 8 * 8; n; n -= 8) {
		if (axes_for(ctx->state, n, &layout))
			return n;
	}
	return 0;
}

static int dlrm_plan(struct app_context *ctx, struct app_plan *plan)
{
	struct dlrm *dlrm = ctx->state;
	struct dlrm_job *job = &dlrm->job;

	if (!axes_for(dlrm, ctx->nr_pes, &job->layout))
		return tool_usage(&ctx->command, "%u PEs make no axes for this model",
				  ctx->nr_pes);
	plan->ndims = 3;
	plan->dims[0] = job->layout.x;
	plan->dims[1] = job->layout.y;
	plan->dims[2] = job->layout.z;
	dlrm_lay_out(&job->model, job->batch, job->samples.pooling, &job->layout,
		     plan);
	app_plan_host(plan, job->samples.count * 4 *
		      (2 * DLRM_DENSE + DLRM_MAX_TABLES *
		       (uint64_t)job->samples.pooling + 8));
	return TOOL_OK;
}

/* "13-512-256-64-16" */
static void report_layers(struct app_context *ctx, const char *key,
			  const struct dlrm_layer *layers, uint32_t count)
{
	char text[12 * (DLRM_MAX_LAYERS + 1)];
	size_t at = (size_t)sprintf(text, "%" PRIu32, layers[0].inputs);

	for (uint32_t i = 0; i < count; i++)
		at += (size_t)sprintf(text + at, "-%" PRIu32, layers[i].outputs);
	app_report_text(&ctx->report, key, "%s", text);
}

static void report_model(struct app_context *ctx, const struct dlrm_job *job)
{
	const struct dlrm_model *model = &job->model;
	uint64_t rows = 0;

	for (uint32_t i = 0; i < model->tables; i++)
		rows += model->rows[i];
	app_report_number(&ctx->report, "samples", (double)job->samples.count);
	app_report_number(&ctx->report, "batch", job->batch);
	app_report_number(&ctx->report, "tables", model->tables);
	app_report_number(&ctx->report, "rows", (double)rows);
	app_report_number(&ctx->report, "dimension", model->dim);
	app_report_number(&ctx->report, "pooling", job->samples.pooling);
	app_report_text(&ctx->report, "type", "%s",
			model->type == DLRM_F32 ? "f32" : "i32");
	report_layers(ctx, "bottom layers", model->layers, model->bottom);
	report_layers(ctx, "top layers", model->layers + model->bottom, model->top);
}

static int dlrm_run(struct app_context *ctx)
{
	struct dlrm *dlrm = ctx->state;
	struct dlrm_job *job = &dlrm->job;
	int ret = TOOL_OK;

	free(job->scores);
	job->scores = malloc(job->samples.count * 4);
	if (!job->scores)
		return app_no_memory("scores");
	report_model(ctx, job);
	if (!ctx->again)
		ret = dlrm_load_model(ctx, job);
	app_report_phase(&ctx->report, APP_RUN);
	return ret ? ret : dlrm_run_samples(ctx, job);
}

/* What was compared with what, and how it came out. */
static int dlrm_judge(struct app_context *ctx)
{
	const struct dlrm *dlrm = ctx->state;
	const struct dlrm_job *job = &dlrm->job;
	const struct dlrm_reference *reference = &dlrm->expected;
	uint64_t count = job->samples.count, wrong;
	double largest = 0, bound = 0;

	if (job->model.type == DLRM_I32)
		return app_verdict(ctx, dlrm_reference_differ(reference, count,
							      job->scores, NULL,
							      NULL),
				   "every score is the host's, bit for bit");
	if (reference->overflow)
		return tool_error("values leave the range of f32: scores mean nothing");
	wrong = dlrm_reference_differ(reference, count, job->scores, &largest,
				      &bound);
	app_report_number(&ctx->report, "largest error", largest);
	app_report_number(&ctx->report, "its bound", bound);
	return app_verdict(ctx, wrong,
			   "every score is within the bound of sums of up to %" PRIu32 " additions, the largest error %.3g of %.3g",
			   reference->additions, largest, bound);
}

static int dlrm_check(struct app_context *ctx)
{
	struct dlrm *dlrm = ctx->state;
	const struct dlrm_job *job = &dlrm->job;

	/* the input of a run that is not the first is that of the first */
	if (!dlrm->expected.integers &&
	    dlrm_reference_make(&job->model, &job->samples, job->dense, ctx->threads,
				&dlrm->expected)) {
		dlrm_reference_free(&dlrm->expected);
		return app_no_memory("the host's scores");
	}
	return dlrm_judge(ctx);
}

/* A score a line: of integers as it is, of floats behind the sigmoid. */
static int dlrm_write(struct app_context *ctx, FILE *file)
{
	const struct dlrm *dlrm = ctx->state;
	const struct dlrm_job *job = &dlrm->job;
	float score;

	for (uint64_t i = 0; i < job->samples.count && !ferror(file); i++) {
		memcpy(&score, &job->scores[i], 4);
		if (job->model.type == DLRM_F32)
			fprintf(file, "%.9g\n", 1 / (1 + exp(-(double)score)));
		else
			fprintf(file, "%" PRId32 "\n", (int32_t)job->scores[i]);
	}
	return TOOL_OK;
}

static void dlrm_free(struct app_context *ctx)
{
	struct dlrm *dlrm = ctx->state;

	dlrm_reference_free(&dlrm->expected);
	dlrm_samples_free(&dlrm->job.samples);
	free(dlrm->job.dense);
	free(dlrm->job.scores);
	free(dlrm->job.model.weights);
}

const struct app app_dlrm = {
	.name = "dlrm",
	.summary = "a deep learning recommendation model",
	.axes = "X,Y,Z",
	.about =
	"Scores samples by a recommendation model. Its embedding tables are dealt out\n"
	"over axis z, their rows over y and their columns over x. AlltoAll hands each\n"
	"PE the indices of its tables, ReduceScatter along y completes the vectors,\n"
	"AlltoAll among x and z brings those of a sample together, and each PE takes its\n"
	"samples through the layers. f32 is compared with the host within a bound, i32\n"
	"bit by bit.\n"
	"\n"
	"INPUT is a file of Criteo's form (a label, 13 whole numbers, 26 categories of\n"
	"hexadecimal digits, tabs between), maybe compressed, or criteo:rows=N,seed=N\n"
	"for random samples. Tables have the rows of Criteo's Kaggle data set.\n",
	.options = dlrm_options,
	.operand = { "INPUT", .kind = TOOL_FILE },
	.input = "criteo:rows=2K",
	.programs = { &dlrm_lookup, &dlrm_dense },
	.state_bytes = sizeof(struct dlrm),
	.option = dlrm_take_option,
	.load = dlrm_load,
	.fit = dlrm_fit,
	.plan = dlrm_plan,
	.run = dlrm_run,
	.check = dlrm_check,
	.write = dlrm_write,
	.free = dlrm_free,
};
