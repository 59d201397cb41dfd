// SPDX-License-Identifier: MIT
/* Lays a model out in MRAM, and elements in the chunks that collectives move. */
#include "tools/apps/mlp/layout.h"

/* Of a PE's MRAM so much may hold partial sums: it decides how many samples go at once. */
#define PARTIAL_BYTES	(UINT64_C(2) << 20)

/* weights on their way to MRAM, and rows of them that threads work on */
#define STAGING_BYTES	(UINT64_C(96) << 20)

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

uint32_t mlp_columns(const struct mlp_layout *layout, uint32_t features)
{
	return (uint32_t)(((uint64_t)features + layout->nr_pes - 1) /
			  layout->nr_pes);
}

/*
 * Full tiles are multiples of 8 bytes whatever the slots; the last one, of what remains
 * of the samples, is where slots times these are.
 */
uint32_t mlp_slots(uint32_t features, uint32_t samples, uint32_t size)
{
	uint32_t whole = 8 / common_divisor(8, samples * size);

	return (features + whole - 1) / whole * whole;
}

uint32_t mlp_row_bytes(const struct mlp_model *model,
		       const struct mlp_layout *layout, unsigned int layer)
{
	uint32_t columns = mlp_columns(layout, model->layers[layer].inputs);

	return (columns * mlp_traits[model->type].element_bytes + 7) & ~7u;
}

static uint32_t tile_of(uint32_t sample)
{
	return sample / MLP_TILE * MLP_TILE;
}

uint64_t mlp_sample_at(uint32_t sample, uint32_t slots)
{
	return (uint64_t)tile_of(sample) * slots + sample % MLP_TILE;
}

uint32_t mlp_sample_stride(uint32_t sample, uint32_t samples)
{
	uint32_t left = samples - tile_of(sample);

	return left < MLP_TILE ? left : MLP_TILE;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* bytes of a chunk of so many features, for a block of samples and for the last one */
static uint64_t chunk_bytes(const struct mlp_model *model,
			    const struct mlp_layout *layout, uint32_t features,
			    uint32_t size)
{
	uint32_t block = layout->block, last = model->batch % block;
	uint64_t bytes = (uint64_t)mlp_slots(features, block, size) * block * size;

	return last ? max64(bytes, (uint64_t)mlp_slots(features, last, size) *
					   last * size) : bytes;
}

static uint64_t input_bytes(const struct mlp_model *model,
			    const struct mlp_layout *layout)
{
	const struct mlp_traits *traits = &mlp_traits[model->type];
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < model->nr_layers; i++)
		bytes = max64(bytes, chunk_bytes(model, layout,
				mlp_columns(layout, model->layers[i].inputs),
				i ? traits->sum_bytes : traits->element_bytes));
	return bytes;
}

/* What a PE has of a layer's sums: chunks for all PEs, or the scores. */
static uint64_t partial_bytes(const struct mlp_model *model,
			      const struct mlp_layout *layout, unsigned int layer)
{
	uint32_t size = mlp_traits[model->type].sum_bytes;

	if (layer + 1 == model->nr_layers)
		return chunk_bytes(model, layout, mlp_outputs(model), size);
	return layout->nr_pes *
	       chunk_bytes(model, layout,
			   mlp_columns(layout, model->layers[layer].outputs), size);
}

static uint64_t output_bytes(const struct mlp_model *model,
			     const struct mlp_layout *layout, struct app_plan *plan)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < model->nr_layers; i++) {
		uint64_t partial = partial_bytes(model, layout, i);

		bytes = max64(bytes, partial);
		app_plan_collective(plan, i + 1 == model->nr_layers ?
				    SDK_REDUCE : SDK_REDUCE_SCATTER, "1", partial);
	}
	return bytes;
}

static uint64_t weight_bytes(const struct mlp_model *model,
			     const struct mlp_layout *layout, unsigned int layer)
{
	return (uint64_t)mlp_row_bytes(model, layout, layer) *
	       model->layers[layer].outputs;
}

static uint32_t choose_block(const struct mlp_model *model)
{
	uint32_t widest = mlp_outputs(model);
	uint64_t block;

	for (unsigned int i = 0; i < model->nr_layers; i++)
		widest = (uint32_t)max64(widest, model->layers[i].outputs);
	block = PARTIAL_BYTES / widest / mlp_traits[model->type].sum_bytes /
		MLP_TILE * MLP_TILE;
	block = max64(block, MLP_TILE);
	return block < model->batch ? (uint32_t)block : model->batch;
}

void mlp_lay_out(const struct mlp_model *model, uint32_t nr_pes, uint64_t most,
		 bool in_turn, struct mlp_layout *layout, struct app_plan *plan)
{
	uint64_t sum = 0, largest = 0, bytes, at;

	*layout = (struct mlp_layout){ .nr_pes = nr_pes,
				       .block = choose_block(model) };
	layout->input = app_plan_mram(plan, "inputs", input_bytes(model, layout));
	layout->output = app_plan_mram(plan, "partial sums",
				       output_bytes(model, layout, plan));
	for (unsigned int i = 0; i < model->nr_layers; i++) {
		bytes = weight_bytes(model, layout, i);
		sum += bytes;
		largest = max64(largest, bytes);
	}
	layout->resident = !in_turn && plan->mram + sum <= most;
	at = app_plan_mram(plan, layout->resident ? "weights" : "a layer's weights",
			   layout->resident ? sum : largest);
	for (unsigned int i = 0; i < model->nr_layers; i++) {
		layout->weights[i] = at;
		if (layout->resident)
			at += weight_bytes(model, layout, i);
	}
	app_plan_host(plan, STAGING_BYTES +
		      (uint64_t)nr_pes * input_bytes(model, layout) +
		      (uint64_t)model->batch * 8 *
		      ((uint64_t)mlp_outputs(model) + model->layers[0].inputs));
}
