// SPDX-License-Identifier: MIT
/* Loops over lines of 64 bytes, one version for each width of registers. */
#include "tools/perf/runners/lines.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/*
 * LINE is a type of 64 bytes, GET and PUT and STREAM move one; SINK makes the
 * compiler keep a load whose value nobody uses.
 */
#define LOOPS(tier, target, LINE, GET, PUT, STREAM, SINK, FENCE)	\
target static void load_##tier(const uint8_t *p, size_t stride,	\
			       uint64_t n)				\
{									\
	for (uint64_t i = 0; i < n; i++)				\
		SINK(GET(p + i * stride));				\
}									\
target static void store_##tier(uint8_t *p, size_t stride, uint64_t n)	\
{									\
	LINE x = GET(p);						\
									\
	for (uint64_t i = 0; i < n; i++)				\
		PUT(p + i * stride, x);					\
}									\
target static void stream_##tier(uint8_t *p, size_t stride, uint64_t n)	\
{									\
	LINE x = GET(p);						\
									\
	for (uint64_t i = 0; i < n; i++)				\
		STREAM(p + i * stride, x);				\
}									\
target static void copy_##tier(uint8_t *to, size_t to_stride,		\
			       const uint8_t *from, size_t from_stride,	\
			       uint64_t n)				\
{									\
	for (uint64_t i = 0; i < n; i++)				\
		PUT(to + i * to_stride, GET(from + i * from_stride));	\
}									\
target static void copy_stream_##tier(uint8_t *to, size_t to_stride,	\
				      const uint8_t *from,		\
				      size_t from_stride, uint64_t n)	\
{									\
	for (uint64_t i = 0; i < n; i++)				\
		STREAM(to + i * to_stride,				\
		       GET(from + i * from_stride));			\
}									\
target static void fence_##tier(void)					\
{									\
	FENCE;								\
}									\
static const struct perf_lines lines_##tier = {				\
	load_##tier, store_##tier, stream_##tier, copy_##tier,		\
	copy_stream_##tier, fence_##tier,				\
}

/* Portable code has no streaming stores: its streams are plain ones. */
struct words {
	uint64_t w[8];
};

static inline struct words get_words(const uint8_t *p)
{
	return *(const struct words *)p;
}

static inline void put_words(uint8_t *p, struct words x)
{
	*(struct words *)p = x;
}

static inline void sink_words(struct words x)
{
	for (unsigned int i = 0; i < 8; i++)
		__asm__ volatile("" : : "r"(x.w[i]));
}

LOOPS(portable, , struct words, get_words, put_words, put_words, sink_words,
      (void)0);

#ifdef __x86_64__
#define AVX512 __attribute__((target("avx512f")))
#define STREAM_512(p, x) _mm512_stream_si512((void *)(p), (x))
#define SINK_512(x)							\
	do {								\
		__m512i v_ = (x);					\
		__asm__ volatile("" : : "v"(v_));			\
	} while (0)
LOOPS(avx512, AVX512, __m512i, _mm512_loadu_si512, _mm512_storeu_si512,
      STREAM_512, SINK_512, _mm_sfence());

#define AVX2 __attribute__((target("avx2")))
struct halves {
	__m256i low, high;
};

AVX2 static inline struct halves get_halves(const uint8_t *p)
{
	return (struct halves){ _mm256_loadu_si256((const void *)p),
				_mm256_loadu_si256((const void *)(p + 32)) };
}

AVX2 static inline void put_halves(uint8_t *p, struct halves x)
{
	_mm256_storeu_si256((void *)p, x.low);
	_mm256_storeu_si256((void *)(p + 32), x.high);
}

AVX2 static inline void stream_halves(uint8_t *p, struct halves x)
{
	_mm256_stream_si256((void *)p, x.low);
	_mm256_stream_si256((void *)(p + 32), x.high);
}

AVX2 static inline void sink_halves(struct halves x)
{
	__asm__ volatile("" : : "x"(x.low), "x"(x.high));
}

LOOPS(avx2, AVX2, struct halves, get_halves, put_halves, stream_halves,
      sink_halves, _mm_sfence());
#endif

const struct perf_lines *perf_lines(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f"))
		return &lines_avx512;
	if (__builtin_cpu_supports("avx2"))
		return &lines_avx2;
#endif
	return &lines_portable;
}
