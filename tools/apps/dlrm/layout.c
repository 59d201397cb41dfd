// SPDX-License-Identifier: MIT
/* Deals tables out over the axes, and lays out what each PE has of them. */
#include <string.h>

#include "tools/apps/dlrm/layout.h"

/* tables and weights on their way to MRAM */
#define STAGING_BYTES	(UINT64_C(64) << 20)

uint32_t dlrm_tables_of(const struct dlrm_layout *layout, uint32_t z)
{
	uint32_t count = 0;

	while (count < layout->slots && layout->table_of[z * layout->slots + count] <
						DLRM_MAX_TABLES)
		count++;
	return count;
}

/* bytes of a table on a PE */
static uint64_t part_bytes(const struct dlrm_model *model,
			   const struct dlrm_layout *layout, uint32_t table)
{
	uint64_t rows = ((uint64_t)model->rows[table] + layout->y - 1) / layout->y;

	return app_round_up(rows * layout->width * 4, 8);
}

/* The largest table that has no z yet, DLRM_MAX_TABLES: none. */
static uint32_t largest_left(const struct dlrm_model *model, const bool *dealt)
{
	uint32_t best = DLRM_MAX_TABLES;

	for (uint32_t i = 0; i < model->tables; i++) {
		if (!dealt[i] && (best == DLRM_MAX_TABLES ||
				  model->rows[i] > model->rows[best]))
			best = i;
	}
	return best;
}

/*
 * The largest first, each to the z with the fewest bytes that has a slot free: as many
 * lookups for each z, and as equal memory as that allows.
 */
static void deal_tables(const struct dlrm_model *model, struct dlrm_layout *layout)
{
	uint64_t bytes[DLRM_MAX_TABLES] = { 0 };
	uint32_t used[DLRM_MAX_TABLES] = { 0 };
	bool dealt[DLRM_MAX_TABLES] = { false };
	uint32_t table;

	memset(layout->table_of, DLRM_MAX_TABLES, sizeof(layout->table_of));
	layout->table_bytes = 0;
	while ((table = largest_left(model, dealt)) < DLRM_MAX_TABLES) {
		uint32_t best = layout->z;

		for (uint32_t z = 0; z < layout->z; z++) {
			if (used[z] < layout->slots &&
			    (best == layout->z || bytes[z] < bytes[best]))
				best = z;
		}
		dealt[table] = true;
		layout->table_of[best * layout->slots + used[best]++] =
			(uint8_t)table;
		layout->at[table] = (uint32_t)bytes[best];
		bytes[best] += part_bytes(model, layout, table);
		if (bytes[best] > layout->table_bytes)
			layout->table_bytes = bytes[best];
	}
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

bool dlrm_set_axes(const struct dlrm_model *model, uint32_t x, uint32_t y, uint32_t z,
		   struct dlrm_layout *layout)
{
	*layout = (struct dlrm_layout){ .x = x, .y = y, .z = z };
	if (!power_of_two(x) || !power_of_two(y) || !z || model->dim % x ||
	    z > model->tables)
		return false;
	layout->nr_pes = x * y * z;
	layout->width = model->dim / x;
	layout->slots = (model->tables + z - 1) / z;
	layout->words = (layout->slots * layout->width + 1) & ~1u;
	deal_tables(model, layout);
	return layout->nr_pes % 8 == 0;
}

/* What sizes follow of a batch. */
static void set_batch(struct dlrm_layout *layout, uint64_t batch, uint32_t pooling)
{
	layout->pooling = pooling;
	layout->samples = (uint32_t)((batch + layout->nr_pes - 1) / layout->nr_pes);
	layout->chunk_bytes = app_round_up((uint64_t)layout->samples *
					   layout->slots * pooling * 4, 8);
}

/* bytes of the PEs' partial vectors of a batch */
static uint64_t partial_bytes(const struct dlrm_layout *layout)
{
	return (uint64_t)layout->nr_pes * layout->samples * layout->words * 4;
}

/*
 * What a PE holds and moves. Tables move once and vectors every time, which is why they
 * count for more; rows of 4 bytes cost as much DMA as those of 8.
 */
static uint64_t cost_of(const struct dlrm_layout *layout)
{
	uint64_t moved = 2 * layout->nr_pes * layout->chunk_bytes +
			 partial_bytes(layout);

	return layout->table_bytes + 4 * moved + (layout->width == 1 ? 4 * moved : 0);
}

bool dlrm_choose_axes(const struct dlrm_model *model, uint32_t nr_pes, uint64_t batch,
		      uint32_t pooling, struct dlrm_layout *layout)
{
	struct dlrm_layout try;
	uint64_t best = UINT64_MAX;

	for (uint32_t xy = 1; xy <= nr_pes && nr_pes % xy == 0; xy *= 2) {
		for (uint32_t x = 1; x <= xy; x *= 2) {
			if (!dlrm_set_axes(model, x, xy / x, nr_pes / xy, &try))
				continue;
			set_batch(&try, batch, pooling);
			if (cost_of(&try) >= best)
				continue;
			best = cost_of(&try);
			*layout = try;
		}
	}
	return best != UINT64_MAX;
}

void dlrm_lay_out(const struct dlrm_model *model, uint64_t batch, uint32_t pooling,
		  struct dlrm_layout *layout, struct app_plan *plan)
{
	uint64_t partial, share;

	set_batch(layout, batch, pooling);
	partial = partial_bytes(layout);
	share = partial / layout->y;
	layout->tables = app_plan_mram(plan, "tables", layout->table_bytes);
	layout->weights = app_plan_mram(plan, "layers' weights",
					model->weight_bytes);
	layout->send = app_plan_mram(plan, "indices of own samples",
				     layout->nr_pes * layout->chunk_bytes);
	layout->indices = app_plan_mram(plan, "indices for own tables",
					layout->nr_pes * layout->chunk_bytes);
	layout->partial = app_plan_mram(plan, "partial vectors", partial);
	layout->reduced = app_plan_mram(plan, "reduced vectors", share);
	layout->vectors = app_plan_mram(plan, "vectors of own samples", share);
	layout->dense = app_plan_mram(plan, "dense numbers",
				      layout->samples * (DLRM_DENSE + 1) * 4);
	layout->scores = app_plan_mram(plan, "scores", layout->samples * 4);
	app_plan_collective(plan, SDK_ALLTOALL, "111",
			    layout->nr_pes * layout->chunk_bytes);
	app_plan_collective(plan, SDK_REDUCE_SCATTER, "010", partial);
	app_plan_collective(plan, SDK_ALLTOALL, "101", share);
	app_plan_host(plan, STAGING_BYTES + model->weight_bytes +
		      layout->nr_pes * layout->nr_pes * layout->chunk_bytes +
		      batch * (DLRM_DENSE + DLRM_MAX_TABLES * (uint64_t)pooling +
			       4) * 4);
}

/*
 * ReduceScatter along y leaves PE (x, y, z) the samples of y's share; AlltoAll among
 * the PEs of that y deals these out by their ranks, x + X z.
 */
uint32_t dlrm_pe_of_share(const struct dlrm_layout *layout, uint32_t q)
{
	uint32_t plane = layout->x * layout->z;
	uint32_t y = q / plane, rank = q % plane;

	return rank % layout->x +
	       layout->x * (y + layout->y * (rank / layout->x));
}
