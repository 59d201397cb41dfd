// SPDX-License-Identifier: MIT
/* Whole vectors, as many words at a time as a group has lanes. */
#include "collectives/parts/rows.h"

/* blocks asked for while storing: what the second cache keeps until they are read */
#define ASK_WORDS	4096

_Static_assert(64 * PC_ROWS <= PC_FOLD_BYTES, "a fold takes a tile's row");

/* the groups of a set from e on that are folded at once */
struct visit {
	uint32_t set, e, sources;
};

/* rows of each, from word `word` on, and how many of them lie evenly */
static uint64_t visit_rows(const struct pc_call *call, const struct visit *v,
			   uint64_t word, uint64_t rows, uint8_t *ptr[8])
{
	unsigned int nl = call->req->shape->lanes.nl;

	for (uint32_t i = 0; i < v->sources; i++)
		rows = pc_streams(call, pc_eg(call, v->set, v->e + i), word, 1,
				  nl, nl, rows, ptr + i * nl);
	return rows;
}

/* fold `count` rows of each, the first of the set or not */
static void fold_rows(struct pc_call *call, uint8_t *acc, const struct visit *v,
		      uint64_t word, uint64_t count,
		      const struct pc_ahead *ahead, struct pc_behind *behind)
{
	_Alignas(64) uint8_t tile[64 * PC_ROWS_BLOCKS];
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_fold *fold = &call->req->fold;
	uint64_t at = 0;

	while (at < count) {
		uint8_t *from[8];
		uint64_t run = visit_rows(call, v, word + at * lanes->nl,
					  count - at, from);

		if (fold->reduce)
			fold->reduce(lanes, v->sources * lanes->nl,
				     acc + 64 * at, from,
				     pc_step(call, lanes->nl), run, !v->e,
				     ahead, behind);
		else
			call->req->moves->collect(
				lanes, tile + 64 * at, count, from,
				pc_step(call, lanes->nl), run,
				fold->host_domain, ahead, behind);
		at += run;
	}
	if (!fold->reduce)
		pc_fold_tile(fold, acc, tile, lanes->nl, 64 * count, !v->e);
}

/*
 * The last row, of fewer words than lanes: its first word stands in for the
 * missing ones, so that a user's operation sees nothing but real elements.
 */
static void fold_short_row(struct pc_call *call, uint8_t *acc, uint32_t eg,
			   uint64_t word, unsigned int words, bool first)
{
	_Alignas(64) uint8_t tile[8 * 64], stand_in[64];
	uint8_t *from[8];

	pc_streams(call, eg, word, 1, 1, words, 1, from);
	call->req->moves->load(stand_in, from[0], 0, 1);	/* MRAM is read once */
	from[0] = stand_in;
	for (unsigned int j = words; j < call->req->shape->lanes.nl; j++)
		from[j] = stand_in;
	call->req->moves->collect(&call->req->shape->lanes, tile, 1, from, 0, 1,
				  call->req->fold.host_domain, NULL, NULL);
	pc_fold_tile(&call->req->fold, acc, tile, call->req->shape->lanes.nl,
		     64, first);
}

/*
 * Ask for the words [word, word + words) of `count` groups from e on, if there
 * are: block after block of each, however many lanes they have.
 */
static void rows_ask(struct pc_call *call, uint32_t set, uint32_t e,
		     uint32_t count, uint64_t word, uint64_t words,
		     struct pc_ahead *ahead)
{
	ahead->streams = 0;
	if (call->req->small || word + words > call->req->words)
		return;
	ahead->streams = count;
	ahead->step = pc_step(call, 1);
	for (uint32_t i = 0; i < count; i++)
		ahead->n = pc_streams(call, pc_eg(call, set, e + i),
				      call->req->src + word, 0, 1, 1, words,
				      ahead->ptr + i);
}

/* the rows that are folded after a visit: of the next groups, or of the first in
 * the next tile */
static void ahead_of_rows(struct pc_call *call, const struct visit *v,
			  uint64_t word, uint64_t words, struct pc_ahead *ahead)
{
	uint32_t next = v->e + v->sources;

	ahead->streams = 0;
	if (call->req->small)
		return;
	if (next == call->req->shape->egs) {
		next = 0;
		word += words;
	}
	rows_ask(call, v->set, next, pc_sources(call, next), word, words,
		 ahead);
}

static void spread_rows(struct pc_call *call, uint32_t eg, uint64_t word,
			const uint8_t *rows, uint64_t count,
			const struct pc_ahead *ahead)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	unsigned int nl = lanes->nl;

	while (count) {
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, word, 1, nl, nl, count, to);

		call->req->moves->spread(lanes, to, nl, pc_step(call, nl), rows,
					 run, call->work.stores, ahead);
		rows += 64 * run;
		word += run * nl;
		count -= run;
	}
}

/*
 * Store rows of one entangled group: `whole` registers, and the few blocks of a
 * short one, if rest is not zero.
 */
static void spread_eg(struct pc_call *call, uint32_t eg, uint64_t word,
		      const uint8_t *rows, uint64_t whole, unsigned int rest,
		      const struct pc_ahead *ahead)
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint8_t *to[8];

	spread_rows(call, eg, word, rows, whole, ahead);
	if (!rest)
		return;
	pc_streams(call, eg, word + whole * nl, 1, 1, rest, 1, to);
	call->req->moves->spread(&call->req->shape->lanes, to, rest, 0,
				 rows + 64 * whole, 1, call->work.stores, NULL);
}

/* what was folded last, to be stored to the visited groups as far as it lies in
 * even rows */
static void leave_behind(const struct pc_call *call, const struct visit *v,
			 const struct pc_rows_done *done,
			 struct pc_behind *behind)
{
	unsigned int nl = call->req->shape->lanes.nl;

	behind->n = 0;
	if (!done)
		return;
	behind->rows = done->rows;
	if (done->n < nl)
		return;
	behind->n = visit_rows(call, v, call->req->dst + done->word,
			       pc_rows_whole(call, done->n), behind->to);
	behind->step = pc_step(call, nl);
	behind->stores = call->work.stores;
}

/* what is done from `rows` on, which no fold has stored on its way, to a group */
static void store_rest(struct pc_call *call, uint32_t eg,
		       const struct pc_rows_done *done, const uint8_t *rows)
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint64_t stored = (uint64_t)(rows - done->rows) / 64;

	spread_eg(call, eg, call->req->dst + done->word + stored * nl, rows,
		  pc_rows_whole(call, done->n) - stored,
		  pc_rows_rest(call, done->n), NULL);
}

/* fold whole rows, and store meanwhile what is done */
static void reduce_rows(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t rows, uint8_t *out,
			const struct pc_rows_done *done)
{
	_Alignas(64) uint8_t wide[PC_FOLD_ACC_BYTES];
	uint8_t *acc = call->req->fold.widen ? wide : out;
	struct visit v = { .set = set };

	for (; v.e < call->req->shape->egs; v.e += v.sources) {
		struct pc_behind behind;
		struct pc_ahead ahead;

		v.sources = pc_sources(call, v.e);
		ahead_of_rows(call, &v, word, rows * call->req->shape->lanes.nl,
			      &ahead);
		leave_behind(call, &v, done, &behind);
		fold_rows(call, acc, &v, call->req->src + word, rows, &ahead,
			  &behind);
		for (uint32_t i = 0; done && i < v.sources; i++)
			store_rest(call, pc_eg(call, set, v.e + i), done,
				   behind.rows);
	}
	pc_fold_last(&call->req->fold, out, acc, 64 * rows);
}

/* what is folded of groups [e, end) with one that is there already, if any; for those
 * that do not go on to the end of the set */
static void fold_some_rows(struct pc_call *call, const struct pc_rows_part *part,
			   uint64_t rows, uint8_t *acc)
{
	struct visit v = { .set = part->set, .e = part->e };

	for (; v.e < part->end; v.e += v.sources) {
		v.sources = pc_sources(call, v.e);
		while (v.sources > part->end - v.e)
			v.sources /= 2;
		fold_rows(call, acc, &v, call->req->src + part->word, rows, NULL,
			  NULL);
	}
}

void pc_rows_fold(struct pc_call *call, const struct pc_rows_part *part, uint8_t *acc)
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint64_t rows = pc_rows_whole(call, part->n);
	unsigned int rest = pc_rows_rest(call, part->n);
	uint32_t egs = part->end - part->e;

	if (rows)
		fold_some_rows(call, part, rows, acc);
	acc += pc_rows_acc_bytes(call, rows * nl);
	for (uint32_t e = part->e; rest && e < part->end; e++)
		fold_short_row(call, acc, pc_eg(call, part->set, e),
			       call->req->src + part->word + rows * nl, rest, !e);
	pc_count(&call->counts.blocks_read, egs * part->n);
	if (call->req->fold.host_domain)
		pc_count(&call->counts.transfers,
			 (uint64_t)egs * pc_rows(call, part->n) * nl);
}

void pc_rows_fold_last(struct pc_call *call, uint64_t n, uint8_t *out, const uint8_t *acc)
{
	uint64_t rows = pc_rows_whole(call, n);

	if (rows)
		pc_fold_last(&call->req->fold, out, acc, 64 * rows);
	if (pc_rows_rest(call, n))
		pc_fold_last(&call->req->fold, out + 64 * rows,
			     acc + pc_rows_acc_bytes(call, rows * call->req->shape->lanes.nl),
			     64);
}

/* Fold one short row, where groups have several lanes, and store what is done. */
static void reduce_short_row(struct pc_call *call, uint32_t set, uint64_t word,
			     unsigned int words, uint8_t *out,
			     const struct pc_rows_done *done)
{
	_Alignas(64) uint8_t wide[2 * 64];
	uint8_t *acc = call->req->fold.widen ? wide : out;

	for (uint32_t e = 0; e < call->req->shape->egs; e++) {
		uint32_t eg = pc_eg(call, set, e);

		fold_short_row(call, acc, eg, call->req->src + word, words, !e);
		if (done)
			store_rest(call, eg, done, done->rows);
	}
	pc_fold_last(&call->req->fold, out, acc, 64);
}

void pc_rows_reduce(struct pc_call *call, uint32_t set, uint64_t word,
		    uint64_t n, uint8_t out[], const struct pc_rows_done *done)
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint64_t rows = pc_rows_whole(call, n);
	unsigned int rest = pc_rows_rest(call, n);

	if (rows)
		reduce_rows(call, set, word, rows, out, done);
	if (rest)
		reduce_short_row(call, set, word + rows * nl, rest,
				 out + 64 * rows, rows ? NULL : done);
	pc_count(&call->counts.blocks_read, call->req->shape->egs * n);
	if (done)
		pc_count(&call->counts.blocks_written,
			 call->req->shape->egs * done->n);
	if (call->req->fold.host_domain)
		pc_count(&call->counts.transfers,
			 call->req->shape->egs * pc_rows(call, n) * nl);
}

void pc_rows_spread_some(struct pc_call *call, const struct pc_rows_part *part,
			 const uint8_t rows[])
{
	for (uint32_t e = part->e; e < part->end; e++)
		spread_eg(call, pc_eg(call, part->set, e), call->req->dst + part->word,
			  rows, pc_rows_whole(call, part->n),
			  pc_rows_rest(call, part->n), NULL);
	pc_count(&call->counts.blocks_written, (part->end - part->e) * part->n);
}

void pc_rows_spread(struct pc_call *call, uint32_t set, uint64_t word,
		    uint64_t n, const uint8_t rows[], bool read_next)
{
	for (uint32_t e = 0; e < call->req->shape->egs; e++) {
		struct pc_ahead ahead = { .streams = 0 };

		if (read_next && e * n < ASK_WORDS)
			rows_ask(call, set, e, 1, word + n, n, &ahead);
		spread_eg(call, pc_eg(call, set, e), call->req->dst + word,
			  rows, pc_rows_whole(call, n), pc_rows_rest(call, n),
			  &ahead);
	}
	pc_count(&call->counts.blocks_written, call->req->shape->egs * n);
}

void pc_rows_allreduce(struct pc_call *call, uint32_t set, uint64_t word,
		       uint64_t n)
{
	_Alignas(64) uint8_t rows[2][64 * PC_ROWS];
	struct pc_rows_done done = {.n = 0};
	uint64_t tile_words = pc_rows_words(call);

	for (unsigned int k = 0; n; k ^= 1) {
		uint64_t words = n < tile_words ? n : tile_words;

		pc_rows_reduce(call, set, word, words, rows[k],
			       done.n ? &done : NULL);
		if (call->req->fold.host_domain) {
			call->req->sys->blocks->transpose(
				rows[k], rows[k], pc_rows(call, words));
			pc_count(&call->counts.transfers, pc_rows(call, words));
		}
		done = (struct pc_rows_done){rows[k], word, words};
		word += words;
		n -= words;
	}
	pc_rows_spread(call, set, done.word, done.n, done.rows, true);
}

/* What goes around the caches is packed first: registers alone fill no lines where
 * a group has few lanes. */
static void store_packed(struct pc_call *call, uint8_t *const bufs[],
			 uint64_t n, const uint8_t *rows)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	_Alignas(64) uint8_t packed[64 * PC_ROWS];
	uint64_t count = pc_rows(call, n);
	unsigned int groups = 8 >> lanes->bits;
	uint8_t *to[8] = { packed };

	for (unsigned int g = 0; g < groups; g++)
		to[g] = packed + 8 * lanes->nl * count * g;
	call->req->moves->rows_out(lanes, to, rows, count,
				n - (count - 1) * lanes->nl);
	for (unsigned int g = 0; g < groups; g++)
		call->req->sys->blocks->bytes_put(bufs[g], to[g], 8 * n,
						   PD_STORES_AROUND);
}

void pc_rows_store(struct pc_call *call, uint32_t set, uint64_t word,
		   uint64_t n, const uint8_t *rows)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	unsigned int groups = 8 >> lanes->bits;
	uint64_t count = pc_rows(call, n);
	uint8_t *bufs[8];

	for (unsigned int g = 0; g < groups; g++)
		bufs[g] = call->req->bufs[set * groups + g] + 8 * word;
	if (call->work.stores == PD_STORES_AROUND)
		store_packed(call, bufs, n, rows);
	else
		call->req->moves->rows_out(lanes, bufs, rows, count,
					n - (count - 1) * lanes->nl);
	pc_count(&call->counts.host_written, 8 * n * groups);
}

void pc_rows_to_buffers(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	uint64_t count = pc_rows(call, n);

	pc_rows_reduce(call, set, word, n, rows, NULL);
	if (!call->req->fold.host_domain) {
		call->req->sys->blocks->transpose(rows, rows, count);
		pc_count(&call->counts.transfers, count);
	}
	pc_rows_store(call, set, word, n, rows);
}
