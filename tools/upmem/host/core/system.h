/* SPDX-License-Identifier: MIT */
/* The process's one system of ranks, and taking ranks of it. */
#ifndef HOST_SYSTEM_H
#define HOST_SYSTEM_H

#include <pimdimm/pimdimm.h>

#include "tools/upmem/host/core/rank.h"

/*
 * The process's one system, opened at the first call, in a child after fork() at its own
 * first one; NULL: host_fail() said. A set's is members_system().
 */
struct pimdimm *host_system(void);
/* take the free rank of the lowest number; NULL when all are taken */
struct dpu_rank_t *host_take_rank(const struct profile *profile);
/* give back a rank that has no program any more */
void host_give_rank(struct dpu_rank_t *rank);
void host_fill_description(struct _dpu_description_t *description,
			   const struct profile *profile);
/* with every rank that there is; in a child after fork(), before it does more */
void host_each_rank(void (*act)(struct dpu_rank_t *rank));
/* how many DPUs of it are enabled */
uint32_t host_count(const struct dpu_rank_t *rank);

#endif /* HOST_SYSTEM_H */
