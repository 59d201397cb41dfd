/* SPDX-License-Identifier: MIT */
/* How a model lies in the MRAM of each PE. */
#ifndef PIMDIMM_APPS_MLP_LAYOUT_H
#define PIMDIMM_APPS_MLP_LAYOUT_H

#include "tools/apps/common/plan.h"
#include "tools/apps/mlp/model.h"

struct mlp_layout {
	uint32_t nr_pes;
	uint32_t block;		/* samples that go through all layers at once */
	bool resident;		/* weights of all layers are there at once */
	uint64_t input;		/* a chunk of inputs */
	uint64_t output;	/* partial sums */
	uint64_t weights[MLP_MAX_LAYERS];
};

/*
 * Sets the layout and the plan's parts. `most` is the MRAM that a PE may have: layers
 * that do not fit into it together are loaded in turn, as all are with in_turn.
 */
void mlp_lay_out(const struct mlp_model *model, uint32_t nr_pes, uint64_t most,
		 bool in_turn, struct mlp_layout *layout, struct app_plan *plan);

/* inputs, and columns of the weights, that a PE has of a layer */
uint32_t mlp_columns(const struct mlp_layout *layout, uint32_t features);

/* slots for so many features of `size` bytes in a chunk of so many samples */
uint32_t mlp_slots(uint32_t features, uint32_t samples, uint32_t size);

/* bytes of a row of a layer's weights on a PE */
uint32_t mlp_row_bytes(const struct mlp_model *model,
		       const struct mlp_layout *layout, unsigned int layer);

/* where sample `sample` of the first feature is in a chunk, in elements */
uint64_t mlp_sample_at(uint32_t sample, uint32_t slots);
/* elements from one feature of that sample to the next */
uint32_t mlp_sample_stride(uint32_t sample, uint32_t samples);

#endif /* PIMDIMM_APPS_MLP_LAYOUT_H */
