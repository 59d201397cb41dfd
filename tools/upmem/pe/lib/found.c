// SPDX-License-Identifier: MIT
/* The table of findings, and those that both detectors have: transfers that are bent. */
#include "found.h"

void pe_put_found(const struct pe_found *f)
{
	struct pe_check_table *table = (struct pe_check_table *)(uintptr_t)PE_CHECK_TABLE;

	for (uint32_t i = 0; i < table->nr && i < PE_CHECK_FOUND; i++)
		if (table->found[i].pc[0] == f->pc[0] && table->found[i].pc[1] == f->pc[1] &&
		    table->found[i].kind == f->kind)
			return;
	if (table->nr < PE_CHECK_FOUND)
		table->found[table->nr++] = *f;
	else
		table->lost++;
}

/* What hardware makes of a transfer out of its rules: it counts words in 8 bits. */
uint32_t pe_check_rules(uint32_t mram, const void *wram, uint32_t bytes, int write,
			const void *pc)
{
	uint32_t bent = 8 * ((((bytes >> 3) - 1) & 255) + 1);

	if (mram % 8 || (uintptr_t)wram % 8 || bent != bytes) {
		struct pe_found f = {
			.kind = PE_FOUND_DMA,
			.address = mram % PE_MRAM_BASE,
			.pc = { 0, (uint32_t)(uintptr_t)pc - PE_TEXT_BASE - 1 },
			.bytes = { (uint32_t)(uintptr_t)wram, bytes },
			.tasklet = { 0, (uint8_t)PE_SELF->tasklet },
			.write = { 0, write != 0 },
		};

		pe_put_found(&f);
	}
	return bent;
}
