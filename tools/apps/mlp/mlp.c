// SPDX-License-Identifier: MIT
/* `pimdimm app mlp`: options, plan, run, comparison and result. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pimdimm_layout.h>

#include "tools/apps/common/memory.h"
#include "tools/apps/mlp/fitted.h"
#include "tools/apps/mlp/input.h"
#include "tools/apps/mlp/programs.h"
#include "tools/apps/mlp/reference.h"
#include "tools/apps/mlp/run.h"

enum {
	FEATURES = APP_OPTION,
	LAYERS,
	BATCH,
	TYPE,
	ACTIVATION,
	WEIGHTS,
	SHIFT,
	IN_TURN,
	TRAIN,
	EPOCHS,
};

#define DEFAULT_EPOCHS 8

static const char *type_word(size_t at)
{
	return at < MLP_NR_TYPES ? mlp_traits[at].name : NULL;
}

static const char *activation_word(size_t at)
{
	static const char *const words[] = { "relu", "none" };

	return at < TOOL_COUNT(words) ? words[at] : NULL;
}

static int mlp_option(struct app_context *ctx, int option, const char *value)
{
	struct mlp *mlp = ctx->state;
	unsigned int place = 0;
	int ret;

	switch (option) {
	case FEATURES:
		return app_take_number(ctx, "features", value, 1, MLP_MAX_WIDTH,
				       &mlp->features);
	case LAYERS:
		return app_take_number(ctx, "layers", value, 1, MLP_MAX_LAYERS,
				       &mlp->layers);
	case BATCH:
		return app_take_number(ctx, "batch", value, 1, MLP_MAX_BATCH,
				       &mlp->batch);
	case TYPE:
		ret = app_take_word(ctx, "type", value, type_word, &place);
		if (!ret)
			mlp->type = (enum mlp_type)place;
		mlp->type_given = true;
		return ret;
	case ACTIVATION:
		ret = app_take_word(ctx, "activation", value, activation_word, &place);
		mlp->linear = place;
		return ret;
	case WEIGHTS:
		mlp->weights = value;
		return TOOL_OK;
	case SHIFT:
		mlp->shift_given = true;
		return app_take_number(ctx, "shift", value, 0, 31, &mlp->shift);
	case IN_TURN:
		mlp->in_turn = true;
		return TOOL_OK;
	case TRAIN:
		mlp->train = true;
		return TOOL_OK;
	case EPOCHS:
		return app_take_number(ctx, "epochs", value, 1, 1000, &mlp->epochs);
	}
	return TOOL_OK;
}

static int mlp_load(struct app_context *ctx)
{
	struct mlp *mlp = ctx->state;

	if (!mlp->epochs)
		mlp->epochs = DEFAULT_EPOCHS;
	return mlp_read_input(ctx, mlp);
}

/* what a PE may have: of the system's MRAM, or by the memory that there is */
static uint64_t most_mram(const struct app_context *ctx, uint32_t nr_pes)
{
	uint64_t most = ctx->sys ? pimdimm_geometry(ctx->sys)->mram_size :
				   PIMDIMM_MRAM_MAX;
	uint64_t available = app_memory_available() / 8 * 5 / nr_pes;

	return available < most ? available : most;
}

static void plan_net(const struct app_context *ctx, struct mlp_net *net,
		     struct app_plan *plan)
{
	const struct mlp *mlp = ctx->state;
	const struct mlp_model *model = &net->model;

	mlp_lay_out(model, ctx->nr_pes, most_mram(ctx, ctx->nr_pes), mlp->in_turn,
		    &net->layout, plan);
	for (unsigned int i = 0; i < model->nr_layers; i++) {
		if (model->layers[i].weights)
			app_plan_host(plan, (uint64_t)model->layers[i].inputs *
				      model->layers[i].outputs *
				      mlp_traits[model->type].element_bytes);
	}
}

static int mlp_plan(struct app_context *ctx, struct app_plan *plan)
{
	struct mlp *mlp = ctx->state;

	plan->ndims = 1;
	plan->dims[0] = ctx->nr_pes;
	for (unsigned int i = 0; i < mlp->nr_nets; i++)
		plan_net(ctx, &mlp->nets[i], plan);
	return TOOL_OK;
}

static void report_model(struct app_context *ctx, const struct mlp *mlp)
{
	const struct mlp_net *net = &mlp->nets[0];
	const struct mlp_model *model = &net->model;
	char widths[16 * (MLP_MAX_LAYERS + 1)];
	size_t at;

	at = (size_t)sprintf(widths, "%" PRIu32, model->layers[0].inputs);
	for (unsigned int i = 0; i < model->nr_layers; i++)
		at += (size_t)sprintf(widths + at, "-%" PRIu32,
				      model->layers[i].outputs);
	app_report_text(&ctx->report, "layers", "%s", widths);
	app_report_text(&ctx->report, "type", "%s%s", mlp_traits[model->type].name,
			mlp->nr_nets > 1 ? ", then i8-i32" : "");
	app_report_number(&ctx->report, "batch", model->batch);
	app_report_text(&ctx->report, "weights", "%s", net->layout.resident ?
			"all layers' at once" : "a layer's at a time");
}

static int mlp_run(struct app_context *ctx)
{
	struct mlp *mlp = ctx->state;
	int ret = TOOL_OK;

	report_model(ctx, mlp);
	for (unsigned int i = 0; !ret && i < mlp->nr_nets; i++) {
		struct mlp_net *net = &mlp->nets[i];

		free(net->scores);
		net->scores = calloc(net->model.batch,
				     (uint64_t)mlp_outputs(&net->model) *
				     mlp_traits[net->model.type].sum_bytes);
		if (!net->scores)
			ret = app_no_memory("scores");
		else if (!ctx->again)
			ret = mlp_load_net(ctx, net);
	}
	app_report_phase(&ctx->report, APP_RUN);
	for (unsigned int i = 0; !ret && i < mlp->nr_nets; i++)
		ret = mlp_run_net(ctx, &mlp->nets[i]);
	return ret;
}

/* How one model's scores compare with the host's. */
struct comparison {
	uint64_t wrong, additions;
	double largest, bound;
};

static int compare_net(const struct app_context *ctx, const struct mlp_net *net,
		       struct comparison *comparison)
{
	struct mlp_reference reference;
	int ret = mlp_reference_make(&net->model, ctx->nr_pes, ctx->threads,
				     &reference);

	if (ret)
		ret = app_no_memory("the host's scores");
	else if (reference.overflow)
		ret = tool_error("values leave the range of f32: scores mean nothing");
	else
		comparison->wrong += mlp_reference_differ(&reference, &net->model,
							  net->scores,
							  &comparison->largest,
							  &comparison->bound);
	if (net->model.type == MLP_F32)
		comparison->additions = reference.additions;
	mlp_reference_free(&reference);
	return ret;
}

/* What was compared with what, and how it came out. */
static int mlp_judge(struct app_context *ctx, const struct mlp *mlp,
		     const struct comparison *comparison)
{
	if (mlp->nets[0].model.type != MLP_F32)
		return app_verdict(ctx, comparison->wrong,
				   "every score is the host's, bit for bit");
	app_report_number(&ctx->report, "largest error", comparison->largest);
	app_report_number(&ctx->report, "its bound", comparison->bound);
	return app_verdict(ctx, comparison->wrong,
			   "every score is within the bound of sums of %" PRIu64 " additions, the largest error %.3g of %.3g%s",
			   comparison->additions, comparison->largest,
			   comparison->bound, mlp->nr_nets == 1 ? "" :
			   ", and of bytes the host's");
}

static void report_accuracy(struct app_context *ctx, const struct mlp *mlp)
{
	for (unsigned int i = 0; mlp->train && i < mlp->nr_nets; i++) {
		const struct mlp_net *net = &mlp->nets[i];

		app_report_number(&ctx->report, net->model.type == MLP_F32 ?
				  "accuracy" : "accuracy in bytes",
				  mlp_fitted_accuracy(&net->model, net->scores,
						      mlp->images.labels));
	}
}

static int mlp_check(struct app_context *ctx)
{
	struct comparison comparison = { 0 };
	const struct mlp *mlp = ctx->state;
	int ret = TOOL_OK;

	/* the largest error is that of f32, which comes first */
	for (unsigned int i = mlp->nr_nets; !ret && i--;)
		ret = compare_net(ctx, &mlp->nets[i], &comparison);
	if (ret)
		return ret;
	report_accuracy(ctx, mlp);
	return mlp_judge(ctx, mlp, &comparison);
}

static void print_score(enum mlp_type type, const void *at, FILE *file)
{
	int32_t integer = 0;
	float number;

	switch (type) {
	case MLP_I8:
		fprintf(file, "%d", *(const int8_t *)at);
		break;
	case MLP_I16:
		fprintf(file, "%d", *(const int16_t *)at);
		break;
	case MLP_F32:
		memcpy(&number, at, sizeof(number));
		/* as many digits as tell any two apart */
		fprintf(file, "%.9g", (double)number);
		break;
	default:
		memcpy(&integer, at, sizeof(integer));
		fprintf(file, "%" PRId32, integer);
		break;
	}
}

/* A sample's scores a line, the sums' type as decimal numbers. */
static int mlp_write(struct app_context *ctx, FILE *file)
{
	const struct mlp *mlp = ctx->state;
	const struct mlp_model *model = &mlp->nets[0].model;
	uint32_t outputs = mlp_outputs(model);
	const uint8_t *at = mlp->nets[0].scores;

	for (uint32_t b = 0; b < model->batch && !ferror(file); b++) {
		for (uint32_t i = 0; i < outputs; i++) {
			print_score(model->type, at, file);
			at += mlp_traits[model->type].sum_bytes;
			putc(i + 1 < outputs ? ' ' : '\n', file);
		}
	}
	return TOOL_OK;
}

static void mlp_free(struct app_context *ctx)
{
	struct mlp *mlp = ctx->state;

	mlp_free_input(mlp);
	for (unsigned int i = 0; i < mlp->nr_nets; i++)
		free(mlp->nets[i].scores);
}

static const struct tool_option options[] = {
	{ FEATURES, "features", { .name = "N" }, .heading = "Of mlp:",
	  .help = "inputs and outputs of each layer (4096)" },
	{ LAYERS, "layers", { .name = "N" },
	  .help = "how many, where no files have them (5)" },
	{ BATCH, "batch", { .name = "N" },
	  .help = "samples, where no file has them (16)" },
	{ TYPE, "type", { "TYPE", .word = type_word },
	  .help = "of elements; i8-i32 adds bytes in 32 bits and scales the sums down (i8)" },
	{ ACTIVATION, "activation", { "NAME", .word = activation_word },
	  .help = "behind each layer: relu or none (relu)" },
	{ WEIGHTS, "weights", { "FILE,...", .kind = TOOL_FILE },
	  .help = "a .npy matrix for each layer, a row an output; else of the seed" },
	{ SHIFT, "shift", { .name = "N" },
	  .help = "i8-i32: sums are divided by 2^N; else by what suits random weights" },
	{ IN_TURN, "in-turn",
	  .help = "load layers one after another, also where all fit at once" },
	{ TRAIN, "train",
	  .help = "fit layers to the images of a folder, and score its others, in f32 and in bytes unless a type is given" },
	{ EPOCHS, "epochs", { .name = "N" },
	  .help = "times that training sees each image (8)" },
	{ 0 },
};

const struct app app_mlp = {
	.name = "mlp",
	.summary = "a multi-layer perceptron",
	.axes = "P",
	.about =
	"Takes samples through the layers of a perceptron. Each PE has some columns of\n"
	"every layer's weights and the inputs that belong to them; its partial sums go\n"
	"through ReduceScatter, whose result is its inputs of the next layer. Reduce\n"
	"brings the last layer's sums to the host. Integers are modulo 2^w and compared\n"
	"bit by bit with the host's, f32 within a bound.\n"
	"\n"
	"INPUT is a .npy matrix of the type, a row a sample, or random: for the seed's.\n"
	"With --train it is a folder with MNIST's four files, else that of Debian's\n"
	"dataset-fashion-mnist.\n",
	.options = options,
	.operand = { "INPUT", .kind = TOOL_FILE },
	.input = "random:",
	.programs = { &mlp_gemm },
	.state_bytes = sizeof(struct mlp),
	.option = mlp_option,
	.load = mlp_load,
	.plan = mlp_plan,
	.run = mlp_run,
	.check = mlp_check,
	.write = mlp_write,
	.free = mlp_free,
};
