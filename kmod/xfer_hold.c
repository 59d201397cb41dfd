// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of host buffers, held while words go straight between them and MRAM.
 */
#include <linux/bitops.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "kmod/xfer.h"

/**
 * pimdimm_xfer_release() - let go of the pages of host buffers
 * @x: the call
 * @written: whether what was read from MRAM has been written to them
 */
void pimdimm_xfer_release(struct xfer *x, bool written)
{
	unsigned int i;

	for (i = 0; i < x->nr_pages; i++) {
		if (!x->from_mram)
			put_page(x->pages[i]);
		else if (written)
			flush_dcache_page(x->pages[i]);
	}
	if (x->from_mram)
		unpin_user_pages_dirty_lock(x->pages, x->nr_pages, written);
	x->nr_pages = 0;
	memset(x->held, 0, sizeof(x->held));
}

/* How many pages a lane's @words words at @addr lie in. */
static unsigned int xfer_page_count(u64 addr, unsigned int words)
{
	return DIV_ROUND_UP(offset_in_page(addr) + words * PIMDIMM_WORD_BYTES,
			    PAGE_SIZE);
}

/*
 * Holds the pages of a lane's host buffer if they are there. Those that are read
 * need no pin, which would take copy-on-write pages apart. Returns 0, or -EFAULT
 * where some are missing, or -EINVAL where the buffer is to be copied.
 */
static int xfer_hold_lane(struct xfer *x, unsigned int lane, u64 addr,
			  unsigned int words)
{
	int count = xfer_page_count(addr, words);
	struct page **pages = &x->pages[x->nr_pages];
	int got, i;

	if (x->from_mram)
		got = pin_user_pages_fast(addr, count, FOLL_WRITE | FOLL_NOFAULT,
					  pages);
	else
		got = get_user_pages_fast(addr, count, FOLL_NOFAULT, pages);
	x->nr_pages += max(got, 0);
	for (i = 0; i < got; i++)
		if (!folio_test_anon(page_folio(pages[i])))
			return -EINVAL;
	if (got != count)
		return -EFAULT;
	x->held[lane] = pages;
	x->at[lane] = offset_in_page(addr);
	return 0;
}

/* Holds the host buffers of a group, all of them or none. */
static int xfer_hold_lanes(struct xfer *x, unsigned int bank,
			   unsigned int words)
{
	unsigned long mask = xfer_group_mask(x, bank);
	unsigned int lane;
	int err;

	for_each_set_bit(lane, &mask, PIMDIMM_CHIPS) {
		err = xfer_hold_lane(x, lane, xfer_addr(x, bank, lane, 0),
				     words);
		if (err) {
			pimdimm_xfer_release(x, false);
			return err;
		}
	}
	return 0;
}

/*
 * Has the pages of a group's host buffers be there. To fault one may take as long
 * as user space likes, where it serves its own faults: nothing is held meanwhile.
 */
static void xfer_fault_in(const struct xfer *x, unsigned int bank,
			  unsigned int words)
{
	unsigned int flags = x->from_mram ? FOLL_WRITE : 0;
	unsigned long mask = xfer_group_mask(x, bank);
	unsigned int lane, i;

	for_each_set_bit(lane, &mask, PIMDIMM_CHIPS) {
		u64 addr = xfer_addr(x, bank, lane, 0);
		unsigned int count = xfer_page_count(addr, words);
		struct page *page;

		for (i = 0; i < count; i++, addr += PAGE_SIZE) {
			if (get_user_pages_fast(addr, 1, flags, &page) != 1)
				return;
			put_page(page);
		}
	}
}

/* Whether all host buffers of a group can be held at all. */
static bool xfer_may_hold(const struct xfer *x, unsigned int bank,
			  unsigned int words)
{
	unsigned long mask = xfer_group_mask(x, bank);
	unsigned int lane;

	for_each_set_bit(lane, &mask, PIMDIMM_CHIPS) {
		u64 addr = xfer_addr(x, bank, lane, 0);

		if (addr != (uintptr_t)addr ||
		    !IS_ALIGNED(addr, PIMDIMM_WORD_BYTES))
			return false;
	}
	return words >= XFER_PIECE;
}

/**
 * pimdimm_xfer_hold() - hold the host buffers of a group, or leave them to be copied
 * @x: the call
 * @bank: the group
 * @words: how many of each buffer, from the first of the slice on
 *
 * Context: may sleep and fault.
 * Return: whether they are held, for pimdimm_xfer_release().
 */
bool pimdimm_xfer_hold(struct xfer *x, unsigned int bank, unsigned int words)
{
	int err;

	if (!xfer_may_hold(x, bank, words))
		return false;
	err = xfer_hold_lanes(x, bank, words);
	if (err == -EFAULT) {
		xfer_fault_in(x, bank, words);
		err = xfer_hold_lanes(x, bank, words);
	}
	return !err;
}
