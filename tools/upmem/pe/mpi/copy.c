// SPDX-License-Identifier: MIT
/* Copies between WRAM and MRAM at any address, in the time that transfers take. */
#include <string.h>

#include "inside.h"

#define MAX_DMA		2048u
#define BOUNCE		512u

static uint8_t bounce[BOUNCE] __attribute__((aligned(8)));

/* words that a write does not fill are read before */
void mpi_charge_mram(uint64_t address, uint64_t bytes, bool write)
{
	uint64_t first = address & ~7ull, end = (address + bytes + 7) & ~7ull;

	if (!bytes)
		return;
	if (write && address & 7)
		PE_SVC->mram_pass(8, 0);
	if (write && (address + bytes) & 7 && (!(address & 7) || end - first > 8))
		PE_SVC->mram_pass(8, 0);
	for (; first < end; first += MAX_DMA)
		PE_SVC->mram_pass((uint32_t)(end - first < MAX_DMA ? end - first : MAX_DMA),
				  write);
}

static void copy_in(void *to, const void *from, uint64_t bytes)
{
	mpi_charge_mram((uintptr_t)from, bytes, false);
	PE_MEMORY_ONLY(pe_memory_copy(to, from, bytes));
	PE_SVC->mram_copy_in((uint32_t)(uintptr_t)from, to, (uint32_t)bytes);
}

static void copy_out(void *to, const void *from, uint64_t bytes)
{
	mpi_charge_mram((uintptr_t)to, bytes, true);
	PE_MEMORY_ONLY(pe_memory_copy(to, from, bytes));
	PE_SVC->mram_copy_out((uint32_t)(uintptr_t)to, from, (uint32_t)bytes);
}

static void copy_within(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	for (uint64_t done = 0; done < bytes; done += BOUNCE) {
		uint64_t n = bytes - done < BOUNCE ? bytes - done : BOUNCE;

		copy_in(bounce, from + done, n);
		copy_out(to + done, bounce, n);
	}
}

void mpi_copy(void *to, const void *from, uint64_t bytes)
{
	if (!bytes)
		return;
	if (!mpi_in_mram(to) && !mpi_in_mram(from))
		memcpy(to, from, bytes);
	else if (!mpi_in_mram(to))
		copy_in(to, from, bytes);
	else if (!mpi_in_mram(from))
		copy_out(to, from, bytes);
	else
		copy_within(to, from, bytes);
}
