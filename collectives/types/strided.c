// SPDX-License-Identifier: MIT
/* Each tier's strided copies, by its number, and those of host memory. */
#include <pthread.h>

#include "collectives/types/strided.h"

#define STRIDED(id, tier)	[PD_ISA_##id] = &pt_strided_##tier,
static const struct pt_strided *const strided[PD_NR_ISAS] = {PD_TIERS(STRIDED)};

static const struct pt_strided *best;

const struct pt_strided *pt_isa_strided(enum pd_isa isa)
{
	return strided[isa];
}

static void choose_strided(void)
{
	enum pd_isa isa = PD_ISA_PORTABLE;

	/* a name that cannot be had is reported where a system is opened */
	pd_isa_choose(&isa);
	best = strided[isa];
}

const struct pt_strided *pt_strided_best(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, choose_strided);
	return best;
}
