/* SPDX-License-Identifier: MIT */
/* Vertices dealt out to strips, and the adjacency's tiles as PEs have them. */
#ifndef PIMDIMM_APPS_GNN_TILES_H
#define PIMDIMM_APPS_GNN_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/apps/gnn/matrix.h"
#include "tools/apps/gnn/shape.h"

/* Each vertex's place: strip * rows + row in the strip. */
struct gnn_places {
	uint32_t nr_places;	/* p * rows; some hold no vertex */
	uint32_t *of;		/* of each vertex */
};

/*
 * Deals vertices out so that all strips, and in them all groups of rows, get about as many
 * entries. Returns 0 or -ENOMEM.
 */
int gnn_deal(const struct gnn_matrix *matrix, uint32_t p, uint32_t rows,
	     struct gnn_places *places);
void gnn_places_free(struct gnn_places *places);

/* entries of the fullest of p * p tiles, for these places of vertices */
uint64_t gnn_most_entries(const struct gnn_matrix *matrix,
			  const struct gnn_places *places, uint32_t p, uint32_t rows);

/* bytes of the tables and of the entries of a tile in MRAM, with what may be read on */
uint64_t gnn_table_bytes(const struct gnn_shape *shape);
uint64_t gnn_entries_bytes(uint64_t entries);

/*
 * The tiles of all PEs, one behind the other: tile number y * p + x has the rows of strip
 * y and the columns of strip x, or, `across`, rows of strip x and columns of strip y.
 * `tables` holds gnn_table_bytes() for each, `entries` gnn_entries_bytes(most). Returns 0
 * or -ENOMEM.
 */
int gnn_make_tiles(const struct gnn_matrix *matrix, const struct gnn_places *places,
		   const struct gnn_shape *shape, bool across, uint64_t most,
		   uint32_t *tables, uint16_t *entries);

#endif /* PIMDIMM_APPS_GNN_TILES_H */
