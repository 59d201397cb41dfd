// SPDX-License-Identifier: MIT
/*
 * Compiled once a tier, with -DPD_TIER=name and the tier's instruction set: a loop for
 * each length of a run that has a way of its own to be copied.
 */
#include <stdlib.h>

#include "collectives/types/strided.h"
#include "runtime/simd/vec.h"

/* how a run of some length is copied; of the ranges, by two moves that overlap */
enum run {
	RUN_1, RUN_2, RUN_3, RUN_4, RUN_5_7, RUN_8, RUN_9_15, RUN_16, RUN_17_31,
	RUN_32, RUN_33_63, RUN_64, RUN_MANY,
};

PD_INLINE enum run run_of(uint64_t len)
{
	static const uint8_t exact[] = { RUN_1, RUN_1, RUN_2, RUN_3, RUN_4,
					 RUN_5_7, RUN_5_7, RUN_5_7, RUN_8 };

	if (len <= 8)
		return (enum run)exact[len];
	if (len < 16)
		return RUN_9_15;
	if (len < 32)
		return len == 16 ? RUN_16 : RUN_17_31;
	if (len < 64)
		return len == 32 ? RUN_32 : RUN_33_63;
	return len == 64 ? RUN_64 : RUN_MANY;
}

/* two moves of this many bytes, of the begin and of the end */
#define BOTH_ENDS(bytes)						\
	do {								\
		memcpy(dst, src, bytes);				\
		memcpy(dst + len - (bytes), src + len - (bytes), bytes); \
	} while (0)

PD_INLINE void run_many(uint8_t *dst, const uint8_t *src, uint64_t len)
{
	uint64_t at = 0;

	for (; at + 64 <= len; at += 64)
		v_store(dst + at, v_load(src + at));
	if (at < len)
		v_store(dst + len - 64, v_load(src + len - 64));
}

PD_INLINE void run_copy(uint8_t *dst, const uint8_t *src, uint64_t len,
			enum run run)
{
	v_reads(src, len);
	v_writes(dst, len);
	switch (run) {
	case RUN_1:
		*dst = *src;
		break;
	case RUN_2:
		memcpy(dst, src, 2);
		break;
	case RUN_3:
		memcpy(dst, src, 2);
		dst[2] = src[2];
		break;
	case RUN_4:
		memcpy(dst, src, 4);
		break;
	case RUN_5_7:
		BOTH_ENDS(4);
		break;
	case RUN_8:
		memcpy(dst, src, 8);
		break;
	case RUN_9_15:
		BOTH_ENDS(8);
		break;
	case RUN_16:
		memcpy(dst, src, 16);
		break;
	case RUN_17_31:
		BOTH_ENDS(16);
		break;
	case RUN_32:
		memcpy(dst, src, 32);
		break;
	case RUN_33_63:
		BOTH_ENDS(32);
		break;
	case RUN_64:
		memcpy(dst, src, 64);
		break;
	default:
		run_many(dst, src, len);
		break;
	}
}

/* expand a call for each kind of run, as a constant */
#define EACH_RUN(X)							\
	X(RUN_1) X(RUN_2) X(RUN_3) X(RUN_4) X(RUN_5_7) X(RUN_8) X(RUN_9_15) \
	X(RUN_16) X(RUN_17_31) X(RUN_32) X(RUN_33_63) X(RUN_64)
#define RUN_CASE(r)	case r: { const enum run run = r; RUN_CALL; break; }
#define WITH_RUN(len)							\
	do {								\
		switch (run_of(len)) {					\
		EACH_RUN(RUN_CASE)					\
		default: { const enum run run = RUN_MANY; RUN_CALL; break; } \
		}							\
	} while (0)

/* longer ones are the C library's, which knows more ways */
#define LONG_RUN	1024

PD_INLINE void copy_nest(uint8_t *dst, const uint8_t *src,
			 const struct pt_nest *nest, enum run run)
{
	for (uint64_t j = 0; j < nest->n[1]; j++) {
		uint8_t *d = dst;
		const uint8_t *s = src;

		for (uint64_t i = 0; i < nest->n[0]; i++) {
			run_copy(d, s, nest->len, run);
			d += nest->to[0];
			s += nest->from[0];
		}
		dst += nest->to[1];
		src += nest->from[1];
	}
}

static void copy_long(uint8_t *dst, const uint8_t *src,
		      const struct pt_nest *nest)
{
	for (uint64_t j = 0; j < nest->n[1]; j++) {
		for (uint64_t i = 0; i < nest->n[0]; i++)
			v_copy(dst + (int64_t)i * nest->to[0],
			       src + (int64_t)i * nest->from[0], nest->len);
		dst += nest->to[1];
		src += nest->from[1];
	}
}

/* runs of a loop that touch as many lines: a first cache may have lost them by the next turn */
#define CROSS_RUNS	32
#define LINE		64

/* whether runs of the outer loop lie in a line, and those of the inner one in others */
static bool crosses(const int64_t strides[2])
{
	return llabs(strides[1]) <= LINE / 2 && llabs(strides[0]) >= LINE;
}

/* how many of so many runs begin in the line that has `at`, the first one's place */
static uint64_t runs_of_line(const uint8_t *at, int64_t stride, uint64_t runs)
{
	const uint64_t in_line = (uintptr_t)at % LINE;
	uint64_t n = runs;

	if (stride > 0)
		n = (LINE - in_line + (uint64_t)stride - 1) / (uint64_t)stride;
	else if (stride < 0)
		n = in_line / (uint64_t)-stride + 1;
	return n < runs ? n : runs;
}

/*
 * Rows that become columns, or columns that become rows: what a line has is copied at once, a
 * few turns of the outer loop inside of the inner one.
 */
PD_INLINE void copy_across(uint8_t *dst, const uint8_t *src, const struct pt_nest *nest,
			   enum run run)
{
	const bool to = crosses(nest->to);
	struct pt_nest line = {
		.len = nest->len,
		.n = { 0, nest->n[0] },
		.to = { nest->to[1], nest->to[0] },
		.from = { nest->from[1], nest->from[0] },
	};

	for (uint64_t j = 0; j < nest->n[1]; j += line.n[0]) {
		line.n[0] = runs_of_line(to ? dst : src, to ? nest->to[1] : nest->from[1],
					 nest->n[1] - j);
		copy_nest(dst, src, &line, run);
		dst += (int64_t)line.n[0] * nest->to[1];
		src += (int64_t)line.n[0] * nest->from[1];
	}
}

static void copy(uint8_t *dst, const uint8_t *src, const struct pt_nest *nest)
{
	if (nest->len >= LONG_RUN) {
		copy_long(dst, src, nest);
		return;
	}
	if (nest->n[0] >= CROSS_RUNS && nest->n[1] > 1 &&
	    (crosses(nest->to) || crosses(nest->from))) {
#define RUN_CALL	copy_across(dst, src, nest, run)
		WITH_RUN(nest->len);
#undef RUN_CALL
		return;
	}
#define RUN_CALL	copy_nest(dst, src, nest, run)
	WITH_RUN(nest->len);
#undef RUN_CALL
}

PD_INLINE void lines_nest(uint8_t *dst, const uint8_t *src,
			  const struct pt_nest *nest, enum pd_stores stores)
{
	for (uint64_t j = 0; j < nest->n[1]; j++) {
		for (uint64_t i = 0; i < nest->n[0]; i++) {
			uint8_t *d = dst + (int64_t)i * nest->to[0];
			const uint8_t *s = src + (int64_t)i * nest->from[0];

			for (uint64_t at = 0; at < nest->len; at += 64)
				v_put(d + at, v_load(s + at), stores);
		}
		dst += nest->to[1];
		src += nest->from[1];
	}
}

static void lines(uint8_t *dst, const uint8_t *src, const struct pt_nest *nest,
		  enum pd_stores stores)
{
	/* what is asked for ahead is not what strides lead to */
	if (stores == PD_STORES_AROUND) {
		lines_nest(dst, src, nest, PD_STORES_AROUND);
		v_stream_end();
		return;
	}
	copy(dst, src, nest);
}

PD_INLINE void gather_runs(uint8_t *dst, const uint8_t *src,
			   const int64_t offs[], unsigned int shift, uint64_t n,
			   uint64_t len, enum run run)
{
	for (uint64_t i = 0; i < n; i++)
		run_copy(dst + i * len,
			 src + (int64_t)((uint64_t)offs[i] << shift), len, run);
}

static void gather(uint8_t *dst, const uint8_t *src, const int64_t offs[],
		   unsigned int shift, uint64_t n, uint64_t len)
{
#define RUN_CALL	gather_runs(dst, src, offs, shift, n, len, run)
	WITH_RUN(len);
#undef RUN_CALL
}

PD_INLINE void scatter_runs(uint8_t *dst, const uint8_t *src,
			    const int64_t offs[], unsigned int shift, uint64_t n,
			    uint64_t len, enum run run)
{
	for (uint64_t i = 0; i < n; i++)
		run_copy(dst + (int64_t)((uint64_t)offs[i] << shift),
			 src + i * len, len, run);
}

static void scatter(uint8_t *dst, const uint8_t *src, const int64_t offs[],
		    unsigned int shift, uint64_t n, uint64_t len)
{
#define RUN_CALL	scatter_runs(dst, src, offs, shift, n, len, run)
	WITH_RUN(len);
#undef RUN_CALL
}

PD_INLINE void pair_runs(uint8_t *dst, const uint8_t *src, const int64_t offs[],
			 unsigned int shift, uint64_t n, uint64_t len,
			 enum run run)
{
	for (uint64_t i = 0; i < n; i++)
		run_copy(dst + (int64_t)((uint64_t)offs[2 * i] << shift),
			 src + (int64_t)((uint64_t)offs[2 * i + 1] << shift),
			 len, run);
}

static void pairs(uint8_t *dst, const uint8_t *src, const int64_t offs[],
		  unsigned int shift, uint64_t n, uint64_t len)
{
#define RUN_CALL	pair_runs(dst, src, offs, shift, n, len, run)
	WITH_RUN(len);
#undef RUN_CALL
}

#if defined(V_AVX512) || defined(V_AVX2)
PD_INLINE uint64_t lanes_fast(uint8_t *rows, const uint8_t *src,
			      const uint8_t which[8], uint64_t n)
{
	uint8_t idx[32], keep[32];
	__m256i shuffle, kept;
	uint64_t i;

	for (unsigned int b = 0; b < 32; b++) {
		uint8_t lane = which[b % 8];

		idx[b] = lane < 8 ? (uint8_t)((b & 8) + lane) : 0x80;
		keep[b] = lane < 8 ? 0 : 0xff;
	}
	shuffle = _mm256_loadu_si256((const __m256i *)idx);
	kept = _mm256_loadu_si256((const __m256i *)keep);
	for (i = 0; i + 4 <= n; i += 4) {
		__m256i *d = (__m256i *)(rows + 8 * i);
		__m256i s = _mm256_loadu_si256((const __m256i *)(src + 8 * i));
		__m256i old = _mm256_and_si256(_mm256_loadu_si256(d), kept);

		_mm256_storeu_si256(d, _mm256_or_si256(
			old, _mm256_shuffle_epi8(s, shuffle)));
	}
	return i;
}
#elif defined(V_NEON) || defined(V_SVE)
PD_INLINE uint64_t lanes_fast(uint8_t *rows, const uint8_t *src,
			      const uint8_t which[8], uint64_t n)
{
	uint8_t idx[16];
	uint8x16_t shuffle;
	uint64_t i;

	/* what lies outside of the table leaves the byte as it is */
	for (unsigned int b = 0; b < 16; b++) {
		uint8_t lane = which[b % 8];

		idx[b] = lane < 8 ? (uint8_t)((b & 8) + lane) : 0x80;
	}
	shuffle = vld1q_u8(idx);
	for (i = 0; i + 2 <= n; i += 2) {
		uint8_t *d = rows + 8 * i;

		vst1q_u8(d, vqtbx1q_u8(vld1q_u8(d), vld1q_u8(src + 8 * i), shuffle));
	}
	return i;
}
#else
PD_INLINE uint64_t lanes_fast(uint8_t *rows, const uint8_t *src,
			      const uint8_t which[8], uint64_t n)
{
	(void)rows;
	(void)src;
	(void)which;
	(void)n;
	return 0;
}
#endif

static void lanes(uint8_t *rows, const uint8_t *src, const uint8_t which[8],
		  uint64_t n)
{
	v_reads(src, 8 * n);
	v_writes(rows, 8 * n);
	for (uint64_t i = lanes_fast(rows, src, which, n); i < n; i++) {
		for (unsigned int l = 0; l < 8; l++) {
			if (which[l] < 8)
				rows[8 * i + l] = src[8 * i + which[l]];
		}
	}
}

#if defined(V_AVX512) || defined(V_AVX2)
/* two rows in each half: where their bytes come from in the same half of each source */
struct turns {
	__m256i of[2];
	bool two;
};

PD_INLINE void turn_run(uint8_t *dst, const uint8_t *src, uint64_t len,
			const struct turns *t, int64_t other)
{
	uint64_t at = 0;

	v_reads(src, len);
	if (t->two)
		v_reads(src + other, len);
	v_writes(dst, len);
	for (; at + 32 <= len; at += 32) {
		__m256i row = _mm256_shuffle_epi8(
			_mm256_loadu_si256((const __m256i *)(src + at)), t->of[0]);

		if (t->two)
			row = _mm256_or_si256(row, _mm256_shuffle_epi8(
				_mm256_loadu_si256((const __m256i *)(src + other +
								     (int64_t)at)),
				t->of[1]));
		_mm256_storeu_si256((__m256i *)(dst + at), row);
	}
	for (; at < len; at += 8) {
		__m128i row = _mm_shuffle_epi8(
			_mm_loadl_epi64((const __m128i *)(src + at)),
			_mm256_castsi256_si128(t->of[0]));

		if (t->two)
			row = _mm_or_si128(row, _mm_shuffle_epi8(
				_mm_loadl_epi64((const __m128i *)(src + other +
								  (int64_t)at)),
				_mm256_castsi256_si128(t->of[1])));
		_mm_storel_epi64((__m128i *)(dst + at), row);
	}
}

PD_INLINE void turn_nest(uint8_t *dst, const uint8_t *src, const struct pt_nest *nest,
			 uint64_t len, const struct turns *t, int64_t other)
{
	for (uint64_t j = 0; j < nest->n[1]; j++) {
		for (uint64_t i = 0; i < nest->n[0]; i++)
			turn_run(dst + (int64_t)i * nest->to[0],
				 src + (int64_t)i * nest->from[0], len, t, other);
		dst += nest->to[1];
		src += nest->from[1];
	}
}

static void turn(uint8_t *dst, const uint8_t *src, const struct pt_nest *nest,
		 const struct pt_turned *turned)
{
	/* the second row of a half, too; of a lane that is not there a byte is 0 */
	const __m256i second = _mm256_set_epi64x(0x0808080808080808, 0, 0x0808080808080808, 0);
	struct turns t;
	int64_t lanes[2];

	memcpy(lanes, turned->from, sizeof(lanes));
	for (unsigned int s = 0; s < 2; s++) {
		__m256i which = _mm256_set1_epi64x(lanes[s]);

		t.of[s] = _mm256_or_si256(_mm256_add_epi8(which, second),
					  _mm256_cmpgt_epi8(which, _mm256_set1_epi8(7)));
	}
	t.two = lanes[1] != 0x0808080808080808;
	/* a word of each lane is what most are */
	if (nest->len == 64 && t.two)
		turn_nest(dst, src, nest, 64, &t, turned->other);
	else if (nest->len == 64)
		turn_nest(dst, src, nest, 64, &(struct turns){ { t.of[0] }, false }, 0);
	else
		turn_nest(dst, src, nest, nest->len, &t, turned->other);
}
#define TURN	turn
#else
#define TURN	NULL
#endif

#define PD_CAT_(a, b)	a##b
#define PD_CAT(a, b)	PD_CAT_(a, b)

const struct pt_strided PD_CAT(pt_strided_, PD_TIER) = {
	.copy = copy,
	.lines = lines,
	.gather = gather,
	.scatter = scatter,
	.pairs = pairs,
	.lanes = lanes,
	.turn = TURN,
};
