// SPDX-License-Identifier: MIT
/* Sets: what they are made of. */
#include <string.h>

#include "tools/upmem/host/core/set.h"
#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/core/system.h"

dpu_error_t members_of(const struct dpu_set_t *set, struct members *members)
{
	memset(members, 0, sizeof(*members));
	switch (set->kind) {
	case DPU_SET_RANKS:
		members->nr_ranks = set->list.nr_ranks;
		members->ranks = set->list.ranks;
		return DPU_OK;
	case DPU_SET_DPU:
		members->dpu = set->dpu;
		members->one = set->dpu->rank;
		members->nr_ranks = 1;
		members->ranks = &members->one;
		return DPU_OK;
	default:
		return host_fail(DPU_ERR_INTERNAL,
				 "kind=%d is neither a set of ranks nor a DPU",
				 (int)set->kind);
	}
}

uint32_t members_pes(const struct members *members, uint32_t pes[])
{
	uint32_t nr = 0;

	if (members->dpu) {
		pes[0] = members->one->state->first_pe +
			 dpu_place(members->dpu);
		return 1;
	}
	for (uint32_t r = 0; r < members->nr_ranks; r++) {
		struct dpu_rank_state *state = members->ranks[r]->state;

		for (unsigned int p = 0; p < RANK_DPUS; p++)
			if (state->enabled >> p & 1)
				pes[nr++] = state->first_pe + p;
	}
	return nr;
}

DPU_API dpu_error_t dpu_get_nr_ranks(struct dpu_set_t dpu_set,
				     uint32_t *nr_ranks)
{
	struct members members;
	dpu_error_t status = members_of(&dpu_set, &members);

	if (status == DPU_OK)
		*nr_ranks = members.nr_ranks;
	return status;
}

DPU_API dpu_error_t dpu_get_nr_dpus(struct dpu_set_t dpu_set, uint32_t *nr_dpus)
{
	struct members members;
	dpu_error_t status = members_of(&dpu_set, &members);

	if (status != DPU_OK)
		return status;
	*nr_dpus = members.dpu ? 1 : 0;
	for (uint32_t r = 0; r < members.nr_ranks && !members.dpu; r++)
		*nr_dpus += host_count(members.ranks[r]);
	return DPU_OK;
}
