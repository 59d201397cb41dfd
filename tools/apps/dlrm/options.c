// SPDX-License-Identifier: MIT
/* Options of dlrm, with the model of Criteo's Kaggle data set where they are left out. */
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/files/number.h"
#include "tools/apps/dlrm/options.h"

enum {
	TYPE = APP_OPTION,
	DIMENSION,
	POOLING,
	BATCH,
	MAX_ROWS,
	BOTTOM,
	TOP,
	AXES,
};

#define DEFAULT_DIM	16
#define DEFAULT_BATCH	8192
#define MAX_BATCH	(1u << 20)
#define MAX_POOLING	64
#define MAX_SAMPLES	(UINT64_C(1) << 26)
#define GENERATOR	"criteo:"

static const char *type_word(size_t at)
{
	static const char *const words[] = { "f32", "i32" };

	return at < TOOL_COUNT(words) ? words[at] : NULL;
}

const struct tool_option dlrm_options[] = {
	{ TYPE, "type", { "TYPE", .word = type_word }, .heading = "Of dlrm:",
	  .help = "of all numbers (f32)" },
	{ DIMENSION, "dimension", { .name = "N" },
	  .help = "of embeddings, 16 or 32 (16)" },
	{ POOLING, "pooling", { .name = "N" },
	  .help = "rows of each table that a random sample asks for, and whose sum it gets (1)" },
	{ BATCH, "batch", { .name = "N" }, .help = "samples at once (8192)" },
	{ MAX_ROWS, "max-rows", { .name = "N" },
	  .help = "no table has more; categories are modulo the rows" },
	{ BOTTOM, "bottom", { .name = "N-N-..." },
	  .help = "outputs of the bottom layers but the last (512-256-64)" },
	{ TOP, "top", { .name = "N-N-..." },
	  .help = "outputs of the top layers but the last (512-256)" },
	{ AXES, "axes", { .name = "X,Y,Z" },
	  .help = "lengths, whose product is the number of PEs; else the best" },
	{ 0 },
};

/* Numbers with a character between; how many, 0 where it is something else. */
static unsigned int read_list(const char *text, char between, uint64_t most,
			      uint32_t *list, unsigned int room)
{
	char *copy = strdup(text), *rest = copy, *word, separators[] = { between, 0 };
	unsigned int count = 0;
	uint64_t n;

	while (copy && (word = strsep(&rest, separators))) {
		if (count == room || !app_parse_number(word, &n) || !n || n > most) {
			count = 0;
			break;
		}
		list[count++] = (uint32_t)n;
	}
	free(copy);
	return count;
}

static int take_axes(struct app_context *ctx, struct dlrm *dlrm, const char *text)
{
	if (read_list(text, ',', APP_MAX_PES, dlrm->axes, 3) != 3 ||
	    (uint64_t)dlrm->axes[0] * dlrm->axes[1] * dlrm->axes[2] > APP_MAX_PES)
		return tool_usage(&ctx->command, "--axes \"%s\", expected three lengths X,Y,Z whose product is at most %u",
				  text, APP_MAX_PES);
	return TOOL_OK;
}

int dlrm_take_option(struct app_context *ctx, int option, const char *value)
{
	struct dlrm *dlrm = ctx->state;
	unsigned int place = dlrm->type;
	int ret;

	switch (option) {
	case TYPE:
		ret = app_take_word(ctx, "type", value, type_word, &place);
		dlrm->type = (enum dlrm_type)place;
		return ret;
	case DIMENSION:
		if (strcmp(value, "16") && strcmp(value, "32"))
			return tool_usage(&ctx->command, "--dimension \"%s\", expected 16 or 32",
					  value);
		dlrm->dim = (uint32_t)atoi(value);
		return TOOL_OK;
	case POOLING:
		return app_take_number(ctx, "pooling", value, 1, MAX_POOLING, &dlrm->pooling);
	case BATCH:
		return app_take_number(ctx, "batch", value, 1, MAX_BATCH, &dlrm->batch);
	case MAX_ROWS:
		return app_take_number(ctx, "max-rows", value, 1, UINT32_MAX - 1,
				       &dlrm->max_rows);
	case BOTTOM:
		dlrm->bottom = value;
		return TOOL_OK;
	case TOP:
		dlrm->top = value;
		return TOOL_OK;
	case AXES:
		return take_axes(ctx, dlrm, value);
	}
	return TOOL_OK;
}

static int read_widths(struct app_context *ctx, const char *option,
		       const char *text, uint32_t *widths, unsigned int *count)
{
	*count = read_list(text, '-', DLRM_MAX_WIDTH, widths, DLRM_MAX_LAYERS - 1);
	if (*count)
		return TOOL_OK;
	return tool_usage(&ctx->command, "--%s \"%s\", expected up to %u numbers from 1 to %u, minus signs between",
			  option, text, DLRM_MAX_LAYERS - 1, DLRM_MAX_WIDTH);
}

/* What the axes asked for lack, with the nearest that would do. */
static int check_axes(struct app_context *ctx, const struct dlrm *dlrm)
{
	const uint32_t *axes = dlrm->axes;
	uint32_t x = axes[0], y = axes[1], z = axes[2], product = x * y * z;
	struct dlrm_layout layout;

	if (!x || dlrm_set_axes(&dlrm->job.model, x, y, z, &layout)) {
		if (!x || !ctx->pes_asked || ctx->pes_asked == product)
			return TOOL_OK;
		return tool_usage(&ctx->command, "axes %u,%u,%u are %u PEs, not %u",
				  x, y, z, product, ctx->pes_asked);
	}
	/* powers of two at most what was asked for, and enough PEs */
	x = 1u << (31 - __builtin_clz(x < DLRM_MAX_DIM ? x : DLRM_MAX_DIM));
	while (dlrm->job.model.dim % x)
		x /= 2;
	y = 1u << (31 - __builtin_clz(y));
	if (z > dlrm->job.model.tables)
		z = dlrm->job.model.tables;
	while (x * y * z % 8)
		y *= 2;
	return tool_usage(&ctx->command, "axes %u,%u,%u: X divides the dimension, %u, X and Y are powers of two, Z is at most the %u tables, and the product is a multiple of 8; %u,%u,%u would do",
			  axes[0], axes[1], axes[2], dlrm->job.model.dim,
			  dlrm->job.model.tables, x, y, z);
}

int dlrm_use_options(struct app_context *ctx)
{
	struct dlrm *dlrm = ctx->state;
	struct dlrm_model *model = &dlrm->job.model;
	uint32_t bottom[DLRM_MAX_LAYERS], top[DLRM_MAX_LAYERS];
	unsigned int nr_bottom, nr_top;

	model->type = dlrm->type;
	model->seed = ctx->seed;
	model->dim = dlrm->dim ? dlrm->dim : DEFAULT_DIM;
	dlrm_set_tables(model, dlrm->max_rows ? dlrm->max_rows : UINT32_MAX);
	dlrm->job.batch = dlrm->batch ? dlrm->batch : DEFAULT_BATCH;
	if (read_widths(ctx, "bottom", dlrm->bottom ? dlrm->bottom : "512-256-64",
			bottom, &nr_bottom) ||
	    read_widths(ctx, "top", dlrm->top ? dlrm->top : "512-256", top,
			&nr_top) ||
	    check_axes(ctx, dlrm))
		return TOOL_USAGE;
	dlrm_set_layers(model, bottom, nr_bottom, top, nr_top);
	if (dlrm->axes[0])
		ctx->pes_asked = dlrm->axes[0] * dlrm->axes[1] * dlrm->axes[2];
	return TOOL_OK;
}

/* "rows=N,seed=N" in any order. */
static int read_generator(struct app_context *ctx, const char *text, uint64_t *rows,
			  uint64_t *seed)
{
	char *copy = strdup(text), *rest = copy, *word;
	bool understood = copy;

	while (understood && (word = strsep(&rest, ","))) {
		uint64_t *to = !strncmp(word, "rows=", 5) ? rows :
			       !strncmp(word, "seed=", 5) ? seed : NULL;

		understood = to && app_parse_number(word + 5, to);
	}
	free(copy);
	if (understood && *rows && *rows <= MAX_SAMPLES)
		return TOOL_OK;
	return tool_usage(&ctx->command, "\"%s\", expected criteo:rows=N or criteo:rows=N,seed=N, N from 1 to %s",
			  ctx->input, tool_count(MAX_SAMPLES));
}

int dlrm_read_samples(struct app_context *ctx, struct dlrm *dlrm)
{
	struct dlrm_job *job = &dlrm->job;
	uint64_t rows = 0, seed = ctx->seed;
	uint32_t pooling = dlrm->pooling ? dlrm->pooling : 1;

	if (strncmp(ctx->input, GENERATOR, strlen(GENERATOR))) {
		if (pooling > 1)
			return tool_usage(&ctx->command, "--pooling %u: samples of a file ask for one row of each table",
					  pooling);
		return dlrm_read_tsv(ctx->input, job->model.rows, MAX_SAMPLES,
				     &job->samples);
	}
	if (read_generator(ctx, ctx->input + strlen(GENERATOR), &rows, &seed))
		return TOOL_USAGE;
	if (dlrm_make_samples(rows, pooling, job->model.rows, seed, ctx->threads,
			      &job->samples))
		return app_no_memory(ctx->input);
	return TOOL_OK;
}
