/* SPDX-License-Identifier: MIT */
/* Which bytes of which memory of each DPU a transfer is about. */
#ifndef HOST_RANGE_H
#define HOST_RANGE_H

#include "tools/upmem/host/core/api.h"

/* what addresses of symbols in MRAM and IRAM have set; those in WRAM have neither */
#define MRAM_TAG	0x08000000u
#define IRAM_TAG	0x80000000u

enum memory { MEMORY_WRAM, MEMORY_MRAM, MEMORY_IRAM };

struct range {
	enum memory memory;
	uint32_t offset;
	uint32_t bytes;
};

/* the part of a symbol, checked against the symbol and its memory's rules */
dpu_error_t range_of(struct dpu_symbol_t symbol, uint32_t offset, size_t length,
		     struct range *range);
/* what is only checked when the transfer is done */
dpu_error_t range_check_mram(const struct range *range, const struct pimdimm *sys);

#endif /* HOST_RANGE_H */
