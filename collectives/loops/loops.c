// SPDX-License-Identifier: MIT
/* Each tier's loops, by its number. */
#include "collectives/loops/loops.h"
#include "runtime/simd/isa.h"

#define MOVES(id, tier)	[PD_ISA_##id] = &pc_moves_##tier,
static const struct pc_moves *const moves[PD_NR_ISAS] = {PD_TIERS(MOVES)};

#define FOLDS(id, tier)	[PD_ISA_##id] = &pc_folds_##tier,
static const struct pc_folds *const folds[PD_NR_ISAS] = {PD_TIERS(FOLDS)};

#define TURNS(id, tier)	[PD_ISA_##id] = &pc_turns_##tier,
static const struct pc_turns *const turns[PD_NR_ISAS] = {PD_TIERS(TURNS)};

const struct pc_moves *pc_isa_moves(enum pd_isa isa)
{
	return moves[isa];
}

const struct pc_folds *pc_isa_folds(enum pd_isa isa)
{
	return folds[isa];
}

const struct pc_turns *pc_isa_turns(enum pd_isa isa)
{
	return turns[isa];
}
