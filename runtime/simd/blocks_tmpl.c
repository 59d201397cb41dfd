// SPDX-License-Identifier: MIT
/*
 * Compiled once a tier, with -DPD_TIER=name and the tier's instruction set.
 */
#include <stdbool.h>

#include "runtime/simd/blocks.h"
#include "runtime/simd/vec.h"

static void transpose(void *dst, const void *src, size_t n)
{
	const uint8_t *s = src;
	uint8_t *d = dst;

	for (; n; n--, s += 64, d += 64)
		v_store(d, v_transpose(v_load(s)));
}

/*
 * Other lanes' bytes of the same block may be written meanwhile: they are read
 * with the rest of the block, and dropped.
 */
__attribute__((no_sanitize("thread")))
static void lane_get(void *dst, const void *blocks, size_t stride,
		     unsigned int lane, size_t words)
{
	const uint8_t *b = blocks;
	uint8_t *d = dst;

	for (; words; words--, b += stride, d += 8)
		v_lane_get(d, b, lane);
}

/* Stores the lane's bytes and no others, so that neighbours lose nothing. */
static void lane_put(void *blocks, size_t stride, unsigned int lane,
		     const void *src, size_t words)
{
	const uint8_t *s = src;
	uint8_t *b = blocks;

	for (; words; words--, b += stride, s += 8)
		v_lane_put(b, lane, s);
}

PD_INLINE void eg_get_words(void *const dst[8], size_t at, const uint8_t *b,
			    size_t stride, size_t n, enum pd_stores stores)
{
	const uint8_t *blocks[8];
	v64 r[8] = { 0 };
	size_t i;

	for (i = 0; i < 8; i++)
		blocks[i] = b + i * stride;
	if (n == 8) {
		v_eight_lanes(r, blocks);
	} else {
		for (i = 0; i < n; i++)
			r[i] = v_transpose(v_load(blocks[i]));
		v_transpose_qwords(r);
	}
	for (i = 0; i < 8; i++) {
		uint8_t *d = (uint8_t *)dst[i] + 8 * at;

		if (n == 8)
			v_put(d, r[i], stores);
		else
			v_store_qwords(d, r[i], n);
	}
}

/*
 * Words from number w on, eight at a time, of one group or of two that share lines: the
 * second one's block lies behind the first one's, and its buffers are the last eight.
 */
PD_INLINE void get_from(void *const dst[], unsigned int groups, size_t w, const uint8_t *b,
			size_t stride, size_t words, enum pd_stores stores)
{
	for (; w + 8 <= words; w += 8) {
		for (unsigned int g = 0; g < groups; g++)
			eg_get_words(dst + 8 * g, w, b + w * stride + 64 * g, stride, 8,
				     stores);
	}
	for (unsigned int g = 0; w < words && g < groups; g++)
		eg_get_words(dst + 8 * g, w, b + w * stride + 64 * g, stride, words - w,
			     stores);
}

/*
 * Words before lines begin, the same in all so many buffers, and no more than there
 * are; 8: lines are not to be stored one by one, some buffers are missing or lie
 * differently, or lines begin inside of words.
 */
static size_t words_to_lines(void *const dst[], unsigned int buffers, size_t words)
{
	size_t bytes = -(uintptr_t)dst[0] % 64;

	if (V_HALVES)
		return 8;
	for (unsigned int i = 1; i < buffers; i++) {
		if (!dst[i] || -(uintptr_t)dst[i] % 64 != bytes)
			return 8;
	}
	if (!dst[0] || bytes % 8)
		return 8;
	return bytes / 8 < words ? bytes / 8 : words;
}

/*
 * Words of each host buffer that wait until they are stored, eight lines of one buffer after
 * another's, where lines go around the caches by halves or begin elsewhere in each buffer.
 * On Zen 3 memory takes eight lines of each buffer in a row sooner than one of each by
 * turns, and than four or sixteen.
 */
#define WAITING_WORDS	64
#define WAITING_BYTES	(8 * WAITING_WORDS)

_Static_assert(WAITING_WORDS == 8 * 8,
	       "what waits takes as many steps of eight words as there are buffers");

/*
 * What goes to a host buffer of any alignment. It waits as far behind the start of a half
 * as it will lie behind the start of a line: one half takes what comes while the lines of
 * the other one are stored.
 */
struct outlet {
	uint8_t *line;		/* to be stored next; NULL: a lane that nobody wants */
	size_t begin;		/* of what comes, in either half */
	size_t from;		/* bytes of `line` that are others' */
	_Alignas(64) uint8_t waiting[2][64 + WAITING_BYTES];
};

/* those of a group or two, and where what comes to either half goes */
struct outlets {
	struct outlet each[2 * 8];
	void *to[2][2 * 8];
};

PD_INLINE void outlets_begin(struct outlets *all, void *const dst[], unsigned int buffers)
{
	for (unsigned int i = 0; i < buffers; i++) {
		struct outlet *o = &all->each[i];

		o->begin = o->from = (uintptr_t)dst[i] % 64;
		o->line = dst[i] ? (uint8_t *)dst[i] - o->begin : NULL;
		all->to[0][i] = o->waiting[0] + o->begin;
		all->to[1][i] = o->waiting[1] + o->begin;
	}
}

/* Store so many bytes of a half, whole lines, and hand the rest on to the other half. */
PD_INLINE void outlet_store(struct outlet *o, unsigned int half, size_t bytes, size_t rest)
{
	const uint8_t *waiting = o->waiting[half];
	size_t at = 0;

	if (!o->line)
		return;
	if (o->from && bytes) {
		v_copy(o->line + o->from, waiting + o->from, 64 - o->from);
		o->from = 0;
		at = 64;
	}
	for (; at < bytes; at += 64)
		v_stream(o->line + at, v_load(waiting + at));
	o->line += bytes;
	v_copy(o->waiting[!half] + o->from, waiting + bytes + o->from, rest - o->from);
}

/* Store all of a half, of which so many bytes have come. */
PD_INLINE void outlet_end(struct outlet *o, unsigned int half, size_t bytes)
{
	size_t rest = (o->begin + bytes) % 64;

	if (!o->line)
		return;
	outlet_store(o, half, o->begin + bytes - rest, rest);
	v_copy(o->line + o->from, o->waiting[!half] + o->from, rest - o->from);
}

/*
 * The i-th eight words of WAITING_WORDS, of two groups by turns, so that memory is read in
 * order. What comes four such steps later is asked for: stores fill the queue that memory
 * would be asked from.
 */
PD_INLINE void outlets_take(struct outlets *all, unsigned int half, unsigned int groups,
			    unsigned int i, const uint8_t *b, size_t stride)
{
	unsigned int g = i % groups;
	size_t w = i / groups * 8;
	const uint8_t *blocks = b + w * stride + 64 * g;
	const uint8_t *later = blocks + 4 / groups * 8 * stride;

	for (unsigned int k = 0; k < 8; k++)
		__builtin_prefetch(later + k * stride, 0, 3);
	eg_get_words(all->to[half] + 8 * g, w, blocks, stride, 8, PD_STORES_PLAIN);
}

PD_INLINE void get_waiting(void *const dst[], unsigned int groups, const uint8_t *b,
			   size_t stride, size_t words)
{
	unsigned int buffers = 8 * groups, half = 0;
	bool waits = false;	/* the other half */
	struct outlets all;

	outlets_begin(&all, dst, buffers);
	for (; words >= WAITING_WORDS; words -= WAITING_WORDS) {
		for (unsigned int i = 0; i < buffers; i++) {
			outlets_take(&all, half, groups, i, b, stride);
			if (waits)
				outlet_store(&all.each[i], !half, WAITING_BYTES,
					     all.each[i].begin);
		}
		b += WAITING_WORDS * stride;
		half = !half;
		waits = true;
	}
	for (unsigned int i = 0; waits && i < buffers; i++)
		outlet_store(&all.each[i], !half, WAITING_BYTES, all.each[i].begin);
	get_from(all.to[half], groups, 0, b, stride, words, PD_STORES_PLAIN);
	for (unsigned int i = 0; i < buffers; i++)
		outlet_end(&all.each[i], half, 8 * words);
}

PD_INLINE void get_around(void *const dst[], unsigned int groups, const uint8_t *b,
			  size_t stride, size_t words)
{
	size_t head = words_to_lines(dst, 8 * groups, words);

	if (head == 8) {
		get_waiting(dst, groups, b, stride, words);
	} else {
		get_from(dst, groups, 0, b, stride, head, PD_STORES_PLAIN);
		get_from(dst, groups, head, b, stride, words, PD_STORES_AROUND);
	}
	v_stream_end();
}

/* Lanes without a buffer may be written meanwhile, as with lane_get(). */
__attribute__((no_sanitize("thread")))
static void eg_get_around(void *const dst[8], const uint8_t *b, size_t stride, size_t words)
{
	get_around(dst, 1, b, stride, words);
}

__attribute__((no_sanitize("thread")))
static void pair_get_around(void *const dst[16], const uint8_t *b, size_t stride, size_t words)
{
	get_around(dst, 2, b, stride, words);
}

/* into the caches: what nobody wants is stored over and over */
__attribute__((no_sanitize("thread")))
static void eg_get_many(void *const dst[8], const uint8_t *b, size_t stride,
			size_t words)
{
	uint8_t dropped[8 * WAITING_WORDS];

	for (size_t w = 0; w < words; w += WAITING_WORDS) {
		size_t n = words - w;
		void *to[8];

		if (n > WAITING_WORDS)
			n = WAITING_WORDS;
		for (unsigned int i = 0; i < 8; i++)
			to[i] = dst[i] ? (uint8_t *)dst[i] + 8 * w : dropped;
		get_from(to, 1, 0, b + w * stride, stride, n, PD_STORES_PLAIN);
	}
}

/* so many are got sooner one by one */
#define FEW_LANES	2

static unsigned int lanes_wanted(void *const dst[8])
{
	unsigned int lanes = 0;

	for (unsigned int i = 0; i < 8; i++)
		lanes += dst[i] != NULL;
	return lanes;
}

static void eg_get_some(void *const dst[8], const uint8_t *b, size_t stride,
			size_t words)
{
	if (lanes_wanted(dst) > FEW_LANES) {
		eg_get_many(dst, b, stride, words);
		return;
	}
	for (unsigned int i = 0; i < 8; i++) {
		if (dst[i])
			lane_get(dst[i], b, stride, i, words);
	}
}

PD_INLINE void get_through(void *const dst[], unsigned int groups, const uint8_t *b,
			   size_t stride, size_t words, enum pd_stores stores)
{
	if (stores == PD_STORES_AHEAD)
		get_from(dst, groups, 0, b, stride, words, PD_STORES_AHEAD);
	else
		get_from(dst, groups, 0, b, stride, words, PD_STORES_PLAIN);
}

static void eg_get(void *const dst[8], const void *blocks, size_t stride,
		   size_t words, enum pd_stores stores)
{
	if (stores == PD_STORES_AROUND)
		eg_get_around(dst, blocks, stride, words);
	else if (lanes_wanted(dst) < 8)
		eg_get_some(dst, blocks, stride, words);
	else
		get_through(dst, 1, blocks, stride, words, stores);
}

/* One group after the other, as where they share no lines. */
static void pair_get_apart(void *const dst[16], const uint8_t *b, size_t stride,
			   size_t words, enum pd_stores stores)
{
	eg_get(dst, b, stride, words, stores);
	eg_get(dst + 8, b + 64, stride, words, stores);
}

static void pair_get(void *const dst[16], const void *blocks, size_t stride,
		     size_t words, enum pd_stores stores)
{
	if (stores == PD_STORES_AROUND)
		pair_get_around(dst, blocks, stride, words);
	else if (lanes_wanted(dst) + lanes_wanted(dst + 8) < 16)
		pair_get_apart(dst, blocks, stride, words, stores);
	else
		get_through(dst, 2, blocks, stride, words, stores);
}

PD_INLINE void eg_put_words(uint8_t *b, size_t stride,
			    const void *const src[8], size_t at, size_t n,
			    enum pd_stores stores)
{
	v64 r[8] = { 0 };
	size_t i;

	for (i = 0; i < 8; i++) {
		const uint8_t *s = (const uint8_t *)src[i] + 8 * at;

		r[i] = n == 8 ? v_load(s) : v_load_qwords(s, n);
	}
	if (n == 8) {
		v_eight_blocks(r);
	} else {
		v_transpose_qwords(r);
		for (i = 0; i < n; i++)
			r[i] = v_transpose(r[i]);
	}
	for (i = 0; i < n; i++)
		v_put(b + i * stride, r[i], stores);
}

static void eg_put(void *blocks, size_t stride, const void *const src[8],
		   size_t words, enum pd_stores stores)
{
	uint8_t *b = blocks;
	size_t w;

	for (w = 0; w + 8 <= words; w += 8)
		V_WITH_STORES(stores, eg_put_words(b + w * stride, stride, src,
						   w, 8, with));
	if (w < words)
		eg_put_words(b + w * stride, stride, src, w, words - w, stores);
	if (stores == PD_STORES_AROUND)
		v_stream_end();
}

#define PD_CAT_(a, b)	a##b
#define PD_CAT(a, b)	PD_CAT_(a, b)

const struct pd_blocks PD_CAT(pd_blocks_, PD_TIER) = {
	.transpose = transpose,
	.lane_get = lane_get,
	.lane_put = lane_put,
	.eg_get = eg_get,
	.pair_get = pair_get,
	.eg_put = eg_put,
};
