// SPDX-License-Identifier: MIT
/*
 * The roofline of a call: a plain loop over the lines of memory that the call
 * must load and store, each once, by the library's own threads on the same
 * mappings. A call that is faster has the help of caches, or reads several places of
 * memory by turns.
 *
 * A column is what lies in one stream of a rank's window: an entangled group, in
 * xeon_sp the banks d and d + 4, whose blocks alternate. It is walked in tiles; a
 * tile reads its share of the source and writes its share of the destination.
 */
#include <string.h>

#include "tools/perf/runners/lines.h"
#include "tools/perf/runners/roofline.h"

#define TILE_LINES 1024

#define TEMPORAL	"temporal"
#define NON_TEMPORAL	"non-temporal"

/* One side of a call: lines of MRAM of a column, or of the host buffers. */
struct side {
	bool host;
	uint64_t word;		/* first in each PE's MRAM */
	uint64_t lines;		/* of a column */
};

struct roof {
	struct perf_setup *s;
	const struct perf_lines *lines;
	bool stream;
	struct side from, to;
	uint32_t columns;
	unsigned int per_word;	/* lines of a column for each word */
	uint64_t tiles;		/* of a column */
};

/* Tells where line `line` of a column lies, and how many follow it evenly. */
static uint8_t *roof_locate(const struct roof *r, const struct side *side,
			    uint32_t column, uint64_t line, uint64_t *run,
			    size_t *stride)
{
	struct pimdimm *sys = r->s->rig->sys;
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	uint32_t per_rank = PIMDIMM_BANKS / r->per_word;
	uint64_t word = side->word + line / r->per_word, left;
	uint8_t *window;
	size_t bytes;

	*stride = PIMDIMM_BLOCK_BYTES;
	if (side->host) {
		*run = side->lines - line;
		return r->s->rig->host + (column * side->lines + line) *
						 PIMDIMM_BLOCK_BYTES;
	}
	window = pimdimm_mram(sys, column / per_rank, &bytes);
	left = pimdimm_layout_run(g->layout, g->mram_size, word);
	*run = left * r->per_word - line % r->per_word;
	if (r->per_word == 1)
		*stride = pimdimm_layout_stride(g->layout);
	return window + line % r->per_word * PIMDIMM_BLOCK_BYTES +
	       pimdimm_layout_offset(g->layout, g->mram_size,
				     column % per_rank, word);
}

static uint64_t roof_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Loads lines [at, end) of the source. */
static void load_lines(const struct roof *r, uint32_t column, uint64_t at,
		 uint64_t end)
{
	while (at < end) {
		uint64_t run;
		size_t stride;
		uint8_t *p = roof_locate(r, &r->from, column, at, &run, &stride);

		run = roof_least(run, end - at);
		r->lines->load(p, stride, run);
		at += run;
	}
}

static void store_lines(const struct roof *r, uint32_t column, uint64_t at,
		  uint64_t end)
{
	while (at < end) {
		uint64_t run;
		size_t stride;
		uint8_t *p = roof_locate(r, &r->to, column, at, &run, &stride);

		run = roof_least(run, end - at);
		(r->stream ? r->lines->stream : r->lines->store)(p, stride,
								 run);
		at += run;
	}
}

/* n lines from line `from` of the source to line `to` of the destination */
static void copy_lines(const struct roof *r, uint32_t column, uint64_t from,
		 uint64_t to, uint64_t n)
{
	while (n) {
		uint64_t run, run_to;
		size_t stride, stride_to;
		uint8_t *p = roof_locate(r, &r->from, column, from, &run, &stride);
		uint8_t *q = roof_locate(r, &r->to, column, to, &run_to, &stride_to);

		run = roof_least(roof_least(run, run_to), n);
		(r->stream ? r->lines->copy_stream :
			     r->lines->copy)(q, stride_to, p, stride, run);
		from += run;
		to += run;
		n -= run;
	}
}

/* what both sides have in common is copied, the rest only loaded or stored */
static void move_tiles(void *ctx, uint64_t first, uint64_t count)
{
	const struct roof *r = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		uint32_t column = (uint32_t)(i / r->tiles);
		uint64_t t = i % r->tiles;
		uint64_t from = r->from.lines * t / r->tiles;
		uint64_t from_end = r->from.lines * (t + 1) / r->tiles;
		uint64_t to = r->to.lines * t / r->tiles;
		uint64_t to_end = r->to.lines * (t + 1) / r->tiles;
		uint64_t both = roof_least(from_end - from, to_end - to);

		copy_lines(r, column, from, to, both);
		load_lines(r, column, from + both, from_end);
		store_lines(r, column, to + both, to_end);
	}
	if (r->stream)
		r->lines->fence();
}

/* a side in the MRAM of each member, or nothing there: then it is the buffers */
static struct side side_of(const struct roof *r, enum pc_amount amount,
			   uint64_t at)
{
	const struct perf_setup *s = r->s;
	uint64_t bytes = pc_amount_bytes(amount, s->c->bytes, s->members);
	uint32_t egs = s->rig->own_pes / PIMDIMM_CHIPS;

	if (!amount)
		return (struct side){
			.host = true,
			.lines = s->own_groups * s->buf_bytes /
				 PIMDIMM_BLOCK_BYTES / r->columns,
		};
	return (struct side){
		.word = at / PIMDIMM_WORD_BYTES,
		.lines = bytes / PIMDIMM_WORD_BYTES * (egs / r->columns),
	};
}

static void set_sides(struct roof *r)
{
	const struct pc_traits *traits = &pc_traits[r->s->c->id];

	r->from = side_of(r, traits->src, r->s->src);
	r->to = side_of(r, traits->dst, r->s->dst);
}

/* Of several hosts each moves what is its own. */
static int run_roofline(struct perf_setup *s, const char *name)
{
	uint32_t egs = s->rig->own_pes / PIMDIMM_CHIPS;
	struct roof r = {
		.s = s,
		.lines = perf_lines(),
		.stream = !strcmp(name, NON_TEMPORAL),
		.columns = egs,
		.per_word = 1,
	};
	uint64_t most;

	if (!egs)
		return 0;
	/* banks pair up where all of a rank's are used */
	if (pimdimm_geometry(s->rig->sys)->layout == PIMDIMM_LAYOUT_XEON_SP &&
	    egs % PIMDIMM_BANKS == 0) {
		r.per_word = 2;
		r.columns = egs / 2;
	}
	set_sides(&r);
	most = r.from.lines > r.to.lines ? r.from.lines : r.to.lines;
	r.tiles = (most + TILE_LINES - 1) / TILE_LINES;
	if (r.tiles)
		pd_workers_run(s->rig->sys->workers, r.columns * r.tiles,
			       most < TILE_LINES ? TILE_LINES / most : 1,
			       move_tiles, &r);
	return 0;
}

static const struct perf_method roofline = {
	.run = run_roofline,
	.unchecked = true,
};

void perf_roofline_runners(struct perf_setup *s, struct perf_runner r[2])
{
	r[0] = (struct perf_runner){ .setup = s, .name = TEMPORAL,
				     .method = &roofline };
	r[1] = (struct perf_runner){ .setup = s, .name = NON_TEMPORAL,
				     .method = &roofline };
}

double perf_roofline_ns(const struct perf_runner r[2])
{
	return r[0].median < r[1].median ? r[0].median : r[1].median;
}
