/* SPDX-License-Identifier: MIT */
#include "runtime/simd/isa.h"
#include "collectives/loops/loops.h"

#define KERNELS(id, tier) [PD_ISA_##id] = &pc_kernels_##tier,
static const struct pc_kernels *const kernels[PD_NR_ISAS] = {
	PD_TIERS(KERNELS)
};

#define FOLDS(id, tier) [PD_ISA_##id] = &pc_folds_##tier,
static const struct pc_folds *const folds[PD_NR_ISAS] = {
	PD_TIERS(FOLDS)
};

#define TURNS(id, tier) [PD_ISA_##id] = &pc_turns_##tier,
static const struct pc_turns *const turns[PD_NR_ISAS] = {
	PD_TIERS(TURNS)
};

const struct pc_kernels *pc_isa_kernels(enum pd_isa isa)
{
	return kernels[isa];
}

const struct pc_folds *pc_isa_folds(enum pd_isa isa)
{
	return folds[isa];
}

const struct pc_turns *pc_isa_turns(enum pd_isa isa)
{
	return turns[isa];
}
