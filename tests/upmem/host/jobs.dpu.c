// SPDX-License-Identifier: MIT
/* Appends to what the host has put into MRAM; faults or lasts where asked to. */
#include <stdint.h>
#include <stdlib.h>

#include <built_ins.h>
#include <defs.h>
#include <mram.h>

__host uint64_t fault_if;	/* the word is this one */
__host uint64_t loops;
__mram_noinit uint64_t word;

int main(void)
{
	__dma_aligned uint64_t value;

	mram_read(&word, &value, 8);
	for (volatile uint64_t i = 0; i < loops; i++)
		;
	if (value == fault_if)
		halt();
	value = value * 10 + 1;
	mram_write(&value, &word, 8);
	return 0;
}
