/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "reorder.h"

/* what a PE moves between MRAM and WRAM at a time */
#define DMA_BYTES	2048

/* in bytes */
struct reorder {
	const struct pc_lanes *lanes;
	uint64_t from, to, rows, chunk;
};

/* a PE, its rank, and two pieces of its WRAM */
struct worker {
	struct pimdimm_pe *pe;
	unsigned int rank;
	uint8_t *a, *b;
};

/* rows so short that a transfer holds one or more: exchanged in WRAM */
static void short_rows(const struct reorder *r, const struct worker *w)
{
	unsigned int nl = r->lanes->nl;
	uint64_t row = nl * r->chunk, end = r->rows * row;
	uint64_t step = DMA_BYTES / row * row;

	for (uint64_t at = 0; at < end; at += step) {
		uint64_t n = end - at < step ? end - at : step;

		if (pimdimm_mram_read(w->pe, r->from + at, w->a, n))
			return;
		for (uint64_t i = 0; i < n; i += row) {
			for (unsigned int c = 0; c < nl; c++)
				memcpy(w->b + i + (c ^ w->rank) * r->chunk,
				       w->a + i + c * r->chunk, r->chunk);
		}
		if (pimdimm_mram_write(w->pe, r->to + at, w->b, n))
			return;
	}
}

/* two pieces of two chunks change places; returns whether it went well */
static bool exchange(const struct worker *w, uint64_t x, uint64_t y, uint64_t n)
{
	return !pimdimm_mram_read(w->pe, x, w->a, n) &&
	       !pimdimm_mram_read(w->pe, y, w->b, n) &&
	       !pimdimm_mram_write(w->pe, y, w->a, n) &&
	       !pimdimm_mram_write(w->pe, x, w->b, n);
}

static bool copy(const struct worker *w, uint64_t from, uint64_t to, uint64_t n)
{
	return !pimdimm_mram_read(w->pe, from, w->a, n) &&
	       !pimdimm_mram_write(w->pe, to, w->a, n);
}

/* chunk c of the row that begins at byte `row` */
static bool long_chunk(const struct reorder *r, const struct worker *w,
		       uint64_t row, unsigned int c)
{
	uint64_t from = row + c * r->chunk, to = row + (c ^ w->rank) * r->chunk;

	for (uint64_t at = 0; at < r->chunk; at += DMA_BYTES) {
		uint64_t n = r->chunk - at < DMA_BYTES ? r->chunk - at :
							 DMA_BYTES;
		bool ok = r->from == r->to ?
			exchange(w, r->from + from + at, r->to + to + at, n) :
			copy(w, r->from + from + at, r->to + to + at, n);

		if (!ok)
			return false;
	}
	return true;
}

static void long_rows(const struct reorder *r, const struct worker *w)
{
	unsigned int nl = r->lanes->nl;
	bool in_place = r->from == r->to;

	for (uint64_t row = 0; row < r->rows; row++) {
		for (unsigned int c = 0; c < nl; c++) {
			if (in_place && c > (c ^ w->rank))
				continue;
			if (!long_chunk(r, w, row * nl * r->chunk, c))
				return;
		}
	}
}

/* What fails is told by pimdimm_launch(). */
static void kernel(struct pimdimm_pe *pe, void *arg)
{
	const struct reorder *r = arg;
	struct worker w = {
		.pe = pe,
		.rank = r->lanes->rank[pimdimm_pe_id(pe) % 8],
		.a = pimdimm_wram_alloc(pe, DMA_BYTES),
		.b = pimdimm_wram_alloc(pe, DMA_BYTES),
	};

	if (r->from == r->to && !w.rank)
		return;
	if (r->lanes->nl * r->chunk <= DMA_BYTES)
		short_rows(r, &w);
	else
		long_rows(r, &w);
}

int pc_reorder(struct pc_call *call, uint64_t from, uint64_t to, uint64_t rows,
	       uint64_t words)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	struct reorder r = {
		.lanes = lanes,
		.from = 8 * from,
		.to = 8 * to,
		.rows = rows,
		.chunk = 8 * words,
	};
	uint64_t pes = call->hc->nr_pes;
	int ret;

	if (from == to)		/* the first of each group has nothing to do */
		pes -= pes / lanes->nl;
	if (!pes || !rows || !words)
		return 0;
	ret = pimdimm_launch(call->sys, 0, call->hc->nr_pes, 1, kernel, &r);
	if (!ret)
		call->pe_moved += 2 * pes * rows * lanes->nl * r.chunk;
	return ret;
}
