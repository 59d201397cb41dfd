/* SPDX-License-Identifier: MIT */
/* What a set's profile asks of its ranks. */
#ifndef HOST_PROFILE_H
#define HOST_PROFILE_H

#include "tools/upmem/host/core/api.h"

struct profile {
	uint32_t nr_jobs;		/* of each rank's queue */
	uint64_t disabled;		/* DPUs, by rank->dpus[] */
	uint32_t sg_blocks;		/* 0: as many as the set has DPUs */
	uint32_t fck_mhz;
	uint32_t clock_division;
	bool sg_enable;
	bool dispatch;			/* over as many ranks as there are */
	bool strict;			/* DMAs beyond the rules are faults */
};

/* text is the caller's, or NULL; UPMEM_PROFILE_BASE and UPMEM_PROFILE are read too */
dpu_error_t profile_read(const char *text, struct profile *profile);

#endif /* HOST_PROFILE_H */
