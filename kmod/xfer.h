/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PIMDIMM_IOC_XFER under way: what its two halves share, the one that moves words
 * and the one that holds host buffers' pages.
 */
#ifndef PIMDIMM_XFER_H
#define PIMDIMM_XFER_H

#include <linux/mm.h>
#include <linux/types.h>

#include "kmod/pimdimm.h"

/*
 * Words of a page: what is copied at a time of each PE, so that a copy touches
 * no more than one page of a host buffer that begins at one. To hold the pages
 * of fewer words costs as much as to copy these.
 */
#define XFER_PIECE	((unsigned int)(PAGE_SIZE / PIMDIMM_WORD_BYTES))

/* Pages of a host buffer that are held at a time: fewer cost more for each. */
#define XFER_PAGES	8
#define XFER_SLICE	(XFER_PAGES * XFER_PIECE)

/* Pages of MRAM that a piece lies in at most, where every other block is its. */
#define XFER_MRAM_PAGES	(2 * PIMDIMM_BLOCK_BYTES / PIMDIMM_WORD_BYTES + 1)

/**
 * struct xfer - a call under way
 * @sys: the rank's geometry
 * @mram: the rank's MRAM
 * @from_mram: the direction
 * @mask: the selected PEs
 * @word: first word of the slice in each PE's MRAM
 * @done: bytes of each PE in the slices before it
 * @addr: each selected PE's host buffer
 * @pages: what is held of the host buffers of a group, one after the other
 * @nr_pages: how many these are
 * @held: each lane's first of them, NULL of those that are not selected or,
 *        with all others, where words go through the bounce buffer
 * @at: where in its first page each lane's words begin
 * @shift: from one block to the next, as a power of two
 * @mram_pages: the pages of MRAM in use, each with a reference, NULL for holes
 * @piece: words of a lane of the bounce buffer
 * @pitch: words from one lane to the next
 * @bounce: a piece of the eight PEs of a group
 */
struct xfer {
	const struct pimdimm_system *sys;
	struct pimdimm_mram *mram;
	bool from_mram;
	u64 mask;
	u64 word;
	u64 done;
	u64 addr[PIMDIMM_RANK_PES];
	struct page *pages[PIMDIMM_CHIPS * (XFER_PAGES + 1)];
	unsigned int nr_pages;
	struct page **held[PIMDIMM_CHIPS];
	unsigned int at[PIMDIMM_CHIPS];
	unsigned int shift;
	struct page *mram_pages[XFER_MRAM_PAGES];
	unsigned int piece;
	unsigned int pitch;
	u64 bounce[];
};

/* Where a PE's host buffer is from word @first of the slice on. */
static inline u64 xfer_addr(const struct xfer *x, unsigned int bank,
			    unsigned int lane, unsigned int first)
{
	return x->addr[bank * PIMDIMM_CHIPS + lane] + x->done +
	       first * PIMDIMM_WORD_BYTES;
}

static inline unsigned int xfer_group_mask(const struct xfer *x,
					   unsigned int bank)
{
	return (x->mask >> (bank * PIMDIMM_CHIPS)) & 0xff;
}

/* xfer_hold.c */
bool pimdimm_xfer_hold(struct xfer *x, unsigned int bank, unsigned int words);
void pimdimm_xfer_release(struct xfer *x, bool written);

#endif /* PIMDIMM_XFER_H */
