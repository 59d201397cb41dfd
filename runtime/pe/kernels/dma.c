// SPDX-License-Identifier: MIT
/* What tasklets of PE kernels may ask of their PE: its number, WRAM and MRAM. */
#include <errno.h>

#include <pimdimm/spmd.h>

#include "runtime/pe/kernels/kernel.h"
#include "runtime/pe/kernels/turns.h"
#include "runtime/ranks/room.h"
#include "runtime/ranks/system.h"
#include "runtime/ranks/transfer.h"
#include "runtime/watch/count.h"

#define DMA_MAX 2048

uint32_t pimdimm_pe_id(const struct pimdimm_pe *pe)
{
	return pe->place->pe;
}

unsigned int pimdimm_tasklet_id(const struct pimdimm_pe *pe)
{
	return pe->tasklet;
}

void *pimdimm_wram(struct pimdimm_pe *pe)
{
	pe->place->wram_whole = true;
	return pe->place->wram;
}

void *pimdimm_wram_alloc(struct pimdimm_pe *pe, size_t bytes)
{
	struct pd_place *place = pe->place;

	if (!bytes || bytes > place->wram_left)
		return NULL;
	place->wram_left = (place->wram_left - bytes) & ~(size_t)7;
	return place->wram + place->wram_left;
}

/* A kernel can name the host's memory, which hardware has no way to reach. */
static int dma_check_wram(struct pimdimm_pe *pe, const char *what,
			  const void *wram, size_t bytes)
{
	const struct pimdimm *sys = pe->place->sys;
	uintptr_t size = sys->geometry.wram_size;
	uintptr_t first = (uintptr_t)pe->place->wram, at = (uintptr_t)wram;

	if (!sys->strict || (at >= first && at - first <= size - bytes))
		return 0;
	return pd_kernel_fault(pe,
			 "%s: wram=%p and %zu bytes, expected within the PE's WRAM, %zu bytes at %p (strict=1)",
			 what, wram, bytes, (size_t)size,
			 (void *)pe->place->wram);
}

/* what the hardware's DMA engine takes */
static int dma_check(struct pimdimm_pe *pe, const char *what, uint64_t off,
		     const void *wram, size_t bytes)
{
	uint64_t size = pe->place->sys->geometry.mram_size;

	if (off % PIMDIMM_WORD_BYTES)
		return pd_kernel_fault(pe, "%s: off=%llu, expected a multiple of 8",
				 what, (unsigned long long)off);
	if (!wram || (uintptr_t)wram % PIMDIMM_WORD_BYTES)
		return pd_kernel_fault(pe, "%s: wram=%p, expected it aligned to 8",
				 what, wram);
	if (bytes < PIMDIMM_WORD_BYTES || bytes > DMA_MAX ||
	    bytes % PIMDIMM_WORD_BYTES)
		return pd_kernel_fault(pe,
				 "%s: bytes=%zu, expected a multiple of 8 from 8 to %d",
				 what, bytes, DMA_MAX);
	if (off > size || bytes > size - off)
		return pd_kernel_fault(pe,
				 "%s: off=%llu and %zu bytes reach past the MRAM of %llu bytes",
				 what, (unsigned long long)off, bytes,
				 (unsigned long long)size);
	return dma_check_wram(pe, what, wram, bytes);
}

/* A transfer that can be made: the hardware's would be, and there is room for it. */
static int dma_ready(struct pimdimm_pe *pe, const char *what, uint64_t off,
		     const void *wram, size_t bytes, bool to_mram)
{
	int ret = dma_check(pe, what, off, wram, bytes);

	if (ret)
		return ret;
	ret = pd_room_claim_pe(pe->place->sys, pe->place->pe, off, bytes, to_mram);
	if (!ret)
		return 0;
	pd_kernel_fault(pe, "%s: %s", what, pimdimm_errmsg());
	return ret;
}

/* What a PE moves is neither the host's blocks nor its memory. */
static struct pd_counting dma_begin(size_t bytes)
{
	if (pd_counts_now())
		pd_count_pe(bytes);
	return pd_counting_enter(NULL, NULL);
}

static void dma_end(struct pimdimm_pe *pe, struct pd_counting before)
{
	pd_counting_leave(before);
	if (++pe->dmas < pe->place->dmas_in_a_row)
		return;
	if (pe->kind)
		pe->kind->dma(pe);
	else
		pd_turns_give(pe);
}

int pimdimm_mram_read(struct pimdimm_pe *pe, uint64_t off, void *wram,
		      size_t bytes)
{
	int ret = dma_ready(pe, "mram_read", off, wram, bytes, false);
	struct pd_counting before;

	if (ret)
		return ret;
	before = dma_begin(bytes);
	pd_pe_read(pe->place->sys, pe->place->pe, off, wram, bytes);
	dma_end(pe, before);
	return 0;
}

int pimdimm_mram_write(struct pimdimm_pe *pe, uint64_t off, const void *wram,
		       size_t bytes)
{
	int ret = dma_ready(pe, "mram_write", off, wram, bytes, true);
	struct pd_counting before;

	if (ret)
		return ret;
	before = dma_begin(bytes);
	pd_pe_write(pe->place->sys, pe->place->pe, off, wram, bytes);
	dma_end(pe, before);
	return 0;
}
