// SPDX-License-Identifier: MIT
/*
 * alltoallw: between two entangled groups as many rows of each of the lanes'
 * pieces are exchanged at once as fit into the first cache, whatever their
 * types.
 */
#include <string.h>

#include "collectives/loops/loops.h"
#include "collectives/typed/typed.h"

/* bytes of each piece at a time: eight of them, of eight lanes, are 16 KiB */
#define TILE 256u

struct tiles {
	_Alignas(64) uint8_t rows[8][PIMDIMM_CHIPS * TILE];
	uint8_t *ptr[8];
};

/* what entangled group number `from` of the set has for number `to` */
static void exchange_tile(const struct pc_typed *t, struct tiles *tiles,
			  const uint32_t eg[2], const uint32_t number[2],
			  uint64_t at, uint64_t bytes)
{
	struct pimdimm *sys = t->hc->sys;
	const struct pc_lanes *lanes = &t->shape.lanes;
	const struct pt_group from = { sys, eg[0], PD_STORES_PLAIN };
	const struct pt_group to = { sys, eg[1], t->stores };
	size_t blocks = (bytes + PIMDIMM_WORD_BYTES - 1) / PIMDIMM_WORD_BYTES;

	for (unsigned int j = 0; j < lanes->nl; j++)
		pt_rows_get(&from, &t->parts[number[1] * lanes->nl + j].whole,
			    at, bytes, tiles->rows[j]);
	if (lanes->nl > 1)
		pc_isa_moves(sys->isa)->exchange(
			lanes, tiles->ptr, PIMDIMM_BLOCK_BYTES, tiles->ptr,
			PIMDIMM_BLOCK_BYTES, blocks, PD_STORES_PLAIN, NULL);
	for (unsigned int i = 0; i < lanes->nl; i++)
		pt_rows_put(&to,
			    &t->parts[t->nr + number[0] * lanes->nl + i].whole,
			    at, bytes, tiles->rows[i]);
}

static void exchange_pair(struct pc_typed *t, uint32_t set,
			  const uint32_t number[2])
{
	const struct pc_shape *s = &t->shape;
	const uint32_t eg[2] = {
		pc_typed_eg(t, s->base[set] + s->off[number[0]]),
		pc_typed_eg(t, s->base[set] + s->off[number[1]]),
	};
	uint64_t size = t->parts[0].whole.size;
	uint64_t moved = size * s->lanes.nl * PIMDIMM_CHIPS;
	struct tiles tiles;

	for (unsigned int i = 0; i < 8; i++)
		tiles.ptr[i] = tiles.rows[i];
	/* the last block of a piece may have rows that nobody wrote */
	memset(tiles.rows, 0, sizeof(tiles.rows));
	for (uint64_t at = 0; at < size; at += TILE)
		exchange_tile(t, &tiles, eg, number, at,
			      size - at < TILE ? size - at : TILE);
	pc_tally_add(&t->tally.read, moved);
	pc_tally_add(&t->tally.written, moved);
}

static void exchange_items(void *ctx, uint64_t first, uint64_t count)
{
	struct pc_typed *t = ctx;
	uint64_t egs = t->shape.egs;

	for (uint64_t i = first; i < first + count; i++) {
		const uint32_t number[2] = { (uint32_t)(i % egs),
					     (uint32_t)(i / egs % egs) };

		exchange_pair(t, (uint32_t)(i / egs / egs), number);
	}
}

void pc_exchange_run(struct pc_typed *t)
{
	uint64_t egs = t->shape.egs;

	pd_workers_run(
		t->hc->sys->workers, t->shape.sets * egs * egs,
		pc_typed_grain(t->parts[0].whole.size * t->shape.lanes.nl),
		exchange_items, t);
}
