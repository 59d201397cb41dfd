/* SPDX-License-Identifier: MIT */
/* What a set is made of. */
#ifndef HOST_SET_H
#define HOST_SET_H

#include "tools/upmem/host/core/api.h"
#include "tools/upmem/host/core/rank.h"

/* the ranks of a set, and the DPU that it is if it is one */
struct members {
	uint32_t nr_ranks;
	struct dpu_rank_t **ranks;
	struct dpu_rank_t *one;		/* what ranks may point to */
	struct dpu_t *dpu;
};

/* fills in, without allocating; members->ranks is as good as the set */
dpu_error_t members_of(const struct dpu_set_t *set, struct members *members);
/* the PEs of its enabled DPUs by number; room for RANK_DPUS * nr_ranks */
uint32_t members_pes(const struct members *members, uint32_t pes[]);

/* the system that its ranks are of */
static inline struct pimdimm *members_system(const struct members *members)
{
	return members->ranks[0]->state->sys;
}

#endif /* HOST_SET_H */
