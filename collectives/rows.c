/* SPDX-License-Identifier: MIT */
#include "rows.h"

_Static_assert(64 * PC_ROWS <= PC_FOLD_BYTES, "a fold takes a tile's row");

/* collect `count` rows of one entangled group into the tile */
static void collect_rows(struct pc_call *call, uint8_t *tile, uint32_t eg,
			 uint64_t word, uint64_t count,
			 const struct pc_ahead *ahead)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	uint64_t at = 0;

	while (at < count) {
		uint8_t *from[8];
		uint64_t run = pc_streams(call, eg, word + at * lanes->nl, 1,
					  lanes->nl, lanes->nl, count - at,
					  from);

		call->kernels->collect(lanes, tile + 64 * at, count, from,
				       pc_step(call, lanes->nl), run,
				       call->fold.host_domain, ahead);
		at += run;
	}
}

/*
 * The last row, of fewer words than lanes: its first word stands in for the
 * missing ones, so that a user's operation sees nothing but real elements.
 */
static void collect_short_row(struct pc_call *call, uint8_t *tile, uint32_t eg,
			      uint64_t word, unsigned int words)
{
	_Alignas(64) uint8_t stand_in[64];
	static const struct pc_ahead nothing;
	uint8_t *from[8];

	pc_streams(call, eg, word, 1, 1, words, 1, from);
	call->kernels->load(stand_in, from[0], 0, 1);	/* MRAM is read once */
	from[0] = stand_in;
	for (unsigned int j = words; j < call->shape->lanes.nl; j++)
		from[j] = stand_in;
	call->kernels->collect(&call->shape->lanes, tile, 1, from, 0, 1,
			       call->fold.host_domain, &nothing);
}

static void fold_tile(struct pc_call *call, uint8_t *acc, const uint8_t *tile,
		      uint64_t rows, bool first)
{
	for (unsigned int j = 0; j < call->shape->lanes.nl; j++) {
		const uint8_t *in = tile + 64 * rows * j;

		if (first && !j)
			pc_fold_first(&call->fold, acc, in, 64 * rows);
		else
			pc_fold_next(&call->fold, acc, in, 64 * rows);
	}
}

/* the rows that come after those of entangled group e: of the next one, or of
 * the first in the next tile */
static void look_ahead(struct pc_call *call, uint32_t set, uint32_t e,
		       uint64_t word, uint64_t words, struct pc_ahead *ahead)
{
	*ahead = (struct pc_ahead){ 0 };
	if (++e == call->shape->egs) {
		e = 0;
		word += words;
	}
	if (word + words > call->words)
		return;
	ahead->streams = 1;
	ahead->step = pc_step(call, 1);
	ahead->n = pc_streams(call, pc_eg(call, set, e), call->src + word, 0, 1,
			      1, words, ahead->ptr);
}

/* fold whole rows, or one short one */
static void reduce_rows(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t rows, unsigned int words_last, uint8_t *out)
{
	_Alignas(64) uint8_t tile[8 * 64 * PC_ROWS];
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	for (uint32_t e = 0; e < call->shape->egs; e++) {
		uint32_t eg = pc_eg(call, set, e);
		struct pc_ahead ahead;

		look_ahead(call, set, e, word, rows * call->shape->lanes.nl,
			   &ahead);
		if (words_last < call->shape->lanes.nl)
			collect_short_row(call, tile, eg, call->src + word,
					  words_last);
		else
			collect_rows(call, tile, eg, call->src + word, rows,
				     &ahead);
		fold_tile(call, acc, tile, rows, !e);
	}
	pc_fold_last(&call->fold, out, acc, 64 * rows);
}

void pc_rows_reduce(struct pc_call *call, uint32_t set, uint64_t word,
		    uint64_t n, uint8_t out[])
{
	unsigned int nl = call->shape->lanes.nl;
	uint64_t rows = n / nl;
	unsigned int rest = (unsigned int)(n % nl);

	if (rows)
		reduce_rows(call, set, word, rows, nl, out);
	if (rest)
		reduce_rows(call, set, word + rows * nl, 1, rest,
			    out + 64 * rows);
	pc_count(&call->blocks_read, call->shape->egs * n);
	if (call->fold.host_domain)
		pc_count(&call->transfers,
			 call->shape->egs * pc_rows(call, n) * nl);
}

static void spread_rows(struct pc_call *call, uint32_t eg, uint64_t word,
			const uint8_t *rows, uint64_t count)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	unsigned int nl = lanes->nl;

	while (count) {
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, word, 1, nl, nl, count, to);

		call->kernels->spread(lanes, to, nl, pc_step(call, nl), rows,
				      run, call->stream);
		rows += 64 * run;
		word += run * nl;
		count -= run;
	}
}

void pc_rows_spread(struct pc_call *call, uint32_t set, uint64_t word,
		    uint64_t n, const uint8_t rows[])
{
	unsigned int nl = call->shape->lanes.nl;
	unsigned int rest = (unsigned int)(n % nl);
	uint64_t whole = n / nl;

	for (uint32_t e = 0; e < call->shape->egs; e++) {
		uint32_t eg = pc_eg(call, set, e);
		uint8_t *to[8];

		spread_rows(call, eg, call->dst + word, rows, whole);
		if (!rest)
			continue;
		pc_streams(call, eg, call->dst + word + whole * nl, 1, 1, rest,
			   1, to);
		call->kernels->spread(&call->shape->lanes, to, rest, 0,
				      rows + 64 * whole, 1, call->stream);
	}
	pc_count(&call->blocks_written, call->shape->egs * n);
}
