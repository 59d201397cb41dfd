// SPDX-License-Identifier: MIT
/* The inner loops, compiled once for every CPU, once for AVX2, once for AVX-512 with VNNI. */
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "tools/perf/cpu/own/loops.h"

/* vectors whose products are made abreast: those of all tables, and the dense one */
#define PAIRS_ROOM 32

/* sums of integers wrap round: in unsigned arithmetic */
typedef uint8_t line_i8 __attribute__((vector_size(OWN_LINE), may_alias));
typedef uint16_t line_i16 __attribute__((vector_size(OWN_LINE), may_alias));
typedef uint32_t line_i32 __attribute__((vector_size(OWN_LINE), may_alias));
typedef float line_f32 __attribute__((vector_size(OWN_LINE), may_alias));

/* Four words at once, for any CPU. */
typedef uint32_t words4 __attribute__((vector_size(16), may_alias));
typedef float floats4 __attribute__((vector_size(16), may_alias));

static inline words4 plain_load(const uint32_t *from)
{
	words4 words;

	memcpy(&words, from, sizeof(words));
	return words;
}

static inline void plain_store(uint32_t *to, words4 words)
{
	memcpy(to, &words, sizeof(words));
}

/* the lower and the upper halves, as numbers with a sign */
static inline words4 plain_low(words4 x)
{
	return (words4)((int32_t __attribute__((vector_size(16))))(x << 16) >> 16);
}

static inline words4 plain_high(words4 x)
{
	return (words4)((int32_t __attribute__((vector_size(16))))x >> 16);
}

#define LOOPS(name) plain_##name
#define LOOPS_TARGET
#define LOOPS_NAME "no particular instruction set"
#define LOOPS_REGISTER words4
#define LOOPS_WORDS 4
#define LOOPS_ROWS 4
#define LOOPS_LOAD(from) plain_load(from)
#define LOOPS_STORE(to, x) plain_store(to, x)
#define LOOPS_ALL(word) ((words4){ word, word, word, word })
#define LOOPS_MADD_F32(sum, x, w) ((words4)((floats4)(sum) + (floats4)(x) * (floats4)(w)))
#define LOOPS_MADD_I32(sum, x, w) ((sum) + (x) * (w))
#define LOOPS_MADD_I16(sum, x, w) \
	((sum) + plain_low(x) * plain_low(w) + plain_high(x) * plain_high(w))
#include "tools/perf/cpu/own/loops_tmpl.h"

#ifdef __x86_64__
#define LOOPS(name) avx2_##name
#define LOOPS_TARGET __attribute__((target("avx2,fma")))
#define LOOPS_NAME "AVX2"
#define LOOPS_REGISTER __m256i
#define LOOPS_WORDS 8
#define LOOPS_ROWS 6
#define LOOPS_LOAD(from) _mm256_loadu_si256((const __m256i *)(from))
#define LOOPS_STORE(to, x) _mm256_storeu_si256((__m256i *)(to), x)
#define LOOPS_ALL(word) _mm256_set1_epi32((int)(word))
#define LOOPS_MADD_F32(sum, x, w) \
	_mm256_castps_si256(_mm256_fmadd_ps(_mm256_castsi256_ps(x), \
		_mm256_castsi256_ps(w), _mm256_castsi256_ps(sum)))
#define LOOPS_MADD_I32(sum, x, w) _mm256_add_epi32(sum, _mm256_mullo_epi32(x, w))
#define LOOPS_MADD_I16(sum, x, w) _mm256_add_epi32(sum, _mm256_madd_epi16(x, w))
#include "tools/perf/cpu/own/loops_tmpl.h"

#define LOOPS(name) avx512_##name
#define LOOPS_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define LOOPS_NAME "AVX-512 with VNNI"
#define LOOPS_REGISTER __m512i
#define LOOPS_WORDS 16
#define LOOPS_ROWS 8
#define LOOPS_LOAD(from) _mm512_loadu_si512(from)
#define LOOPS_STORE(to, x) _mm512_storeu_si512(to, x)
#define LOOPS_ALL(word) _mm512_set1_epi32((int)(word))
#define LOOPS_MADD_F32(sum, x, w) \
	_mm512_castps_si512(_mm512_fmadd_ps(_mm512_castsi512_ps(x), \
		_mm512_castsi512_ps(w), _mm512_castsi512_ps(sum)))
#define LOOPS_MADD_I32(sum, x, w) _mm512_add_epi32(sum, _mm512_mullo_epi32(x, w))
#define LOOPS_MADD_I16(sum, x, w) _mm512_dpwssd_epi32(sum, x, w)
#define LOOPS_MADD_I8(sum, x, w) _mm512_dpbusd_epi32(sum, x, w)
#include "tools/perf/cpu/own/loops_tmpl.h"
#endif

const struct own_loops *own_loops_at(unsigned int number)
{
	const struct own_loops *have[4] = { &plain_loops };

#ifdef __x86_64__
	unsigned int count = 1;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		have[count++] = &avx2_loops;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni"))
		have[count++] = &avx512_loops;
#endif
	return number < 4 ? have[number] : NULL;
}

const struct own_loops *own_loops_fastest(void)
{
	unsigned int last = 0;

	while (own_loops_at(last + 1))
		last++;
	return own_loops_at(last);
}

uint32_t own_element_bytes(enum cpu_type type)
{
	static const uint32_t bytes[CPU_NR_TYPES] = {
		[CPU_I8] = 1, [CPU_I16] = 2, [CPU_I32] = 4, [CPU_F32] = 4,
		[CPU_I8_I32] = 1,
	};

	return bytes[type];
}

uint32_t own_sum_bytes(enum cpu_type type)
{
	return type == CPU_I8_I32 ? 4 : own_element_bytes(type);
}
