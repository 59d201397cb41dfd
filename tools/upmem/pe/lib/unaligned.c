// SPDX-License-Identifier: MIT
/* MRAM at any address: words that a transfer does not fill are read, changed and
 * written under a virtual mutex of their own. */
#include <mram.h>
#include <string.h>
#include <vmutex.h>

#include "pe.h"

#define NR_LOCKS	2048
#define MAX_DMA		2048u

VMUTEX_INIT(locks, NR_LOCKS, 1)

static uint64_t words[PE_PLACES];

static void *wram(void)
{
	return &words[PE_SELF->tasklet];
}

static __mram_ptr void *mram(uintptr_t address)
{
	return (__mram_ptr void *)(address & ~(uintptr_t)7);
}

uint8_t *pe_mram_take_word(uintptr_t dest)
{
	vmutex_lock(&locks, dest / 8 % NR_LOCKS);
	mram_read(mram(dest), wram(), 8);
	return wram();
}

void pe_mram_put_word(uintptr_t dest)
{
	mram_write(wram(), mram(dest), 8);
	vmutex_unlock(&locks, dest / 8 % NR_LOCKS);
}

void *mram_read_unaligned(const __mram_ptr void *from, void *buffer,
			  unsigned int nb_of_bytes)
{
	uintptr_t start = (uintptr_t)from, first = start & ~(uintptr_t)7;
	uint32_t bytes = (uint32_t)(start + nb_of_bytes + 7 - first) & ~7u;
	uint8_t *to = buffer;

	/* what is around 2048 bytes makes it more than one transfer */
	if (bytes > MAX_DMA) {
		mram_read(mram(first), to, MAX_DMA);
		mram_read(mram(first + MAX_DMA), to + MAX_DMA, bytes - MAX_DMA);
	} else if (nb_of_bytes) {
		mram_read(mram(first), to, bytes);
	}
	return to + (start - first);
}

static void write_part(const uint8_t *from, uintptr_t to, uint32_t bytes)
{
	memcpy(pe_mram_take_word(to) + to % 8, from, bytes);
	pe_mram_put_word(to);
}

void mram_write_unaligned(const void *from, __mram_ptr void *dest,
			  unsigned int nb_of_bytes)
{
	const uint8_t *src = from;
	uintptr_t to = (uintptr_t)dest;
	uint32_t n = -to % 8;

	if ((uintptr_t)from % 8 != to % 8)
		pe_fault_at(__builtin_return_address(0), PE_FAULT_ALIGNMENT,
			    (uintptr_t)from,
			    "mram_write_unaligned: addresses differ modulo 8");
	if (n > nb_of_bytes)
		n = nb_of_bytes;
	if (n)
		write_part(src, to, n);
	src += n;
	to += n;
	nb_of_bytes -= n;
	n = nb_of_bytes & ~7u;
	if (n)
		mram_write(src, (__mram_ptr void *)to, n);
	if (nb_of_bytes > n)
		write_part(src + n, to + n, nb_of_bytes - n);
}
