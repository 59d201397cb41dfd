// SPDX-License-Identifier: MIT
/* Products of two vectors, compiled once for every x86-64 CPU and once for AVX2. */
#include <math.h>

#include "tools/apps/common/dot.h"

#define DOT_TARGET
#define DOT_NAME(name) dot_##name##_plain
#include "tools/apps/common/dot_tmpl.h"

static const struct app_dot plain = {
	dot_i8_plain, dot_i16_plain, dot_i32_plain, dot_f32_plain,
};

#ifdef __x86_64__
#define DOT_TARGET __attribute__((target("avx2")))
#define DOT_NAME(name) dot_##name##_avx2
#include "tools/apps/common/dot_tmpl.h"

static const struct app_dot avx2 = {
	dot_i8_avx2, dot_i16_avx2, dot_i32_avx2, dot_f32_avx2,
};

const struct app_dot *app_dot_fastest(void)
{
	return __builtin_cpu_supports("avx2") ? &avx2 : &plain;
}
#else
const struct app_dot *app_dot_fastest(void)
{
	return &plain;
}
#endif
