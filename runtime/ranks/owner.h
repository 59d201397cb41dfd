/* SPDX-License-Identifier: MIT */
/*
 * Who owns a rank, the host or its PEs, in a system opened with strict=1 or under
 * PIMDIMM_CHECK=host, which leaves mappings as they are and tells more; in others
 * nothing here has an effect. A rank is its PEs' from the first launch that
 * concerns it to the end of the last. What the host begins there meanwhile is
 * refused, and so is a launch while the host is at it: nobody waits. Where PEs do
 * part of what the host is at, it must be alone there, for its ranks go to and fro.
 */
#ifndef PD_OWNER_H
#define PD_OWNER_H

#include "runtime/ranks/system.h"
#include "runtime/ranks/uri.h"

struct pd_rank_set {
	uint64_t bits[PD_MAX_RANKS / 64];
};

/* What the host is about to do, for sentences. */
struct pd_host_call {
	const char *name;	/* NULL: a transfer */
	uint32_t first_pe, nr_pes;
	uint64_t off, bytes;	/* of each PE; 0 bytes: somewhere */
};

/* A launch, from pd_pes_begin() to pd_pes_end(), between which it is listed. */
struct pd_pes_launch {
	const char *kind, *name;	/* "program", "hist" */
	uint32_t first_pe, nr_pes;
	struct pd_rank_set ranks;
	struct pd_pes_launch *next;
};

int pd_owners_create(struct pimdimm *sys, bool check);
void pd_owners_destroy(struct pimdimm *sys);

static inline bool pd_ranks_have(const struct pd_rank_set *set, uint32_t rank)
{
	return set->bits[rank / 64] >> rank % 64 & 1;
}

static inline void pd_ranks_add(struct pd_rank_set *set, uint32_t pe)
{
	uint32_t rank = pe / PIMDIMM_RANK_PES;

	set->bits[rank / 64] |= UINT64_C(1) << rank % 64;
}

/* the ranks of these PEs */
void pd_ranks_of_range(struct pd_rank_set *set, uint32_t first_pe,
		       uint32_t nr_pes);
void pd_ranks_of_list(struct pd_rank_set *set, const uint32_t pes[],
		      uint32_t nr_pes);

/* The host is about to touch MRAM of these PEs; -EBUSY and a sentence. */
int pd_host_enter(struct pimdimm *sys, const struct pd_rank_set *ranks,
		  const struct pd_host_call *call);
void pd_host_leave(struct pimdimm *sys, const struct pd_rank_set *ranks);
int pd_host_enter_range(struct pimdimm *sys, const char *name, uint32_t first_pe,
			uint32_t nr_pes);
void pd_host_leave_range(struct pimdimm *sys, uint32_t first_pe,
			 uint32_t nr_pes);

/* of all MRAM of these PEs */
static inline int pd_host_begin(struct pimdimm *sys, const char *name, uint32_t first_pe,
				uint32_t nr_pes)
{
	return sys->owners ? pd_host_enter_range(sys, name, first_pe, nr_pes) : 0;
}

static inline void pd_host_end(struct pimdimm *sys, uint32_t first_pe,
			       uint32_t nr_pes)
{
	if (sys->owners)
		pd_host_leave_range(sys, first_pe, nr_pes);
}

/* The host is about to touch MRAM and will have the ranks' PEs help. */
int pd_host_enter_alone(struct pimdimm *sys, const struct pd_rank_set *ranks,
			const struct pd_host_call *call);
void pd_host_leave_alone(struct pimdimm *sys, const struct pd_rank_set *ranks);
/* Hand them its ranks, and take them back; 0 or what the backend says. */
int pd_pes_help(struct pimdimm *sys, const struct pd_rank_set *ranks);
int pd_pes_helped(struct pimdimm *sys, const struct pd_rank_set *ranks);

/*
 * A launch on these ranks begins; -EBUSY and a sentence, or what the backend says,
 * and no rank has changed hands.
 */
int pd_pes_begin(struct pimdimm *sys, struct pd_pes_launch *launch);
int pd_pes_end(struct pimdimm *sys, struct pd_pes_launch *launch);

/* a PE kernel that the calling thread runs, and those that it runs inside of */
struct pd_in_pe_kernel {
	const struct pimdimm *sys;
	const uint32_t *pe;	/* changes from one to the next */
	const struct pd_in_pe_kernel *outer;
};

void pd_pe_kernel_enter(struct pd_in_pe_kernel *kernel, const struct pimdimm *sys,
			const uint32_t *pe);
void pd_pe_kernel_leave(const struct pd_in_pe_kernel *kernel);

/* Launches and collectives are the host's: -EBUSY and a sentence to PE kernels. */
int pd_check_host(const struct pimdimm *sys);

#endif /* PD_OWNER_H */
