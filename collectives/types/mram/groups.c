// SPDX-License-Identifier: MIT
/* Moves parts of MRAM: rows of whole entangled groups, or bytes of one PE. */
#include <errno.h>
#include <string.h>

#include "collectives/types/mram/groups.h"
#include "collectives/types/mover.h"
#include "runtime/base/error.h"
#include "runtime/ranks/transfer.h"

/* where windows are not linear: rows of a run, block by block */
struct rows_walk {
	const struct pt_group *g;
	uint8_t *rows;
	bool to_mram;
};

static void rows_copy(const struct rows_walk *w, uint8_t *window, uint8_t *rows,
		      uint64_t n)
{
	if (w->to_mram)
		memcpy(window, rows, PIMDIMM_CHIPS * n);
	else
		memcpy(rows, window, PIMDIMM_CHIPS * n);
}

/* whole words, of one run of the layout after the other */
static void rows_words(const struct rows_walk *w, uint64_t word, uint64_t words,
		       uint8_t *rows)
{
	const struct pimdimm *sys = w->g->sys;
	const struct pt_strided *strided = pt_isa_strided(sys->isa);

	while (words) {
		uint64_t n = pd_run(sys, word);
		uint8_t *block = pd_block(sys, w->g->eg, word);
		struct pt_nest nest = { .len = PIMDIMM_BLOCK_BYTES };
		int64_t step = (int64_t)pd_stride(sys);

		n = n < words ? n : words;
		nest.n[0] = n;
		nest.n[1] = 1;
		nest.to[0] = w->to_mram ? step : PIMDIMM_BLOCK_BYTES;
		nest.from[0] = w->to_mram ? PIMDIMM_BLOCK_BYTES : step;
		if (w->to_mram)
			strided->lines(block, rows, &nest, w->g->stores);
		else
			strided->copy(rows, block, &nest);
		rows += PIMDIMM_BLOCK_BYTES * n;
		word += n;
		words -= n;
	}
}

static void rows_run(const struct rows_walk *w, uint64_t off, uint64_t bytes,
		     uint8_t *rows)
{
	while (bytes) {
		uint64_t inside = off % PIMDIMM_WORD_BYTES;
		uint64_t n = PIMDIMM_WORD_BYTES - inside;

		if (!inside && bytes >= PIMDIMM_WORD_BYTES) {
			n = bytes - bytes % PIMDIMM_WORD_BYTES;
			rows_words(w, off / PIMDIMM_WORD_BYTES,
				   n / PIMDIMM_WORD_BYTES, rows);
		} else {
			n = n < bytes ? n : bytes;
			rows_copy(w, pd_block(w->g->sys, w->g->eg,
					      off / PIMDIMM_WORD_BYTES) +
					     PIMDIMM_CHIPS * inside, rows, n);
		}
		off += n;
		bytes -= n;
		rows += PIMDIMM_CHIPS * n;
	}
}

static bool rows_leaf(void *ctx, const struct pt_leaf *leaf)
{
	const struct rows_walk *w = ctx;
	uint8_t *rows = w->rows + PIMDIMM_CHIPS * leaf->at;

	for (uint64_t j = 0; j < leaf->n[1]; j++) {
		int64_t mem = leaf->mem + (int64_t)j * leaf->stride[1];

		for (uint64_t i = 0; i < leaf->n[0]; i++) {
			int64_t at = leaf->offs ? leaf->offs[i] :
						  (int64_t)i * leaf->stride[0];

			rows_run(w, (uint64_t)(mem + at), leaf->len, rows);
			rows += PIMDIMM_CHIPS * leaf->len;
		}
	}
	return true;
}

static void rows_move(const struct pt_group *g, const struct pt_whole *mram,
		      uint64_t at, uint64_t bytes, uint8_t *rows, bool to_mram)
{
	struct rows_walk w = { g, rows, to_mram };
	struct pt_mover m = {
		.strided = pt_isa_strided(g->sys->isa),
		.stream = rows,
		.shift = 3,
		.to_mem = to_mram,
		.stores = g->stores,
	};

	if (g->sys->geometry.layout != PIMDIMM_LAYOUT_LINEAR) {
		pt_walk(mram, at, bytes, rows_leaf, &w);
		return;
	}
	m.mem = pd_block(g->sys, g->eg, 0);
	pt_walk(mram, at, bytes, pt_move_leaf, &m);
}

void pt_rows_get(const struct pt_group *g, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, uint8_t *rows)
{
	rows_move(g, mram, at, bytes, rows, false);
}

void pt_rows_put(const struct pt_group *g, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, const uint8_t *rows)
{
	rows_move(g, mram, at, bytes, (uint8_t *)(uintptr_t)rows, true);
}

struct lane_walk {
	struct pimdimm *sys;
	uint32_t pe;
	uint8_t *stream;
	bool to_mram;
};

static bool lane_leaf(void *ctx, const struct pt_leaf *leaf)
{
	const struct lane_walk *w = ctx;
	uint8_t *stream = w->stream + leaf->at;

	for (uint64_t j = 0; j < leaf->n[1]; j++) {
		int64_t mem = leaf->mem + (int64_t)j * leaf->stride[1];

		for (uint64_t i = 0; i < leaf->n[0]; i++) {
			int64_t at = mem + (leaf->offs ? leaf->offs[i] :
					    (int64_t)i * leaf->stride[0]);

			if (w->to_mram)
				pd_pe_write(w->sys, w->pe, (uint64_t)at, stream,
					    leaf->len);
			else
				pd_pe_read(w->sys, w->pe, (uint64_t)at, stream,
					   leaf->len);
			stream += leaf->len;
		}
	}
	return true;
}

void pt_lane_get(struct pimdimm *sys, uint32_t pe, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, uint8_t *stream)
{
	struct lane_walk w = { sys, pe, stream, false };

	pt_walk(mram, at, bytes, lane_leaf, &w);
}

void pt_lane_put(struct pimdimm *sys, uint32_t pe, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, const uint8_t *stream)
{
	struct lane_walk w = { sys, pe, (uint8_t *)(uintptr_t)stream, true };

	pt_walk(mram, at, bytes, lane_leaf, &w);
}

void pt_rows_from_lanes(const struct pimdimm *sys, uint8_t *rows,
			const void *const from[PIMDIMM_CHIPS], uint64_t bytes)
{
	uint64_t words = bytes / PIMDIMM_WORD_BYTES;
	uint64_t done = words * PIMDIMM_WORD_BYTES, rest = bytes - done;
	uint64_t last[PIMDIMM_CHIPS] = { 0 };
	const void *lasts[PIMDIMM_CHIPS];

	if (words)
		sys->blocks->eg_put(rows, PIMDIMM_BLOCK_BYTES, from, words,
				    PD_STORES_PLAIN);
	if (!rest)
		return;
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		memcpy(&last[i], (const uint8_t *)from[i] + done, rest);
		lasts[i] = &last[i];
	}
	sys->blocks->eg_put(rows + PIMDIMM_CHIPS * done, PIMDIMM_BLOCK_BYTES,
			    lasts, 1, PD_STORES_PLAIN);
}

void pt_rows_to_lanes(const struct pimdimm *sys, void *const to[PIMDIMM_CHIPS],
		      const uint8_t *rows, uint64_t bytes)
{
	uint64_t words = bytes / PIMDIMM_WORD_BYTES;
	uint64_t done = words * PIMDIMM_WORD_BYTES, rest = bytes - done;
	uint64_t last[PIMDIMM_CHIPS];
	void *lasts[PIMDIMM_CHIPS];
	uint8_t block[PIMDIMM_BLOCK_BYTES] = { 0 };

	if (words)
		sys->blocks->eg_get(to, rows, PIMDIMM_BLOCK_BYTES, words,
				    PD_STORES_PLAIN);
	if (!rest)
		return;
	memcpy(block, rows + PIMDIMM_CHIPS * done, PIMDIMM_CHIPS * rest);
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
		lasts[i] = &last[i];
	sys->blocks->eg_get(lasts, block, PIMDIMM_BLOCK_BYTES, 1,
			    PD_STORES_PLAIN);
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		if (to[i])
			memcpy((uint8_t *)to[i] + done, &last[i], rest);
	}
}

int pt_check_mram(const struct pimdimm *sys, const struct pt_whole *whole,
		  const char *name)
{
	uint64_t size = sys->geometry.mram_size;

	if (whole->size && (whole->lo < 0 || (uint64_t)whole->hi > size))
		return pd_error(EINVAL,
				"%s has bytes from %lld to %lld, expected all of them in the MRAM of %llu bytes",
				name, (long long)whole->lo, (long long)whole->hi,
				(unsigned long long)size);
	return 0;
}
