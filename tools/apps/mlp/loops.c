// SPDX-License-Identifier: MIT
/* Vectors of floats, compiled once for every x86-64 CPU and once for AVX2. */
#include "tools/apps/mlp/loops.h"

#define LOOPS_TARGET
#define LOOPS_NAME(name) name##_plain
#include "tools/apps/mlp/loops_tmpl.h"

static const struct mlp_loops plain = { dot_four_plain, add_four_plain };

#ifdef __x86_64__
#define LOOPS_TARGET __attribute__((target("avx2")))
#define LOOPS_NAME(name) name##_avx2
#include "tools/apps/mlp/loops_tmpl.h"

static const struct mlp_loops avx2 = { dot_four_avx2, add_four_avx2 };

const struct mlp_loops *mlp_loops_fastest(void)
{
	return __builtin_cpu_supports("avx2") ? &avx2 : &plain;
}
#else
const struct mlp_loops *mlp_loops_fastest(void)
{
	return &plain;
}
#endif
