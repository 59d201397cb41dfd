// SPDX-License-Identifier: MIT
/* Whole vectors, as many words at a time as a group has lanes. */
#include "collectives/parts/rows.h"

/* words of groups asked for while storing, a block each, or two of groups that share
 * lines: what the second cache keeps until they are read */
#define ASK_WORDS	4096

_Static_assert(64 * PC_ROWS <= PC_FOLD_BYTES, "a fold takes a tile's row");

/*
 * The groups of a set, or of its twin, from e on that are folded at once; or both sets', or
 * both of a pair, row by row, whose accumulators are `both` bytes apart.
 */
struct visit {
	uint32_t set, e, sources;
	unsigned int twin;
	size_t both;
};

/* rows of each, from word `word` on, and how many of them lie evenly */
static uint64_t visit_rows(const struct pc_call *call, const struct visit *v,
			   uint64_t word, uint64_t rows, uint8_t *ptr[8])
{
	unsigned int nl = call->req->shape->lanes.nl;

	for (uint32_t i = 0; i < v->sources; i++)
		rows = pc_streams(call, pc_eg(call, pc_twin(call, v->set, v->twin), v->e + i),
				  word, 1, nl, nl, rows, ptr + i * nl);
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
				     pc_step(call, lanes->nl), run, v->both, !v->e,
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
 * Ask for the words [word, word + words) of the groups of a visit, if there are:
 * block after block of each, however many lanes they have. Twins that are not folded
 * at once ask for half of the words each, and for both of them.
 */
static void rows_ask(struct pc_call *call, const struct visit *v, uint64_t word,
		     uint64_t words, struct pc_ahead *ahead)
{
	ahead->streams = 0;
	if (call->req->small || word + words > call->req->words)
		return;
	if (call->work.paired && !v->both) {
		words /= 2;
		word += v->twin * words;
	}
	ahead->streams = v->sources;
	ahead->first = call->req->sys->asks_first;
	ahead->step = pc_step(call, 1) >> call->work.paired;
	for (uint32_t i = 0; i < v->sources; i++)
		ahead->n = pc_blocks(call, pc_streams(call, pc_eg(call, v->set, v->e + i),
						      call->req->src + word, 0, 1, 1, words,
						      ahead->ptr + i));
}

/* what a visit asks for of its own tile and the next one: see pc_next_visit() */
static void ahead_of_rows(struct pc_call *call, const struct visit *v,
			  uint64_t word, uint64_t words, struct pc_ahead *ahead)
{
	/* with more lanes rows are asked for as they lie, in fewer streams than are read */
	bool beside = pc_groups_beside(call) && call->req->shape->lanes.nl == 1;
	struct visit visit = *v;
	struct pc_next next;

	ahead->streams = 0;
	if (call->req->small)
		return;
	next = pc_next_visit(call, v->e, v->sources, beside);
	visit.e = next.e;
	visit.sources = next.sources;
	if (next.next_tile)
		word += words;
	if (next.half) {
		words /= 2;
		word += (next.half - 1) * words;
	}
	rows_ask(call, &visit, word, words, ahead);
	if (next.lines)
		pc_ask_lines(ahead);
}

/* to an entangled group, and those of `other`, unless NULL, to the one it shares lines with */
static void spread_rows(struct pc_call *call, uint32_t eg, uint64_t word,
			const uint8_t *rows, const uint8_t *other, uint64_t count,
			const struct pc_ahead *ahead)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_moves *moves = call->req->moves;
	unsigned int nl = lanes->nl;

	while (count) {
		uint8_t *to[8];
		uint64_t run = pc_streams(call, eg, word, 1, nl, nl, count, to);

		if (other) {
			moves->spread_pairs(lanes, to, pc_step(call, nl), rows, other,
					    run, call->work.stores, ahead);
			other += 64 * run;
		} else {
			moves->spread(lanes, to, nl, pc_step(call, nl), rows, run,
				      call->work.stores, ahead);
		}
		rows += 64 * run;
		word += run * nl;
		count -= run;
	}
}

/* the few blocks of a short row */
static void spread_short_row(struct pc_call *call, uint32_t eg, uint64_t word,
			     const uint8_t *row, const uint8_t *other, unsigned int words)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	const struct pc_moves *moves = call->req->moves;
	uint8_t *to[8];

	pc_streams(call, eg, word, 1, 1, words, 1, to);
	moves->spread(lanes, to, words, 0, row, 1, call->work.stores, NULL);
	if (!other)
		return;
	for (unsigned int j = 0; j < words; j++)
		to[j] += 64;
	moves->spread(lanes, to, words, 0, other, 1, call->work.stores, NULL);
}

/*
 * Store rows of one entangled group, or of two that share lines: `whole` registers, and
 * the few blocks of a short one, if rest is not zero.
 */
static void spread_eg(struct pc_call *call, uint32_t eg, uint64_t word,
		      const uint8_t *rows, const uint8_t *other, uint64_t whole,
		      unsigned int rest, const struct pc_ahead *ahead)
{
	spread_rows(call, eg, word, rows, other, whole, ahead);
	if (rest)
		spread_short_row(call, eg, word + whole * call->req->shape->lanes.nl,
				 rows + 64 * whole, other ? other + 64 * whole : NULL, rest);
}

/* registers in the PIM domain, words [word, word + n) at call->req->dst */
struct rows_done {
	const uint8_t *rows;
	uint64_t word, n;
};

/* what a visit stores of a tile, and to which groups; `other` as in struct pc_behind */
struct stores {
	struct visit to;
	struct rows_done done;
	const uint8_t *other;
};

/*
 * Lines that two groups share are stored at once, to both: where a visit takes one of the
 * two it stores half of the words, the first one or what is left.
 */
static struct stores visit_stores(const struct pc_call *call, const struct visit *v,
				  const struct rows_done *done)
{
	uint64_t rows = pc_rows_whole(call, done->n) / 2;
	uint64_t words = rows * call->req->shape->lanes.nl;
	uint32_t pairs = call->req->shape->pairs;
	struct stores s = { .to = *v, .done = *done };

	if (!call->work.paired && 2 * pairs <= v->sources)
		return s;
	s.other = done->rows;
	if (call->work.paired)
		s.other += 64 * pc_rows(call, done->n);
	if (v->both)
		return s;
	s.to.twin = 0;
	s.to.e &= ~pairs;
	if (v->twin || v->e & pairs) {
		s.other += 64 * rows;
		s.done = (struct rows_done){
			.rows = done->rows + 64 * rows,
			.word = done->word + words,
			.n = done->n - words,
		};
	} else {
		s.done.n = words;
	}
	return s;
}

static size_t left_of(const struct pc_lines *lines)
{
	size_t n = 0;

	for (unsigned int i = lines->first; i < lines->end; i++)
		n += lines->run[i].n;
	return n;
}

/* what a loop can store on its way, as far as it lies in even rows, or lines; NULL: nothing */
static void leave_behind(const struct pc_call *call, const struct stores *s,
			 struct pc_lines *lines, struct pc_behind *behind)
{
	unsigned int nl = call->req->shape->lanes.nl;

	behind->lines = lines;
	behind->n = lines ? left_of(lines) : 0;
	if (!s)
		return;
	behind->rows = s->done.rows;
	behind->other = s->other;
	if (s->done.n < nl)
		return;
	behind->n = visit_rows(call, &s->to, call->req->dst + s->done.word,
			       pc_rows_whole(call, s->done.n), behind->to);
	behind->step = pc_step(call, nl);
	behind->stores = call->work.stores;
}

/* what is done from `rows` on, which no fold has stored on its way, to a group */
static void store_rest(struct pc_call *call, uint32_t eg, const struct rows_done *done,
		       const uint8_t *rows, const uint8_t *other)
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint64_t stored = (uint64_t)(rows - done->rows) / 64;

	spread_eg(call, eg, call->req->dst + done->word + stored * nl, rows, other,
		  pc_rows_whole(call, done->n) - stored,
		  pc_rows_rest(call, done->n), NULL);
}

/* fold whole rows of the visited groups, and store meanwhile what is done, and lines */
static void visit_fold(struct pc_call *call, const struct visit *v, uint64_t word,
		       uint64_t rows, uint8_t *acc, const struct rows_done *done,
		       struct pc_lines *lines)
{
	struct pc_behind behind;
	struct pc_ahead ahead;
	struct stores s;

	if (done)
		s = visit_stores(call, v, done);
	ahead_of_rows(call, v, word, rows * call->req->shape->lanes.nl, &ahead);
	leave_behind(call, done ? &s : NULL, lines, &behind);
	fold_rows(call, acc, v, call->req->src + word, rows, &ahead, &behind);
	for (uint32_t i = 0; done && i < v->sources; i++)
		store_rest(call, pc_eg(call, v->set, s.to.e + i), &s.done, behind.rows,
			   behind.other);
}

/*
 * The same of all groups; what twins have lies `pitch` bytes apart. Rows of eight lanes that
 * are folded in registers are read by turns with the twin's, as they lie, and so are those of
 * a set's own pairs.
 */
static void reduce_rows(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t rows, uint8_t *out, uint64_t pitch,
			const struct rows_done *done, struct pc_lines *lines)
{
	_Alignas(64) uint8_t wide[PC_FOLD_ACC_BYTES];
	uint64_t acc_pitch = pitch * (call->req->fold.widen ? 2 : 1);
	uint8_t *acc = call->req->fold.widen ? wide : out;
	bool pairs = pc_folds_pairs(call);
	bool both = pairs || (call->work.paired && call->req->fold.reduce &&
			      call->req->shape->lanes.nl == 8);
	struct visit v = { .set = set, .both = both ? acc_pitch : 0 };

	for (; v.e < call->req->shape->egs; v.e = pc_visited_next(call, v.e, v.sources)) {
		v.sources = pc_sources(call, v.e);
		for (v.twin = 0; v.twin <= (call->work.paired && !both); v.twin++)
			visit_fold(call, &v, word, rows, acc + v.twin * acc_pitch, done,
				   lines);
	}
	if (pairs)
		pc_fold_next(&call->req->fold, acc, acc + acc_pitch, 64 * rows);
	for (unsigned int twin = 0; twin <= call->work.paired; twin++)
		pc_fold_last(&call->req->fold, out + twin * pitch, acc + twin * acc_pitch,
			     64 * rows);
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

/* of registers as a tile has them: the set's, then those of its twin */
static struct rows_done twin_done(const struct pc_call *call,
				  const struct rows_done *done, unsigned int twin)
{
	return (struct rows_done){
		.rows = done->rows + 64 * twin * pc_rows(call, done->n),
		.word = done->word,
		.n = done->n,
	};
}

/* Fold one short row, where groups have several lanes, and store what is done. */
static void reduce_short_row(struct pc_call *call, uint32_t set, uint64_t word,
			     unsigned int words, uint8_t *out,
			     const struct rows_done *done)
{
	_Alignas(64) uint8_t wide[2 * 64];
	uint8_t *acc = call->req->fold.widen ? wide : out;

	for (uint32_t e = 0; e < call->req->shape->egs; e++) {
		uint32_t eg = pc_eg(call, set, e);

		fold_short_row(call, acc, eg, call->req->src + word, words, !e);
		if (done)
			store_rest(call, eg, done, done->rows, NULL);
	}
	pc_fold_last(&call->req->fold, out, acc, 64);
}

/*
 * Fold the words [word, word + n) at call->req->src over all members of the set's
 * groups. The result is pc_rows() registers, in the host domain if the fold
 * works there, else in the PIM domain; where the call is paired, as many of the
 * set's twin follow. What is done, unless NULL, is stored to every member
 * meanwhile, and a line for each row that is folded, as long as there are lines, so
 * that memory is read and written at once.
 */
static void reduce_tile(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n, uint8_t out[], const struct rows_done *done,
			struct pc_lines *lines)
{
	unsigned int nl = call->req->shape->lanes.nl;
	uint64_t egs = pc_blocks(call, call->req->shape->egs);
	uint64_t rows = pc_rows_whole(call, n), pitch = 64 * pc_rows(call, n);
	unsigned int rest = pc_rows_rest(call, n);

	if (rows)
		reduce_rows(call, set, word, rows, out, pitch, done, lines);
	for (unsigned int twin = 0; rest && twin <= call->work.paired; twin++) {
		struct rows_done own;

		if (done && !rows)
			own = twin_done(call, done, twin);
		reduce_short_row(call, pc_twin(call, set, twin), word + rows * nl, rest,
				 out + twin * pitch + 64 * rows, done && !rows ? &own : NULL);
	}
	pc_count(&call->counts.blocks_read, egs * n);
	if (done)
		pc_count(&call->counts.blocks_written, egs * done->n);
	if (call->req->fold.host_domain)
		pc_count(&call->counts.transfers, egs * pc_rows(call, n) * nl);
}

void pc_rows_spread_some(struct pc_call *call, const struct pc_rows_part *part,
			 const uint8_t rows[])
{
	for (uint32_t e = part->e; e < part->end; e++)
		spread_eg(call, pc_eg(call, part->set, e), call->req->dst + part->word,
			  rows, NULL, pc_rows_whole(call, part->n),
			  pc_rows_rest(call, part->n), NULL);
	pc_count(&call->counts.blocks_written, (part->end - part->e) * part->n);
}

void pc_rows_spread(struct pc_call *call, uint32_t set, uint64_t word,
		    uint64_t n, const uint8_t rows[], bool read_next)
{
	const struct pc_shape *shape = call->req->shape;
	size_t pitch = call->work.paired ? 64 * pc_rows(call, n) : 0;
	const uint8_t *other = pitch || shape->pairs ? rows + pitch : NULL;
	uint32_t count = shape->pairs ? shape->egs / 2 : shape->egs;
	struct visit v = { .set = set, .sources = 1, .both = pitch };

	for (uint32_t i = 0; i < count; i++) {
		struct pc_ahead ahead = { .streams = 0 };

		v.e = shape->pairs ? pc_pair(call, i) : i;
		if (read_next && i * n < ASK_WORDS)
			rows_ask(call, &v, word + n, n, &ahead);
		if (shape->pairs)
			pc_ask_lines(&ahead);
		spread_eg(call, pc_eg(call, set, v.e), call->req->dst + word, rows, other,
			  pc_rows_whole(call, n), pc_rows_rest(call, n), &ahead);
	}
	pc_count(&call->counts.blocks_written, pc_blocks(call, call->req->shape->egs) * n);
}

/* words of a tile whose registers leave room for a second accumulator, if there is one */
static uint64_t folded_words(const struct pc_call *call)
{
	return pc_rows_words(call) >> pc_folds_pairs(call);
}

void pc_rows_allreduce(struct pc_call *call, uint32_t set, uint64_t word,
		       uint64_t n)
{
	_Alignas(64) uint8_t rows[2][64 * PC_ROWS];
	struct rows_done done = {.n = 0};
	uint64_t tile_words = folded_words(call);

	for (unsigned int k = 0; n; k ^= 1) {
		uint64_t words = n < tile_words ? n : tile_words;
		uint64_t count = pc_blocks(call, pc_rows(call, words));

		reduce_tile(call, set, word, words, rows[k], done.n ? &done : NULL, NULL);
		if (call->req->fold.host_domain) {
			call->req->sys->blocks->transpose(rows[k], rows[k], count);
			pc_count(&call->counts.transfers, count);
		}
		done = (struct rows_done){rows[k], word, words};
		word += words;
		n -= words;
	}
	pc_rows_spread(call, set, done.word, done.n, done.rows, true);
}

/* one by one what is left of them */
static void store_lines(const struct pc_call *call, struct pc_lines *lines)
{
	for (; lines->first < lines->end; lines->first++) {
		const struct pc_run *run = &lines->run[lines->first];

		call->req->moves->store(run->to, 64, run->from, run->n, false,
					PD_STORES_AROUND);
	}
	lines->first = 0;
	lines->end = 0;
}

/* store bytes that are packed to a host buffer: its whole lines later */
static void add_lines(struct pc_lines *lines, uint8_t *to, const uint8_t *from, size_t bytes)
{
	size_t head = -(uintptr_t)to % 64, n;

	if (head > bytes)
		head = bytes;
	pd_copy(to, from, head);
	n = (bytes - head) / 64;
	pd_copy(to + head + 64 * n, from + head + 64 * n, (bytes - head) % 64);
	if (n)
		lines->run[lines->end++] = (struct pc_run){ to + head, from + head, n };
}

/*
 * The words of a set's registers to the groups' buffers. What goes around the caches is
 * packed first, since registers alone fill no lines where a group has few lanes; its lines
 * are stored later.
 */
static void put_rows(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n,
		     const uint8_t *rows, uint8_t *packed, struct pc_lines *lines)
{
	const struct pc_lanes *lanes = &call->req->shape->lanes;
	unsigned int groups = 8 >> lanes->bits;
	uint64_t count = pc_rows(call, n);
	bool around = call->work.stores == PD_STORES_AROUND;
	uint8_t *bufs[8], *to[8] = { packed };

	for (unsigned int g = 0; g < groups; g++) {
		bufs[g] = call->req->bufs[set * groups + g] + 8 * word;
		to[g] = around ? packed + 8 * lanes->nl * count * g : bufs[g];
	}
	call->req->moves->rows_out(lanes, to, rows, count, n - (count - 1) * lanes->nl);
	for (unsigned int g = 0; around && g < groups; g++)
		add_lines(lines, bufs[g], to[g], 8 * n);
	pc_count(&call->counts.host_written, 8 * n * groups);
}

void pc_rows_store(struct pc_call *call, uint32_t set, uint64_t word,
		   uint64_t n, const uint8_t *rows)
{
	_Alignas(64) uint8_t packed[64 * PC_ROWS];
	struct pc_lines lines;

	lines.first = lines.end = 0;
	put_rows(call, set, word, n, rows, packed, &lines);
	store_lines(call, &lines);
}

/* of a set, and of its twin */
static void put_tile(struct pc_call *call, uint32_t set, uint64_t word, uint64_t n,
		     uint8_t *rows, uint8_t *packed, struct pc_lines *lines)
{
	uint64_t count = pc_rows(call, n), all = pc_blocks(call, count);

	if (!call->req->fold.host_domain) {
		call->req->sys->blocks->transpose(rows, rows, all);
		pc_count(&call->counts.transfers, all);
	}
	for (unsigned int twin = 0; twin <= call->work.paired; twin++)
		put_rows(call, pc_twin(call, set, twin), word, n, rows + 64 * twin * count,
			 packed + 64 * twin * count, lines);
}

void pc_rows_to_buffers(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS], packed[64 * PC_ROWS];
	struct pc_lines lines;
	uint64_t tile_words = folded_words(call);

	lines.first = lines.end = 0;
	while (n) {
		uint64_t words = n < tile_words ? n : tile_words;

		reduce_tile(call, set, word, words, rows, NULL, &lines);
		store_lines(call, &lines);
		put_tile(call, set, word, words, rows, packed, &lines);
		word += words;
		n -= words;
	}
	store_lines(call, &lines);
}
