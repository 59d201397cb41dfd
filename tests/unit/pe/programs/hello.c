// SPDX-License-Identifier: MIT
/* One tasklet: a transfer each way, and a word for the host. */
#include "tests/unit/pe/programs/pe.h"

HOST uint64_t runs;
HOST uint32_t seen[4];
HOST uint64_t buffer[256];

void pe_start(void)
{
	boot();
	PE_SVC->mram_read(0, buffer, 2048);
	for (unsigned int i = 0; i < 256; i++)
		buffer[i] = 3 * buffer[i] + PE_SELF->pe;
	PE_SVC->mram_write(PE_MRAM_BASE + 2048, buffer, 2048);
	seen[0] = PE_SELF->pe;
	seen[1] = PE_SELF->lane;
	seen[2] = PE_SELF->mram_bytes;
	seen[3] = PE_SELF->nr_tasklets;
	runs++;
}
