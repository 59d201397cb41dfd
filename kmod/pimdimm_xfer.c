// SPDX-License-Identifier: GPL-2.0-only
/*
 * PIMDIMM_IOC_XFER: bytes between host buffers and the MRAM of PEs.
 *
 * A transfer advances by slices: the same few words of every selected PE, one
 * entangled group after another. So it can stop after any slice and tell how
 * far all PEs have come. User memory is copied to and from a bounce buffer
 * alone, with no lock and no page held: it may fault, may be this very MRAM,
 * and a copy that fails half-way clobbers nothing.
 */
#include <linux/bitops.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "pimdimm.h"
#include "pimdimm_args.h"
#include "pimdimm_transpose.h"

/*
 * A page of each PE's, so that a copy touches no more than one of a host buffer
 * that begins at a page.
 */
#define XFER_SLICE	(PAGE_SIZE / PIMDIMM_WORD_BYTES)

/* A cache line between lanes, which else would all have the same place in caches. */
#define XFER_GAP	8

/**
 * struct xfer - a call under way
 * @sys: the rank's geometry
 * @mram: the rank's MRAM
 * @from_mram: the direction
 * @mask: the selected PEs
 * @word: first word of the slice in each PE's MRAM
 * @done: bytes of each PE in the slices before it
 * @addr: each selected PE's host buffer
 * @slice: words of a slice
 * @pitch: words from one lane to the next
 * @lanes: the bounce buffer: a slice of the eight PEs of a group
 */
struct xfer {
	const struct pimdimm_system *sys;
	struct pimdimm_mram *mram;
	bool from_mram;
	u64 mask;
	u64 word;
	u64 done;
	u64 addr[PIMDIMM_RANK_PES];
	unsigned int slice;
	unsigned int pitch;
	u64 lanes[];
};

/* Where the words of a lane are from word @first of the slice on. */
static u64 *xfer_lane(struct xfer *x, unsigned int lane, unsigned int first)
{
	return &x->lanes[lane * x->pitch + first];
}

static unsigned int xfer_group_mask(const struct xfer *x, unsigned int bank)
{
	return (x->mask >> (bank * PIMDIMM_CHIPS)) & 0xff;
}

/* Stores or loads the blocks of a slice that lie in one mapped page. */
static void xfer_blocks(struct xfer *x, void *blocks, unsigned int mask,
			unsigned int first, unsigned int count)
{
	u64 stride = pimdimm_layout_stride(x->sys->layout);
	u64 *lanes = xfer_lane(x, 0, first);

	if (x->from_mram)
		pimdimm_dt_load(lanes, x->pitch, blocks, stride, count);
	else if (mask == 0xff)
		pimdimm_dt_store(blocks, stride, lanes, x->pitch, count);
	else
		pimdimm_store_lanes(blocks, stride, lanes, x->pitch, count,
				    mask);
}

static void xfer_hole(struct xfer *x, unsigned int first, unsigned int count)
{
	unsigned int lane;

	for (lane = 0; lane < PIMDIMM_CHIPS; lane++)
		memset(xfer_lane(x, lane, first), 0,
		       count * PIMDIMM_WORD_BYTES);
}

/*
 * Moves, of @words words of a group from word @first of the slice on, those
 * that share a page with the first one. Returns how many these were.
 */
static int xfer_page(struct xfer *x, unsigned int bank, unsigned int first,
		     unsigned int words)
{
	u64 word = x->word + first;
	u64 offset = pimdimm_layout_offset(x->sys->layout, x->sys->mram_size,
					   bank, word);
	u64 run = pimdimm_layout_run(x->sys->layout, x->sys->mram_size, word);
	u64 in_page = DIV_ROUND_UP((u32)(PAGE_SIZE - offset_in_page(offset)),
				   (u32)pimdimm_layout_stride(x->sys->layout));
	unsigned int count = min3((u64)words, run, in_page);
	struct page *page;
	void *map;

	page = pimdimm_mram_page(x->mram, offset >> PAGE_SHIFT, !x->from_mram);
	if (IS_ERR(page))
		return PTR_ERR(page);
	if (!page) {
		xfer_hole(x, first, count);
		return count;
	}

	flush_dcache_page(page);
	map = kmap_local_page(page);
	xfer_blocks(x, map + offset_in_page(offset), xfer_group_mask(x, bank),
		    first, count);
	kunmap_local(map);
	if (!x->from_mram) {
		flush_dcache_page(page);
		folio_mark_dirty(page_folio(page));
	}
	put_page(page);
	return count;
}

/* The MRAM half of a slice of one group, as long as it is the host's to touch. */
static int xfer_mram(struct xfer *x, unsigned int bank, unsigned int words)
{
	unsigned int first = 0;
	int count;

	count = pimdimm_view_enter(x->mram->view);
	if (count)
		return count;
	while (first < words && count >= 0) {
		count = xfer_page(x, bank, first, words - first);
		first += count;
	}
	pimdimm_view_leave(x->mram->view);
	return min(count, 0);
}

/*
 * The host half of a slice of one group. Returns how many words all of its
 * selected PEs have, fewer than @words where a buffer is bad.
 */
static unsigned int xfer_host(struct xfer *x, unsigned int bank,
			      unsigned int words)
{
	unsigned long mask = xfer_group_mask(x, bank);
	unsigned int lane;

	for_each_set_bit(lane, &mask, PIMDIMM_CHIPS) {
		u64 addr = x->addr[bank * PIMDIMM_CHIPS + lane] + x->done;
		size_t bytes = words * PIMDIMM_WORD_BYTES;
		u64 *data = xfer_lane(x, lane, 0);
		size_t left;

		/* a 32-bit kernel must not take the low half for an address */
		if (addr != (uintptr_t)addr)
			return 0;
		if (x->from_mram)
			left = copy_to_user(u64_to_user_ptr(addr), data,
					    bytes);
		else
			left = copy_from_user(data, u64_to_user_ptr(addr),
					      bytes);
		words = (bytes - left) / PIMDIMM_WORD_BYTES;
		if (!words)
			break;
	}
	return words;
}

/*
 * Moves a slice of one group. Returns how many words are complete, or a
 * negative errno if none is.
 */
static int xfer_group(struct xfer *x, unsigned int bank, unsigned int words)
{
	int ret;

	if (fatal_signal_pending(current))
		return -EINTR;
	if (x->from_mram) {
		ret = xfer_mram(x, bank, words);
		if (ret)
			return ret;
		words = xfer_host(x, bank, words);
	} else {
		words = xfer_host(x, bank, words);
		ret = xfer_mram(x, bank, words);
		if (ret)
			return ret;
	}
	if (!words)
		return -EFAULT;
	return words;
}

/* Moves a slice of all groups; returns as xfer_group() does. */
static int xfer_slice(struct xfer *x, unsigned int words)
{
	unsigned int bank;
	int ret = words;

	for (bank = 0; bank < PIMDIMM_BANKS && ret > 0; bank++) {
		if (!xfer_group_mask(x, bank))
			continue;
		/* a group that comes short shortens the slice for the others */
		ret = xfer_group(x, bank, ret);
		cond_resched();
	}
	return ret;
}

/* Moves @bytes of each PE. Returns 0 if any word is complete, see x->done. */
static int xfer_run(struct xfer *x, u64 bytes)
{
	while (x->done < bytes) {
		u64 left = (bytes - x->done) / PIMDIMM_WORD_BYTES;
		unsigned int words = min_t(u64, left, x->slice);
		int ret = xfer_slice(x, words);

		if (ret < 0)
			return x->done ? 0 : ret;
		x->word += ret;
		x->done += ret * PIMDIMM_WORD_BYTES;
		/* not before the first slice: so each call gets somewhere */
		if (ret < words || signal_pending(current))
			break;
	}
	return 0;
}

/* Fills in where each PE's host buffer is. */
static int xfer_addresses(struct xfer *x, const struct pimdimm_xfer *arg)
{
	unsigned int pe;

	if (arg->flags & PIMDIMM_XFER_STRIDED) {
		for (pe = 0; pe < PIMDIMM_RANK_PES; pe++)
			x->addr[pe] = arg->addrs + arg->stride * pe;
		return 0;
	}
	if (arg->addrs != (uintptr_t)arg->addrs)
		return -EFAULT;
	if (copy_from_user(x->addr, u64_to_user_ptr(arg->addrs),
			   sizeof(x->addr)))
		return -EFAULT;
	return 0;
}

static void xfer_count(struct pimdimm_rank *rank, const struct xfer *x)
{
	struct pimdimm_traffic *traffic = x->from_mram ? &rank->from_mram :
							 &rank->to_mram;

	if (!x->done)
		return;
	atomic64_inc(&traffic->transfers);
	atomic64_add(x->done * hweight64(x->mask), &traffic->bytes);
}

/* Small transfers take little: the kernel may clear what it allocates. */
static struct xfer *xfer_create(struct pimdimm_rank *rank,
				const struct pimdimm_xfer *arg)
{
	unsigned int slice = min_t(u64, arg->bytes / PIMDIMM_WORD_BYTES,
				   XFER_SLICE);
	unsigned int pitch = slice + XFER_GAP;
	struct xfer *x;

	x = kvmalloc(struct_size(x, lanes, PIMDIMM_CHIPS * pitch),
		     GFP_KERNEL_ACCOUNT);
	if (!x)
		return NULL;
	x->sys = rank->sys;
	x->mram = rank->mram;
	x->from_mram = arg->flags & PIMDIMM_XFER_FROM_MRAM;
	x->mask = arg->pe_mask;
	x->word = arg->offset / PIMDIMM_WORD_BYTES;
	x->done = 0;
	x->slice = slice;
	x->pitch = pitch;
	return x;
}

/**
 * pimdimm_xfer() - move bytes between host buffers and PEs
 * @rank: the rank, open
 * @arg: the call's arguments; its out_bytes is written
 *
 * Context: may sleep and fault; no lock held. Any number at a time in a rank.
 * Return: 0 or a negative errno, as <linux/pimdimm.h> says.
 */
int pimdimm_xfer(struct pimdimm_rank *rank, struct pimdimm_xfer *arg)
{
	struct pimdimm_fate fate;
	struct xfer *x;
	int err;

	err = pimdimm_check_xfer(arg, rank->sys->mram_size);
	if (err)
		return err;
	arg->out_bytes = arg->bytes;
	if (!arg->pe_mask || !arg->bytes)
		return 0;
	/* before any of the caller's memory is looked at */
	err = pimdimm_view_enter(rank->mram->view);
	if (err)
		return err;
	pimdimm_view_leave(rank->mram->view);

	x = xfer_create(rank, arg);
	if (!x)
		return -ENOMEM;
	err = xfer_addresses(x, arg);
	if (!err)
		err = pimdimm_inject_begin(rank, arg, &fate);
	if (!err)
		err = xfer_run(x, arg->bytes);
	if (!err)
		err = pimdimm_inject_end(rank, arg, x->done, &fate);
	arg->out_bytes = x->done;
	xfer_count(rank, x);
	kvfree(x);
	return err;
}
