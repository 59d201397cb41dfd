// SPDX-License-Identifier: MIT
/* Loads tables and layers, then takes samples through lookup, reduction and layers. */
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/exchange.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/progress.h"
#include "tools/apps/dlrm/programs.h"
#include "tools/apps/dlrm/run.h"

/* parts of all PEs' tables on their way to MRAM */
#define STAGING_BYTES	(UINT64_C(64) << 20)

/* where a PE is */
struct place {
	uint32_t x, y, z;
};

static struct place place_of(const struct dlrm_layout *layout, uint32_t pe)
{
	return (struct place){
		.x = pe % layout->x,
		.y = pe / layout->x % layout->y,
		.z = pe / layout->x / layout->y,
	};
}

/* Bytes from `first` to `last` of every PE's tables. */
struct tables_job {
	const struct dlrm_job *job;
	uint64_t first, last;
	uint8_t *staging;	/* [PEs][last - first] */
};

/* The part of a table that lies between first and last; `to` is where first goes. */
static void fill_table(const struct tables_job *tables, struct place place,
		       uint32_t table, uint8_t *to)
{
	const struct dlrm_model *model = &tables->job->model;
	const struct dlrm_layout *layout = &tables->job->layout;
	uint64_t bytes = layout->width * 4, at = layout->at[table];
	uint64_t row = tables->first > at ? (tables->first - at) / bytes : 0;

	for (at += row * bytes; at < tables->last; row++, at += bytes) {
		uint64_t number = row * layout->y + place.y;
		uint32_t words[DLRM_MAX_DIM], skip = 0, end = (uint32_t)bytes;

		if (number >= model->rows[table])
			return;
		dlrm_embedding(model, table, (uint32_t)number,
			       place.x * layout->width, layout->width, words);
		if (at < tables->first)
			skip = (uint32_t)(tables->first - at);
		if (at + bytes > tables->last)
			end = (uint32_t)(tables->last - at);
		memcpy(to + (at + skip - tables->first), (uint8_t *)words + skip,
		       end - skip);
	}
}

static void fill_tables(const struct tables_job *tables, uint32_t pe)
{
	const struct dlrm_layout *layout = &tables->job->layout;
	struct place place = place_of(layout, pe);
	uint64_t bytes = tables->last - tables->first;
	uint8_t *to = tables->staging + pe * bytes;
	uint32_t count = dlrm_tables_of(layout, place.z);

	memset(to, 0, bytes);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t table = layout->table_of[place.z * layout->slots + i];

		if (layout->at[table] < tables->last)
			fill_table(tables, place, table, to);
	}
}

static void tables_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct tables_job *tables = arg;
	uint32_t nr_pes = tables->job->layout.nr_pes;
	uint32_t end = (uint32_t)app_part_first(nr_pes, part + 1, parts);

	for (uint32_t pe = (uint32_t)app_part_first(nr_pes, part, parts); pe < end;
	     pe++)
		fill_tables(tables, pe);
}

static int load_tables(struct app_context *ctx, const struct dlrm_job *job)
{
	const struct dlrm_layout *layout = &job->layout;
	struct tables_job tables = { .job = job };
	uint64_t step = STAGING_BYTES / layout->nr_pes / 8 * 8;
	int ret = TOOL_OK;

	tables.staging = malloc(step * layout->nr_pes);
	if (!tables.staging)
		return app_no_memory("tables");
	for (; !ret && tables.first < layout->table_bytes; tables.first += step) {
		tables.last = tables.first + step;
		if (tables.last > layout->table_bytes)
			tables.last = layout->table_bytes;
		app_parallel(ctx->threads, tables_part, &tables);
		ret = app_scatter_all(ctx, tables.last - tables.first,
				      tables.staging,
				      layout->tables + tables.first);
		app_progress("tables", tables.first, layout->table_bytes);
	}
	free(tables.staging);
	return ret;
}

int dlrm_load_model(struct app_context *ctx, const struct dlrm_job *job)
{
	int ret = load_tables(ctx, job);

	return ret ? ret : app_broadcast_all(ctx, job->model.weight_bytes,
					     job->model.weights,
					     job->layout.weights);
}

/* One batch: samples from `first` on, and the shares that PEs have of it. */
struct batch_job {
	const struct dlrm_job *job;
	uint64_t first, count;
	uint8_t *chunks;	/* [PEs][PEs][chunk_bytes] */
	uint32_t *dense;	/* [PEs][samples][DLRM_DENSE + 1] */
};

/* What PE `to` is to look up for the share of PE `from`. */
static void fill_chunk(const struct batch_job *batch, uint32_t from, uint32_t to)
{
	const struct dlrm_layout *layout = &batch->job->layout;
	const struct dlrm_samples *samples = &batch->job->samples;
	const uint8_t *table_of = layout->table_of +
				  place_of(layout, to).z * layout->slots;
	uint32_t *chunk = (uint32_t *)(batch->chunks + layout->chunk_bytes *
				       ((uint64_t)from * layout->nr_pes + to));
	uint32_t pooling = layout->pooling;

	memset(chunk, 0xff, layout->chunk_bytes);
	for (uint32_t i = 0; i < layout->samples; i++) {
		uint64_t sample = (uint64_t)from * layout->samples + i;
		const uint32_t *row = samples->categories +
			(batch->first + sample) * DLRM_MAX_TABLES * pooling;

		if (sample >= batch->count)
			return;
		for (uint32_t k = 0; k < layout->slots; k++, chunk += pooling)
			if (table_of[k] < DLRM_MAX_TABLES)
				memcpy(chunk, row + table_of[k] * pooling,
				       pooling * 4);
	}
}

/* All PEs of one z are asked the same. */
static void fill_chunks(const struct batch_job *batch, uint32_t from)
{
	const struct dlrm_layout *layout = &batch->job->layout;
	uint32_t plane = layout->x * layout->y;
	uint8_t *chunks = batch->chunks +
			  layout->chunk_bytes * from * layout->nr_pes;

	for (uint32_t to = 0; to < layout->nr_pes; to++) {
		if (to % plane == 0)
			fill_chunk(batch, from, to);
		else
			memcpy(chunks + to * layout->chunk_bytes,
			       chunks + to / plane * plane * layout->chunk_bytes,
			       layout->chunk_bytes);
	}
}

/* A share's dense numbers, for the PE that will have its vectors. */
static void fill_dense(const struct batch_job *batch, uint32_t q)
{
	const struct dlrm_layout *layout = &batch->job->layout;
	uint32_t *to = batch->dense + (uint64_t)dlrm_pe_of_share(layout, q) *
				      layout->samples * (DLRM_DENSE + 1);

	for (uint32_t i = 0; i < layout->samples; i++, to += DLRM_DENSE + 1) {
		uint64_t sample = (uint64_t)q * layout->samples + i;

		memset(to, 0, (DLRM_DENSE + 1) * 4);
		if (sample < batch->count)
			memcpy(to, batch->job->dense + (batch->first + sample) *
						       DLRM_DENSE, DLRM_DENSE * 4);
	}
}

static void batch_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct batch_job *batch = arg;
	uint32_t nr_pes = batch->job->layout.nr_pes;
	uint32_t end = (uint32_t)app_part_first(nr_pes, part + 1, parts);

	for (uint32_t q = (uint32_t)app_part_first(nr_pes, part, parts); q < end;
	     q++) {
		fill_chunks(batch, q);
		fill_dense(batch, q);
	}
}

static int scatter_batch(struct app_context *ctx, struct batch_job *batch)
{
	const struct dlrm_layout *layout = &batch->job->layout;
	int ret;

	app_parallel(ctx->threads, batch_part, batch);
	ret = app_scatter_all(ctx, layout->nr_pes * layout->chunk_bytes,
			      batch->chunks, layout->send);
	if (!ret)
		ret = app_scatter_all(ctx, layout->samples * (DLRM_DENSE + 1) * 4,
				      batch->dense, layout->dense);
	return ret;
}

static int launch_lookup(struct app_context *ctx, const struct dlrm_job *job)
{
	const struct dlrm_layout *layout = &job->layout;
	struct dlrm_lookup_args *args = calloc(layout->nr_pes, sizeof(*args));
	int ret;

	if (!args)
		return app_no_memory("lookup");
	for (uint32_t pe = 0; pe < layout->nr_pes; pe++) {
		struct place place = place_of(layout, pe);
		const uint8_t *table_of = layout->table_of +
					  place.z * layout->slots;

		args[pe] = (struct dlrm_lookup_args){
			.type = job->model.type,
			.sources = layout->nr_pes,
			.samples = layout->samples,
			.slots = layout->slots,
			.tables = dlrm_tables_of(layout, place.z),
			.pooling = layout->pooling,
			.chunk_bytes = (uint32_t)layout->chunk_bytes,
			.indices = (uint32_t)layout->indices,
			.partial = (uint32_t)layout->partial,
			.words = layout->words,
			.width = layout->width,
			.row_shift = (uint32_t)__builtin_ctz(layout->y),
			.row_rank = place.y,
		};
		for (uint32_t i = 0; i < args[pe].tables; i++)
			args[pe].table[i] = (uint32_t)layout->tables +
					    layout->at[table_of[i]];
	}
	ret = app_launch(ctx, &dlrm_lookup, args, sizeof(*args), sizeof(*args));
	free(args);
	return ret;
}

/* As many samples as there is room for in a pool, an even number. */
static uint32_t block_of(const struct dlrm_model *model)
{
	uint32_t widest = dlrm_interactions(model), block;

	for (uint32_t i = 0; i < model->bottom + model->top; i++) {
		if (model->layers[i].outputs > widest)
			widest = model->layers[i].outputs;
	}
	block = DLRM_POOL_BYTES / 4 / widest & ~1u;
	return block < DLRM_MAX_BLOCK ? block : DLRM_MAX_BLOCK;
}

static int launch_dense(struct app_context *ctx, const struct dlrm_job *job)
{
	const struct dlrm_layout *layout = &job->layout;
	const struct dlrm_model *model = &job->model;
	struct dlrm_dense_args args = {
		.type = model->type,
		.samples = layout->samples,
		.block = block_of(model),
		.dense = (uint32_t)layout->dense,
		.scores = (uint32_t)layout->scores,
		.vectors = (uint32_t)layout->vectors,
		.parts = layout->x * layout->z,
		.words = layout->words,
		.x = layout->x,
		.slots = layout->slots,
		.width = layout->width,
		.dim = model->dim,
		.tables = model->tables,
		.bottom = model->bottom,
		.top = model->top,
	};

	memcpy(args.table_of, layout->table_of, sizeof(args.table_of));
	for (uint32_t i = 0; i < model->bottom + model->top; i++)
		args.layers[i] = (struct dlrm_layer_args){
			model->layers[i].inputs, model->layers[i].outputs,
			(uint32_t)(layout->weights + model->layers[i].at),
			model->layers[i].row_bytes,
		};
	return app_launch(ctx, &dlrm_dense, &args, sizeof(args), 0);
}

/* Vectors of each PE's own samples, from where their rows are. */
static int exchange_vectors(struct app_context *ctx, const struct dlrm_job *job)
{
	const struct dlrm_layout *layout = &job->layout;
	uint64_t partial = (uint64_t)layout->nr_pes * layout->samples *
			   layout->words * 4;
	int ret = app_alltoall(ctx, "111", layout->nr_pes * layout->chunk_bytes,
			       layout->send, layout->indices);

	if (!ret)
		ret = launch_lookup(ctx, job);
	if (!ret)
		ret = app_reduce_scatter(ctx, "010", partial, layout->partial,
					 layout->reduced,
					 job->model.type == DLRM_F32 ? PIDCOMM_F32 :
								       PIDCOMM_I32,
					 PIDCOMM_SUM);
	if (!ret)
		ret = app_alltoall(ctx, "101", partial / layout->y,
				   layout->reduced, layout->vectors);
	return ret;
}

static int gather_scores(struct app_context *ctx, const struct batch_job *batch)
{
	const struct dlrm_layout *layout = &batch->job->layout;
	uint64_t words = (layout->samples + 1) & ~1u;
	uint32_t *gathered = calloc(layout->nr_pes, words * 4);
	int ret;

	if (!gathered)
		return app_no_memory("scores");
	ret = app_gather_all(ctx, words * 4, layout->scores, gathered);
	for (uint64_t i = 0; !ret && i < batch->count; i++) {
		uint32_t pe = dlrm_pe_of_share(layout,
					       (uint32_t)(i / layout->samples));

		batch->job->scores[batch->first + i] =
			gathered[pe * words + i % layout->samples];
	}
	free(gathered);
	return ret;
}

static int run_batches(struct app_context *ctx, struct batch_job *batch)
{
	const struct dlrm_job *job = batch->job;
	uint64_t total = job->samples.count;
	int ret = TOOL_OK;

	for (; !ret && batch->first < total; batch->first += batch->count) {
		batch->count = total - batch->first < job->batch ?
				       total - batch->first : job->batch;
		ret = scatter_batch(ctx, batch);
		if (!ret)
			ret = exchange_vectors(ctx, job);
		if (!ret)
			ret = launch_dense(ctx, job);
		if (!ret)
			ret = gather_scores(ctx, batch);
		app_progress("samples", batch->first, total);
	}
	return ret;
}

int dlrm_run_samples(struct app_context *ctx, struct dlrm_job *job)
{
	const struct dlrm_layout *layout = &job->layout;
	struct batch_job batch = { .job = job };
	int ret;

	batch.chunks = malloc(layout->chunk_bytes * layout->nr_pes *
			      layout->nr_pes);
	batch.dense = malloc((uint64_t)layout->nr_pes * layout->samples *
			     (DLRM_DENSE + 1) * 4);
	ret = batch.chunks && batch.dense ? run_batches(ctx, &batch) :
					    app_no_memory("a batch");
	free(batch.chunks);
	free(batch.dense);
	return ret;
}
