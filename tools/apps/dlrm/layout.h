/* SPDX-License-Identifier: MIT */
/*
 * Where the model lies: the tables are cut three ways, whole tables over axis z, their
 * rows over y, their columns over x; and what is where in the MRAM of each PE.
 */
#ifndef PIMDIMM_APPS_DLRM_LAYOUT_H
#define PIMDIMM_APPS_DLRM_LAYOUT_H

#include <stdbool.h>

#include "tools/apps/common/plan.h"
#include "tools/apps/dlrm/model.h"

struct dlrm_layout {
	uint32_t x, y, z, nr_pes;
	uint32_t width;		/* columns of a table on a PE */
	uint32_t slots;		/* tables of a z, at most */
	uint32_t words;		/* of a sample's part on a PE, even */
	uint32_t samples;	/* of a PE, in a batch */
	uint32_t pooling;
	uint64_t chunk_bytes;	/* indices from one PE to another */
	uint8_t table_of[2 * DLRM_MAX_TABLES + 4];	/* [z][slot], DLRM_MAX_TABLES: none */
	uint32_t at[DLRM_MAX_TABLES];	/* of a table in its PEs' tables */
	uint64_t table_bytes;	/* of a PE's tables, those of the z with most */

	/* MRAM */
	uint64_t tables, weights, send, indices, partial, reduced, vectors, dense,
		scores;
};

/* Tables of a z, the first of them that are there. */
uint32_t dlrm_tables_of(const struct dlrm_layout *layout, uint32_t z);

/* Sets the axes and what follows of them; false: the model does not go with them. */
bool dlrm_set_axes(const struct dlrm_model *model, uint32_t x, uint32_t y, uint32_t z,
		   struct dlrm_layout *layout);

/*
 * The axes for so many PEs that hold and move the fewest bytes with a batch of so many
 * samples; false: there are none.
 */
bool dlrm_choose_axes(const struct dlrm_model *model, uint32_t nr_pes, uint64_t batch,
		      uint32_t pooling, struct dlrm_layout *layout);

/* Sets the MRAM of a layout with axes, for a batch of so many samples. */
void dlrm_lay_out(const struct dlrm_model *model, uint64_t batch, uint32_t pooling,
		  struct dlrm_layout *layout, struct app_plan *plan);

/*
 * The PE that has a batch's q-th share of the samples once AlltoAll has brought the
 * parts of their vectors together.
 */
uint32_t dlrm_pe_of_share(const struct dlrm_layout *layout, uint32_t q);

#endif /* PIMDIMM_APPS_DLRM_LAYOUT_H */
