/* SPDX-License-Identifier: MIT */
/* Programs that are loaded into DPUs, and their symbols. */
#ifndef HOST_PROGRAM_H
#define HOST_PROGRAM_H

#include <stdatomic.h>

#include "tools/upmem/host/core/set.h"

struct dpu_program_t {
	struct pimdimm_program *program;
	_Atomic uint32_t users;
	uint64_t mram_bytes;	/* of a DPU */
};

/* the rank's DPUs have no program any more, and whoever looked at one has none */
void program_forget(struct dpu_rank_t *rank);
/* a symbol of the program that all DPUs have */
dpu_error_t program_symbol(const struct members *on, const char *name,
			   struct dpu_symbol_t *symbol);

#endif /* HOST_PROGRAM_H */
