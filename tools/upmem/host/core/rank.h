/* SPDX-License-Identifier: MIT */
/* A rank of DPUs as libdpu keeps it: its shape, its DPUs' places, its state. */
#ifndef HOST_RANK_H
#define HOST_RANK_H

#include <pimdimm/pimdimm.h>
#include <pthread.h>

#include "tools/upmem/host/core/profile.h"

#define RANK_DPUS	64
#define RANK_LINES	8
#define RANK_CHIPS	8

struct slot;
struct lent_program;

/* what of a rank is not for programs to read */
struct dpu_rank_state {
	bool taken;
	struct pimdimm *sys;		/* whose PEs its DPUs are, from this one on: */
	uint32_t first_pe;
	uint64_t enabled;		/* places */
	uint64_t faulted;		/* places, in their last launch */
	struct profile profile;
	uint32_t dpus_before;		/* in the ranks before it of its set */
	struct lent_program *lent;	/* programs that the user may look at */
	void *matrix[RANK_DPUS];	/* prepared buffers, by place */
	void *callback_matrix[RANK_DPUS];

	/* the queue, under its lock */
	struct slot *head, **tail;
	uint32_t nr_jobs;
	uint32_t nr_detached;		/* callbacks that left it and run */
	dpu_error_t job_error;
	char *job_text;
	bool job_aftermath;		/* of what went wrong in another rank */
	pthread_cond_t room;
};

/*
 * A DPU's place in its rank, as PEs are numbered: chip fastest. Transfer
 * matrices and masks go by it. rank->dpus[] goes by chips instead.
 */
static inline unsigned int dpu_place(const struct dpu_t *dpu)
{
	return RANK_CHIPS * dpu->dpu_id + dpu->slice_id;
}

static inline struct dpu_t *dpu_at(struct dpu_rank_t *rank, unsigned int place)
{
	return DPU_GET_UNSAFE(rank, place % RANK_CHIPS, place / RANK_CHIPS);
}

#endif /* HOST_RANK_H */
