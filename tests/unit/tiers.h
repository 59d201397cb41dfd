/* SPDX-License-Identifier: MIT */
/* The library's kernels of every tier that this CPU runs. */
#ifndef TESTS_TIERS_H
#define TESTS_TIERS_H

#include "../../collectives/kernels.h"
#include "../../runtime/isa.h"

#include "unit.h"

static const struct pc_kernels *const tier_kernels[PD_NR_ISAS] = {
	[PD_ISA_PORTABLE] = &pc_kernels_portable,
#ifdef __x86_64__
	[PD_ISA_AVX2] = &pc_kernels_avx2,
	[PD_ISA_AVX512BW] = &pc_kernels_avx512bw,
	[PD_ISA_AVX512VBMI] = &pc_kernels_avx512vbmi,
#endif
};

static const struct pc_folds *const tier_folds[PD_NR_ISAS] = {
	[PD_ISA_PORTABLE] = &pc_folds_portable,
#ifdef __x86_64__
	[PD_ISA_AVX2] = &pc_folds_avx2,
	[PD_ISA_AVX512BW] = &pc_folds_avx512bw,
	[PD_ISA_AVX512VBMI] = &pc_folds_avx512vbmi,
#endif
};

/* Runs @check on each tier, saying which one it is. */
static inline void each_tier(void (*check)(int isa))
{
	for (int isa = 0; isa < PD_NR_ISAS; isa++) {
		if (!pd_isa_runs((enum pd_isa)isa)) {
			printf("# this CPU has no %s\n",
			       pd_isa_name((enum pd_isa)isa));
			continue;
		}
		check(isa);
	}
	assert_non_null(tier_kernels[0]);
	assert_non_null(tier_folds[0]);
}

/* Fails with the tier's name and a place. */
#define assert_tier_memory(isa, got, want, bytes, a, b, c)		\
	do {								\
		if (memcmp(got, want, bytes))				\
			fail_msg("%s, %s %u, %s %u, %s %u",		\
				 pd_isa_name((enum pd_isa)(isa)),	\
				 #a, (unsigned)(a), #b, (unsigned)(b),	\
				 #c, (unsigned)(c));			\
	} while (0)

#endif
