// SPDX-License-Identifier: MIT
/* Reductions of two vectors, compiled once for every x86-64 CPU and once for AVX2. */
#include <stdint.h>

#include "tools/apps/common/sdk/sdk_fold.h"

#define SDK_TYPES	(PIDCOMM_F64 + 1)
/* MPI's, numbered from 1 */
#define SDK_OPS		10

#define FOLD_TARGET
#define FOLD_NAME(name) sdk_fold_##name##_plain
#define FOLD_TABLE sdk_folds_plain
#include "tools/apps/common/sdk/sdk_fold_tmpl.h"

#ifdef __x86_64__
#define FOLD_TARGET __attribute__((target("avx2")))
#define FOLD_NAME(name) sdk_fold_##name##_avx2
#define FOLD_TABLE sdk_folds_avx2
#include "tools/apps/common/sdk/sdk_fold_tmpl.h"
#endif

sdk_fold_fn sdk_fold(enum pidcomm_type type, pidcomm_op op)
{
	uintptr_t number = (uintptr_t)op - (uintptr_t)PIDCOMM_SUM;

	if ((unsigned int)type >= SDK_TYPES || number >= SDK_OPS)
		return NULL;
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return sdk_folds_avx2[type][number];
#endif
	return sdk_folds_plain[type][number];
}

size_t sdk_element_bytes(enum pidcomm_type type)
{
	static const size_t bytes[SDK_TYPES] = {
		[PIDCOMM_I8] = 1, [PIDCOMM_I16] = 2, [PIDCOMM_I32] = 4,
		[PIDCOMM_I64] = 8, [PIDCOMM_U8] = 1, [PIDCOMM_U16] = 2,
		[PIDCOMM_U32] = 4, [PIDCOMM_U64] = 8, [PIDCOMM_F32] = 4,
		[PIDCOMM_F64] = 8,
	};

	return (unsigned int)type < SDK_TYPES ? bytes[type] : 0;
}
