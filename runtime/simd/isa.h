/* SPDX-License-Identifier: MIT */
/* The tiers that loops are compiled for, and which of them a system uses. */
#ifndef PD_ISA_H
#define PD_ISA_H

#include <stdbool.h>

#include "runtime/simd/blocks.h"

/* from the slowest to the fastest, those of one CPU after those of another */
enum pd_isa {
	PD_ISA_COUNT,	/* counts what it touches; never chosen but by name */
	PD_ISA_PORTABLE,
	PD_ISA_AVX2,
	PD_ISA_AVX512BW,
	PD_ISA_AVX512VBMI,
	PD_ISA_SVE,	/* registers of any length; blocks in NEON's */
	PD_ISA_NEON,
	PD_ISA_SVE256,	/* registers of this many bits, neither fewer nor more */
	PD_ISA_SVE512,
	PD_NR_ISAS,
};

/* the tier's name, as PIMDIMM_ISA takes it */
const char *pd_isa_name(enum pd_isa isa);
/* whether this CPU, and this build, have the tier */
bool pd_isa_runs(enum pd_isa isa);
/* the best tier that runs, or the one that PIMDIMM_ISA names; negative errno */
int pd_isa_choose(enum pd_isa *isa);
const struct pd_blocks *pd_isa_blocks(enum pd_isa isa);
/*
 * Whether what is read next is best asked for into the first cache, and streams of several
 * entangled groups by turns. A Zen 5 reads up to a fifth sooner so. Others ask for it into the
 * second cache, and for groups one after the other: by turns a Zen 4 takes up to half as long
 * again. The tier that counts does as Zen 5, so that tests see both.
 */
bool pd_isa_asks_first(enum pd_isa isa);

#endif /* PD_ISA_H */
