// SPDX-License-Identifier: MIT
/* Deals vertices out to strips, and cuts the adjacency into tiles and blocks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/gnn/tiles.h"

/* Entries in the row and in the column of each vertex. */
static uint32_t *count_degrees(const struct gnn_matrix *matrix)
{
	uint32_t n = matrix->rows.nr_vertices;
	uint32_t *degrees = calloc(n ? n : 1, sizeof(*degrees));

	for (uint32_t v = 0; degrees && v < n; v++) {
		degrees[v] += (uint32_t)(matrix->rows.first[v + 1] - matrix->rows.first[v]);
		for (uint64_t i = matrix->rows.first[v]; i < matrix->rows.first[v + 1]; i++)
			degrees[matrix->rows.targets[i]]++;
	}
	return degrees;
}

/* Vertices by falling degree, by number among equals; -ENOMEM. */
static int sort_by_degree(const struct gnn_matrix *matrix, uint32_t *sorted)
{
	uint32_t n = matrix->rows.nr_vertices, most = 0;
	uint32_t *degrees = count_degrees(matrix), *begins;

	if (!degrees)
		return -ENOMEM;
	for (uint32_t v = 0; v < n; v++)
		most = degrees[v] > most ? degrees[v] : most;
	begins = calloc((size_t)most + 2, sizeof(*begins));
	if (!begins) {
		free(degrees);
		return -ENOMEM;
	}
	/* begins[k]: where those of degree most - k begin */
	for (uint32_t v = 0; v < n; v++)
		begins[most - degrees[v] + 1]++;
	for (uint32_t k = 0; k <= most; k++)
		begins[k + 1] += begins[k];
	for (uint32_t v = 0; v < n; v++)
		sorted[begins[most - degrees[v]]++] = v;
	free(begins);
	free(degrees);
	return 0;
}

/* One to each of `count` in turn, forth and back, so that none always comes first. */
static uint32_t turn_of(uint32_t number, uint32_t count)
{
	uint32_t turn = number / count, at = number % count;

	return turn % 2 ? count - 1 - at : at;
}

int gnn_deal(const struct gnn_matrix *matrix, uint32_t p, uint32_t rows,
	     struct gnn_places *places)
{
	uint32_t n = matrix->rows.nr_vertices, groups = rows / GNN_ROW_UNIT;
	uint32_t *sorted = malloc((n ? n : 1) * sizeof(*sorted));

	places->nr_places = p * rows;
	places->of = malloc((n ? n : 1) * sizeof(*places->of));
	if (!sorted || !places->of || sort_by_degree(matrix, sorted)) {
		free(sorted);
		gnn_places_free(places);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t strip = turn_of(i, p), in_strip = i / p;
		uint32_t row = turn_of(in_strip, groups) * GNN_ROW_UNIT +
			       in_strip / groups;

		places->of[sorted[i]] = strip * rows + row;
	}
	free(sorted);
	return 0;
}

void gnn_places_free(struct gnn_places *places)
{
	free(places->of);
	places->of = NULL;
}

uint64_t gnn_most_entries(const struct gnn_matrix *matrix,
			  const struct gnn_places *places, uint32_t p, uint32_t rows)
{
	uint64_t counts[GNN_MAX_SIDE * GNN_MAX_SIDE] = { 0 }, most = 0;

	for (uint32_t v = 0; v < matrix->rows.nr_vertices; v++) {
		uint32_t strip = places->of[v] / rows;

		for (uint64_t i = matrix->rows.first[v]; i < matrix->rows.first[v + 1]; i++)
			counts[strip * p + places->of[matrix->rows.targets[i]] / rows]++;
	}
	for (uint32_t i = 0; i < p * p; i++)
		most = counts[i] > most ? counts[i] : most;
	return most;
}

uint64_t gnn_table_bytes(const struct gnn_shape *shape)
{
	uint64_t numbers = (uint64_t)shape->blocks * shape->blocks + 1;

	/* PEs read the numbers that they want with those around them */
	return (numbers * sizeof(uint32_t) + 7) / 8 * 8 + GNN_READ_ON;
}

uint64_t gnn_entries_bytes(uint64_t entries)
{
	return (entries * sizeof(uint16_t) + 7) / 8 * 8 + GNN_READ_ON;
}

/* Where an entry belongs. */
struct spot {
	uint32_t tile, block;
	uint16_t entry;
};

static struct spot spot_of(const struct gnn_shape *shape, uint32_t row, uint32_t column,
			   bool across)
{
	uint32_t y = row / shape->rows, x = column / shape->rows;
	uint32_t i = row % shape->rows, j = column % shape->rows;
	uint32_t mask = (1u << shape->block_bits) - 1;

	return (struct spot){
		.tile = across ? x * shape->p + y : y * shape->p + x,
		.block = (i >> shape->block_bits) * shape->blocks +
			 (j >> shape->block_bits),
		.entry = (uint16_t)((i & mask) | (j & mask) << 8),
	};
}

/* The table of a tile of which entries were counted, block by block, one further on. */
static void add_up_table(uint32_t *table, uint64_t numbers)
{
	for (uint64_t i = 1; i < numbers; i++)
		table[i] += table[i - 1];
}

struct tiling {
	const struct gnn_matrix *matrix;
	const uint32_t *vertices;	/* at each place; UINT32_MAX: none */
	const struct gnn_places *places;
	const struct gnn_shape *shape;
	bool across;
	uint64_t table_step, entries_step;	/* from a tile to the next */
	uint32_t *tables;
	uint16_t *entries;
};

static uint32_t *number_in(const struct tiling *t, struct spot spot)
{
	return &t->tables[spot.tile * t->table_step + spot.block];
}

static void count_entry(const struct tiling *t, struct spot spot)
{
	number_in(t, spot)[1]++;
}

/* A block's number is moved on behind the entry; they are moved back in the end. */
static void put_entry(const struct tiling *t, struct spot spot)
{
	uint32_t at = (*number_in(t, spot))++;

	t->entries[spot.tile * t->entries_step + at] = spot.entry;
}

/* Rows in the order of their places: the entries of a block are sorted by row. */
static void for_each_entry(const struct tiling *t,
			   void (*fn)(const struct tiling *t, struct spot spot))
{
	for (uint32_t place = 0; place < t->places->nr_places; place++) {
		uint32_t v = t->vertices[place];

		if (v == UINT32_MAX)
			continue;
		for (uint64_t i = t->matrix->rows.first[v]; i < t->matrix->rows.first[v + 1];
		     i++) {
			uint32_t column = t->places->of[t->matrix->rows.targets[i]];

			fn(t, spot_of(t->shape, place, column, t->across));
		}
	}
}

static uint32_t *list_vertices(const struct gnn_matrix *matrix,
			       const struct gnn_places *places)
{
	uint32_t *vertices = malloc(places->nr_places * sizeof(*vertices));

	if (!vertices)
		return NULL;
	memset(vertices, 0xff, places->nr_places * sizeof(*vertices));
	for (uint32_t v = 0; v < matrix->rows.nr_vertices; v++)
		vertices[places->of[v]] = v;
	return vertices;
}

int gnn_make_tiles(const struct gnn_matrix *matrix, const struct gnn_places *places,
		   const struct gnn_shape *shape, bool across, uint64_t most,
		   uint32_t *tables, uint16_t *entries)
{
	uint64_t numbers = (uint64_t)shape->blocks * shape->blocks + 1;
	uint32_t nr_tiles = shape->p * shape->p;
	uint32_t *vertices = list_vertices(matrix, places);
	struct tiling t = {
		.matrix = matrix,
		.vertices = vertices,
		.places = places,
		.shape = shape,
		.across = across,
		.table_step = gnn_table_bytes(shape) / sizeof(*tables),
		.entries_step = gnn_entries_bytes(most) / sizeof(*entries),
		.tables = tables,
		.entries = entries,
	};

	if (!vertices)
		return -ENOMEM;
	memset(tables, 0, nr_tiles * gnn_table_bytes(shape));
	memset(entries, 0, nr_tiles * gnn_entries_bytes(most));
	for_each_entry(&t, count_entry);
	for (uint32_t i = 0; i < nr_tiles; i++)
		add_up_table(&tables[i * t.table_step], numbers);
	for_each_entry(&t, put_entry);
	/* each number is its block's end now, which is where the next one begins */
	for (uint32_t i = 0; i < nr_tiles; i++) {
		uint32_t *table = &tables[i * t.table_step];

		memmove(table + 1, table, (numbers - 1) * sizeof(*table));
		table[0] = 0;
	}
	free(vertices);
	return 0;
}
