/* SPDX-License-Identifier: MIT */
/* The library's loops of every tier that this CPU runs, or nearly so. */
#ifndef TESTS_TIERS_H
#define TESTS_TIERS_H

#include "collectives/loops/loops.h"
#include "runtime/simd/isa.h"

#include "tests/unit/unit.h"
#include "tests/unit/vbmi.h"

/* What this CPU lacks for the tier is emulated, where that is little. */
static inline bool tier_emulated(enum pd_isa isa)
{
	if (isa != PD_ISA_AVX512VBMI || !pd_isa_runs(PD_ISA_AVX512BW) ||
	    !vbmi_emulate())
		return false;
	printf("# this CPU has no %s, which is emulated\n", pd_isa_name(isa));
	return true;
}

/* Runs @check on each tier, saying which one is emulated or left out. */
static inline void each_tier(void (*check)(int isa))
{
	for (int isa = 0; isa < PD_NR_ISAS; isa++) {
		if (!unit_tier(pd_isa_name((enum pd_isa)isa)))
			continue;
		if (!pd_isa_runs((enum pd_isa)isa) &&
		    !tier_emulated((enum pd_isa)isa)) {
			printf("# this CPU has no %s\n",
			       pd_isa_name((enum pd_isa)isa));
			continue;
		}
		check(isa);
	}
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
