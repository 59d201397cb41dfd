// SPDX-License-Identifier: MIT
/*
 * Compiled once a tier, with -DPD_TIER=name and the tier's instruction set.
 * Every function is a loop over one block position of all its streams; `nl`,
 * `stores` and `transpose` are constants wherever it is expanded.
 */
#include "collectives/loops/exchange.h"

PD_INLINE void exchange_loop(const struct pc_lanes *lanes, uint8_t *const dst[],
			     size_t dst_step, uint8_t *const src[],
			     size_t src_step, size_t n, unsigned int nl,
			     enum pd_stores stores, const struct pc_ahead *ahead)
{
	struct stages s = stages(lanes);
	struct cursor c = cursor(ahead);
	v64 r[8];

	for (size_t i = 0; i < n; i++) {
		for (unsigned int j = 0; j < nl; j++)
			r[j] = v_load(src[j] + i * src_step);
		look_ahead(&c, nl);
		butterfly(r, nl, nl, s.low, s.shift);
		for (unsigned int j = 0; j < nl; j++)
			v_put(dst[j] + i * dst_step, r[j], stores);
	}
}

static void exchange(const struct pc_lanes *lanes, uint8_t *const dst[],
		     size_t dst_step, uint8_t *const src[], size_t src_step,
		     size_t n, enum pd_stores stores, const struct pc_ahead *ahead)
{
	V_WITH_STORES(stores,
		      FOR_EACH_NL(lanes->nl,
				  exchange_loop(lanes, dst, dst_step, src,
						src_step, n, nl, with, ahead)));
}

/* of both sources the lines `at` bytes behind where streams begin, exchanged */
PD_INLINE void exchange_line(const struct stages *s, v64 r[2][8], uint8_t *const src[2][8],
			     size_t at, unsigned int nl)
{
	for (unsigned int i = 0; i < 2; i++) {
		for (unsigned int j = 0; j < nl; j++)
			r[i][j] = v_load(src[i][j] + at);
		butterfly(r[i], nl, nl, s->low, s->shift);
	}
}

PD_INLINE void put_pairs(uint8_t *const dst[8], size_t at, v64 r[2][8], unsigned int nl,
			 enum pd_stores stores)
{
	for (unsigned int j = 0; j < nl; j++) {
		v_put(dst[j] + at, r[0][j], stores);
		v_put(dst[j] + at + 64, r[1][j], stores);
	}
}

PD_INLINE void stream_pairs(uint8_t *dst, size_t step, const uint8_t *src, size_t n)
{
	for (; n; n--, dst += step, src += 128) {
		v_stream(dst, v_load(src));
		v_stream(dst + 64, v_load(src + 64));
	}
}

/* words that each stream asks ahead where it is not told what comes next, and the fewest for
 * which that is worth it */
#define PAIRS_ROWS	8
#define PAIRS_LEAST	64

PD_INLINE void ask_lines(uint8_t *const src[2][8], size_t at, unsigned int nl)
{
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int j = 0; j < nl; j++)
			__builtin_prefetch(src[i][j] + at, 0, 2);
}

/* All is read before any of it is stored: of lines at the same place of their pages the
 * one that is read waits for the one that is stored. */
PD_INLINE void exchange_pairs_loop(const struct pc_lanes *lanes,
				   uint8_t *const dst[2][8],
				   uint8_t *const src[2][8], size_t step,
				   size_t n, unsigned int nl,
				   enum pd_stores stores,
				   const struct pc_ahead *ahead)
{
	struct stages s = stages(lanes);
	struct cursor c = cursor(ahead);
	size_t asking = V_BESIDE && !ahead && n >= PAIRS_LEAST ? (n - PAIRS_ROWS) * step : 0;
	v64 r[2][2][8];

	for (size_t at = 0; at < n * step; at += step) {
		for (unsigned int i = 0; i < 2; i++)
			exchange_line(&s, r[i], src, at + 64 * i, nl);
		look_ahead(&c, 4 * nl);
		for (unsigned int i = 0; i < 2 && at < asking; i++)
			ask_lines(src, at + PAIRS_ROWS * step + 64 * i, nl);
		for (unsigned int i = 0; i < 2; i++)
			put_pairs(dst[i], at, r[i], nl, stores);
	}
}

/* words of each stream that wait, where a line goes around the caches by halves: eight
 * lines of a stream are stored in a row, and nothing is read meanwhile */
#define WAITING_WORDS	4

PD_INLINE void exchange_pairs_waiting(const struct pc_lanes *lanes,
				      uint8_t *const dst[2][8],
				      uint8_t *const src[2][8], size_t step,
				      size_t n, unsigned int nl,
				      const struct pc_ahead *ahead)
{
	_Alignas(64) uint8_t waiting[2][8][WAITING_WORDS * 128];
	uint8_t *to[8];
	struct stages s = stages(lanes);
	struct cursor c = cursor(ahead);
	v64 r[2][8];

	for (size_t w = 0; w < n; w++) {
		size_t at = w % WAITING_WORDS, words = at + 1;

		for (unsigned int i = 0; i < 2; i++) {
			for (unsigned int j = 0; j < nl; j++)
				to[j] = waiting[i][j];
			exchange_line(&s, r, src, w * step + 64 * i, nl);
			put_pairs(to, 128 * at, r, nl, PD_STORES_PLAIN);
			look_ahead(&c, 2 * nl);
		}
		if (words < WAITING_WORDS && w + 1 < n)
			continue;
		for (unsigned int i = 0; i < 2 * nl; i++)
			stream_pairs(dst[i / nl][i % nl] + (w - at) * step, step,
				     waiting[i / nl][i % nl], words);
	}
}

static void exchange_pairs(const struct pc_lanes *lanes,
			   uint8_t *const dst[2][8], uint8_t *const src[2][8],
			   size_t step, size_t n, enum pd_stores stores,
			   const struct pc_ahead *ahead)
{
	if (V_HALVES && stores == PD_STORES_AROUND)
		FOR_EACH_NL(lanes->nl,
			    exchange_pairs_waiting(lanes, dst, src, step, n, nl,
						   ahead));
	else
		V_WITH_STORES(stores,
			      FOR_EACH_NL(lanes->nl,
					  exchange_pairs_loop(lanes, dst, src, step,
							      n, nl, with, ahead)));
}

PD_INLINE void swap_loop(const struct pc_lanes *lanes, uint8_t *const a[],
			 uint8_t *const b[], size_t step, size_t n,
			 unsigned int nl)
{
	struct stages s = stages(lanes);
	v64 r[8], t[8];

	for (size_t i = 0; i < n; i++) {
		for (unsigned int j = 0; j < nl; j++)
			r[j] = v_load(a[j] + i * step);
		for (unsigned int j = 0; j < nl; j++)
			t[j] = v_load(b[j] + i * step);
		butterfly(r, nl, nl, s.low, s.shift);
		butterfly(t, nl, nl, s.low, s.shift);
		for (unsigned int j = 0; j < nl; j++)
			v_store(b[j] + i * step, r[j]);
		for (unsigned int j = 0; j < nl; j++)
			v_store(a[j] + i * step, t[j]);
	}
}

static void swap(const struct pc_lanes *lanes, uint8_t *const a[],
		 uint8_t *const b[], size_t step, size_t n)
{
	FOR_EACH_NL(lanes->nl, swap_loop(lanes, a, b, step, n, nl));
}

PD_INLINE void collect_loop(const struct pc_lanes *lanes, uint8_t *tile,
			    size_t pitch, uint8_t *const src[],
			    size_t src_step, size_t n, unsigned int nl,
			    bool transpose, const struct pc_ahead *ahead,
			    struct pc_behind *behind)
{
	struct stages s = stages(lanes);
	struct cursor c = cursor_beside(ahead, src, src_step, nl, nl, n);
	struct trail t = trail(lanes, nl, behind);
	v64 r[8];

	for (size_t i = 0; i < n; i++) {
		read_row(r, &s, src, i * src_step, nl, nl, transpose);
		for (unsigned int j = 0; j < nl; j++)
			v_store(tile + 64 * (j * pitch + i), r[j]);
		look_beside(&c, i, nl);
		store_behind(&t, nl, 0);
	}
	trail_end(&t, nl);
}

static void collect(const struct pc_lanes *lanes, uint8_t *tile, size_t pitch,
		    uint8_t *const src[], size_t src_step, size_t n,
		    bool transpose, const struct pc_ahead *ahead,
		    struct pc_behind *behind)
{
	if (transpose)
		FOR_EACH_NL(lanes->nl, collect_loop(lanes, tile, pitch, src,
						    src_step, n, nl, true,
						    ahead, behind));
	else
		FOR_EACH_NL(lanes->nl, collect_loop(lanes, tile, pitch, src,
						    src_step, n, nl, false,
						    ahead, behind));
}

static void load(uint8_t *tile, const uint8_t *src, size_t src_step, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v_store(tile + 64 * i, v_load(src + i * src_step));
}

PD_INLINE void store_loop(uint8_t *dst, size_t dst_step, const uint8_t *tile,
			  size_t n, bool transpose, enum pd_stores stores)
{
	for (size_t i = 0; i < n; i++) {
		v64 a = v_load(tile + 64 * i);

		v_put(dst + i * dst_step, transpose ? v_transpose(a) : a,
		      stores);
	}
}

static void store(uint8_t *dst, size_t dst_step, const uint8_t *tile, size_t n,
		  bool transpose, enum pd_stores stores)
{
	if (transpose)
		V_WITH_STORES(stores,
			      store_loop(dst, dst_step, tile, n, true, with));
	else
		V_WITH_STORES(stores,
			      store_loop(dst, dst_step, tile, n, false, with));
}

PD_INLINE void spread_loop(const struct pc_lanes *lanes, uint8_t *const dst[],
			   size_t dst_step, const uint8_t *tile, size_t n,
			   unsigned int streams, enum pd_stores stores,
			   const struct pc_ahead *ahead)
{
	bool rows = streams > 1 && (size_t)(dst[1] - dst[0]) < dst_step;
	struct cursor c = cursor(ahead);
	v64_pick pick[8];

	for (unsigned int j = 0; j < streams; j++)
		pick[j] = v_pick_prepare(&lanes->pick[j]);
	for (size_t i = 0; rows && i < n; i++) {
		v64 a = v_load(tile + 64 * i);

		look_ahead(&c, streams);
		for (unsigned int j = 0; j < streams; j++)
			v_put(dst[j] + i * dst_step, v_pick(a, &pick[j]),
			      stores);
	}
	for (unsigned int j = 0; !rows && j < streams; j++) {
		for (size_t i = 0; i < n; i++) {
			look_ahead(&c, 1);
			v_put(dst[j] + i * dst_step,
			      v_pick(v_load(tile + 64 * i), &pick[j]), stores);
		}
	}
}

static void spread(const struct pc_lanes *lanes, uint8_t *const dst[],
		   unsigned int streams, size_t dst_step, const uint8_t *tile,
		   size_t n, enum pd_stores stores, const struct pc_ahead *ahead)
{
	if (streams != lanes->nl)	/* the few blocks of a tail */
		spread_loop(lanes, dst, dst_step, tile, n, streams, stores,
			    ahead);
	else
		V_WITH_STORES(stores,
			      FOR_EACH_NL(streams,
					  spread_loop(lanes, dst, dst_step,
						      tile, n, nl, with,
						      ahead)));
}

PD_INLINE void spread_pairs_loop(const struct pc_lanes *lanes,
				 uint8_t *const dst[], size_t dst_step,
				 const uint8_t *tile, const uint8_t *other, size_t n,
				 unsigned int nl, enum pd_stores stores,
				 const struct pc_ahead *ahead)
{
	bool rows = nl > 1 && (size_t)(dst[1] - dst[0]) < dst_step;
	struct cursor c = cursor(ahead);
	v64_pick pick[8];

	for (unsigned int j = 0; j < nl; j++)
		pick[j] = v_pick_prepare(&lanes->pick[j]);
	for (size_t i = 0; rows && i < n; i++) {
		v64 a = v_load(tile + 64 * i), b = v_load(other + 64 * i);

		look_ahead(&c, nl);
		for (unsigned int j = 0; j < nl; j++)
			put_both(dst[j] + i * dst_step, a, b, &pick[j], stores);
	}
	for (unsigned int j = 0; !rows && j < nl; j++) {
		for (size_t i = 0; i < n; i++) {
			look_ahead(&c, 1);
			put_both(dst[j] + i * dst_step, v_load(tile + 64 * i),
				 v_load(other + 64 * i), &pick[j], stores);
		}
	}
}

static void spread_pairs(const struct pc_lanes *lanes, uint8_t *const dst[],
			 size_t dst_step, const uint8_t *tile, const uint8_t *other,
			 size_t n, enum pd_stores stores, const struct pc_ahead *ahead)
{
	V_WITH_STORES(stores,
		      FOR_EACH_NL(lanes->nl,
				  spread_pairs_loop(lanes, dst, dst_step, tile, other,
						    n, nl, with, ahead)));
}

/* one block and the words of its groups, `words` of each; eight lanes are all a group's */
PD_INLINE void row_out(const struct pc_lanes *lanes, uint8_t *const bufs[],
		       size_t at, const uint8_t *block, unsigned int nl,
		       size_t words)
{
	if (nl == 8 && words == 8) {
		v_store(bufs[0] + at, v_load(block));
		return;
	}
	for (unsigned int g = 0; g < 8 / nl; g++) {
		for (size_t r = 0; r < words; r++)
			v_copy(bufs[g] + at + 8 * r,
			       block + 8 * lanes->lane[g][r], 8);
	}
}

PD_INLINE void row_in(const struct pc_lanes *lanes, uint8_t *block,
		      const uint8_t *const bufs[], size_t at, unsigned int nl,
		      size_t words)
{
	if (nl == 8 && words == 8) {
		v_store(block, v_load(bufs[0] + at));
		return;
	}
	for (unsigned int g = 0; g < 8 / nl; g++) {
		for (size_t r = 0; r < words; r++)
			v_copy(block + 8 * lanes->lane[g][r],
			       bufs[g] + at + 8 * r, 8);
	}
}

/* nl registers with a word of each become as many whose words lie rank after rank */
PD_INLINE void zip_ranks(v64 r[4], unsigned int nl)
{
	if (nl == 4) {
		v_zip_qwords(&r[0], &r[2]);
		v_zip_qwords(&r[1], &r[3]);
		v_zip_qwords(&r[0], &r[1]);
		v_zip_qwords(&r[2], &r[3]);
	} else if (nl == 2) {
		v_zip_qwords(&r[0], &r[1]);
	}
}

PD_INLINE void unzip_ranks(v64 r[4], unsigned int nl)
{
	if (nl == 4) {
		v_unzip_qwords(&r[0], &r[1]);
		v_unzip_qwords(&r[2], &r[3]);
		v_unzip_qwords(&r[0], &r[2]);
		v_unzip_qwords(&r[1], &r[3]);
	} else if (nl == 2) {
		v_unzip_qwords(&r[0], &r[1]);
	}
}

/* eight blocks are nl lines of each group */
PD_INLINE void eight_rows_out(const struct pc_lanes *lanes, uint8_t *const bufs[],
			      size_t at, const uint8_t *tile, unsigned int nl)
{
	v64 r[8], lane[8];

	for (unsigned int j = 0; j < 8; j++)
		lane[j] = v_load(tile + 64 * j);
	v_transpose_qwords(lane);
	for (unsigned int g = 0; g < 8 / nl; g++) {
		for (unsigned int j = 0; j < nl; j++)
			r[j] = lane[nl == 1 ? g : lanes->lane[g][j]];
		zip_ranks(r, nl);
		for (unsigned int j = 0; j < nl; j++)
			v_store(bufs[g] + at + 64 * j, r[j]);
	}
}

PD_INLINE void eight_rows_in(const struct pc_lanes *lanes, uint8_t *tile,
			     const uint8_t *const bufs[], size_t at, unsigned int nl)
{
	v64 r[8], lane[8];

	for (unsigned int g = 0; g < 8 / nl; g++) {
		for (unsigned int j = 0; j < nl; j++)
			r[j] = v_load(bufs[g] + at + 64 * j);
		unzip_ranks(r, nl);
		for (unsigned int j = 0; j < nl; j++)
			lane[nl == 1 ? g : lanes->lane[g][j]] = r[j];
	}
	v_transpose_qwords(lane);
	for (unsigned int j = 0; j < 8; j++)
		v_store(tile + 64 * j, lane[j]);
}

/* blocks that are taken by eights: not a short one, nor those that are lines as they are */
PD_INLINE size_t rows_in_eights(size_t n, unsigned int nl, size_t words_last)
{
	return nl == 8 ? 0 : (n - (words_last < nl)) & ~(size_t)7;
}

PD_INLINE void rows_out_loop(const struct pc_lanes *lanes,
			     uint8_t *const bufs[], const uint8_t *tile,
			     size_t n, unsigned int nl, size_t words_last)
{
	size_t eights = rows_in_eights(n, nl, words_last), i;

	for (i = 0; i < eights; i += 8)
		eight_rows_out(lanes, bufs, 8 * nl * i, tile + 64 * i, nl);
	for (; i < n; i++)
		row_out(lanes, bufs, 8 * nl * i, tile + 64 * i, nl,
			i < n - 1 ? nl : words_last);
}

static void rows_out(const struct pc_lanes *lanes, uint8_t *const bufs[],
		     const uint8_t *tile, size_t n, size_t words_last)
{
	FOR_EACH_NL(lanes->nl,
		    rows_out_loop(lanes, bufs, tile, n, nl, words_last));
}

PD_INLINE void rows_in_loop(const struct pc_lanes *lanes, uint8_t *tile,
			    const uint8_t *const bufs[], size_t n,
			    unsigned int nl, size_t words_last)
{
	size_t eights = rows_in_eights(n, nl, words_last), i;

	for (i = 0; i < eights; i += 8)
		eight_rows_in(lanes, tile + 64 * i, bufs, 8 * nl * i, nl);
	for (; i < n; i++) {
		if (i == n - 1 && words_last < nl)
			v_zero(tile + 64 * i, 64);
		row_in(lanes, tile + 64 * i, bufs, 8 * nl * i, nl,
		       i < n - 1 ? nl : words_last);
	}
}

static void rows_in(const struct pc_lanes *lanes, uint8_t *tile,
		    const uint8_t *const bufs[], size_t n, size_t words_last)
{
	FOR_EACH_NL(lanes->nl,
		    rows_in_loop(lanes, tile, bufs, n, nl, words_last));
}

#define PD_CAT_(a, b)	a##b
#define PD_CAT(a, b)	PD_CAT_(a, b)

const struct pc_moves PD_CAT(pc_moves_, PD_TIER) = {
	.exchange = exchange,
	.exchange_pairs = exchange_pairs,
	.swap = swap,
	.collect = collect,
	.load = load,
	.store = store,
	.spread = spread,
	.spread_pairs = spread_pairs,
	.rows_out = rows_out,
	.rows_in = rows_in,
	.beside = V_GROUPS_BESIDE,
	.bands = V_BANDS,
};
