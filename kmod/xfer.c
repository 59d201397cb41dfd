// SPDX-License-Identifier: GPL-2.0-only
/*
 * PIMDIMM_IOC_XFER: bytes between host buffers and the MRAM of PEs.
 *
 * A transfer advances by slices: the same few words of every selected PE, one
 * entangled group after another. So it can stop after any slice and tell how
 * far all PEs have come.
 *
 * Words go straight between MRAM and a host buffer's own pages where these are
 * anonymous memory, which are held for that slice of that group and no longer:
 * while they are, no user memory is faulted in, which may take for ever.
 * All other user memory is copied to and from a bounce buffer, with no lock and
 * no page held: it may fault, may be this very MRAM, may be a file's, which
 * wants to know of writes, and a copy that fails half-way clobbers nothing. So
 * whatever is wrong with a buffer, it is the copy that finds out.
 */
#include <linux/bitops.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/args.h"
#include "kmod/transpose.h"
#include "kmod/xfer.h"

/* A cache line between lanes, which else would all have the same place in caches. */
#define XFER_GAP	8

/* Where the bounce buffer has words of a lane from word @first of the slice on. */
static u64 *xfer_bounce(struct xfer *x, unsigned int lane, unsigned int first)
{
	return &x->bounce[lane * x->pitch + first % x->piece];
}

/* How many of @count words share a page with the first, in every host buffer. */
static unsigned int xfer_reach(const struct xfer *x, unsigned int first,
			       unsigned int count)
{
	unsigned int lane;

	for (lane = 0; lane < PIMDIMM_CHIPS; lane++) {
		unsigned int at = x->at[lane] / PIMDIMM_WORD_BYTES + first;

		if (x->held[lane])
			count = min(count, XFER_PIECE - at % XFER_PIECE);
	}
	return count;
}

/* Maps the words of all lanes from word @first of the slice on. */
static void xfer_map(struct xfer *x, unsigned int first,
		     u64 *lanes[PIMDIMM_CHIPS])
{
	unsigned int lane;

	for (lane = 0; lane < PIMDIMM_CHIPS; lane++) {
		unsigned int at = x->at[lane] + first * PIMDIMM_WORD_BYTES;
		struct page **pages = x->held[lane];

		if (pages)
			lanes[lane] = kmap_local_page(pages[at >> PAGE_SHIFT]) +
				      offset_in_page(at);
		else	/* beside lanes that are held, it takes what nobody wants */
			lanes[lane] = xfer_bounce(x, lane,
						  x->nr_pages ? 0 : first);
	}
}

static void xfer_unmap(struct xfer *x, u64 *lanes[PIMDIMM_CHIPS])
{
	unsigned int lane = PIMDIMM_CHIPS;

	/* the last one mapped goes first */
	while (lane--)
		if (x->held[lane])
			kunmap_local(lanes[lane]);
}

/* Stores or loads blocks that lie in one mapped page. */
static void xfer_blocks(struct xfer *x, void *blocks, unsigned int mask,
			u64 *lanes[PIMDIMM_CHIPS], unsigned int count)
{
	size_t stride = 1 << x->shift;

	if (x->from_mram)
		pimdimm_dt_load(lanes, blocks, stride, count);
	else if (mask == 0xff)
		pimdimm_dt_store(blocks, stride, lanes, count);
	else
		pimdimm_store_lanes(blocks, stride, lanes, count, mask);
}

static void xfer_hole(u64 *lanes[PIMDIMM_CHIPS], unsigned int count)
{
	unsigned int lane;

	for (lane = 0; lane < PIMDIMM_CHIPS; lane++)
		memset(lanes[lane], 0, count * PIMDIMM_WORD_BYTES);
}

/* Does so with blocks at @offset of a page of MRAM, or a hole. */
static void xfer_page(struct xfer *x, unsigned int bank, struct page *page,
		      unsigned int offset, u64 *lanes[PIMDIMM_CHIPS],
		      unsigned int count)
{
	void *map;

	if (!page) {
		xfer_hole(lanes, count);
		return;
	}
	flush_dcache_page(page);
	map = kmap_local_page(page);
	xfer_blocks(x, map + offset, xfer_group_mask(x, bank), lanes, count);
	kunmap_local(map);
}

/* Does so with evenly spaced blocks from @offset of the first page of MRAM on. */
static void xfer_pages(struct xfer *x, unsigned int bank, unsigned int offset,
		       u64 *const lanes[PIMDIMM_CHIPS], unsigned int count)
{
	const unsigned int in_page = PAGE_SIZE >> x->shift;
	struct page **page = x->mram_pages;
	unsigned int done = 0;

	while (done < count) {
		unsigned int here = min(count - done,
					in_page - (offset >> x->shift));
		u64 *words[PIMDIMM_CHIPS];
		unsigned int lane;

		for (lane = 0; lane < PIMDIMM_CHIPS; lane++)
			words[lane] = lanes[lane] + done;
		xfer_page(x, bank, *page++, offset, words, here);
		offset = offset_in_page(offset + (here << x->shift));
		done += here;
	}
}

/*
 * Moves, of @words words of a group from word @first of the slice on, those
 * whose blocks are evenly spaced and that share a page in each host buffer.
 * Returns how many these were.
 */
static int xfer_chunk(struct xfer *x, unsigned int bank, unsigned int first,
		      unsigned int words)
{
	u64 word = x->word + first;
	u64 at = pimdimm_layout_offset(x->sys->layout, x->sys->mram_size, bank,
				       word);
	u64 run = pimdimm_layout_run(x->sys->layout, x->sys->mram_size, word);
	unsigned int count, end, pages;
	u64 *lanes[PIMDIMM_CHIPS];
	int err;

	count = min3((u64)words, run, (u64)XFER_PIECE);
	count = xfer_reach(x, first, count);
	/* where the last block ends: no page beyond it is allocated */
	end = offset_in_page(at) + ((count - 1) << x->shift) +
	      PIMDIMM_BLOCK_BYTES;
	pages = DIV_ROUND_UP(end, PAGE_SIZE);
	err = pimdimm_mram_pages(x->mram, at >> PAGE_SHIFT, pages,
				 !x->from_mram, x->mram_pages);
	if (err)
		return err;
	xfer_map(x, first, lanes);
	xfer_pages(x, bank, offset_in_page(at), lanes, count);
	xfer_unmap(x, lanes);
	pimdimm_mram_put_pages(x->mram_pages, pages, !x->from_mram);
	return count;
}

/*
 * The MRAM half of a group's @words words from word @first of the slice on, as
 * long as it is the host's to touch.
 */
static int xfer_mram(struct xfer *x, unsigned int bank, unsigned int first,
		     unsigned int words)
{
	unsigned int end = first + words;
	int count;

	count = pimdimm_view_enter(x->mram->view);
	if (count)
		return count;
	while (first < end && count >= 0) {
		count = xfer_chunk(x, bank, first, end - first);
		first += count;
	}
	pimdimm_view_leave(x->mram->view);
	return min(count, 0);
}

/*
 * The host half of a piece of a group. Returns how many words all of its
 * selected PEs have, fewer than @words where a buffer is bad.
 */
static unsigned int xfer_copy(struct xfer *x, unsigned int bank,
			      unsigned int first, unsigned int words)
{
	unsigned long mask = xfer_group_mask(x, bank);
	unsigned int lane;

	for_each_set_bit(lane, &mask, PIMDIMM_CHIPS) {
		u64 addr = xfer_addr(x, bank, lane, first);
		size_t bytes = words * PIMDIMM_WORD_BYTES;
		u64 *data = xfer_bounce(x, lane, first);
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
 * Moves a piece of one group through the bounce buffer. Returns how many words
 * are complete, or a negative errno if none is.
 */
static int xfer_piece(struct xfer *x, unsigned int bank, unsigned int first,
		      unsigned int words)
{
	int err;

	if (x->from_mram) {
		err = xfer_mram(x, bank, first, words);
		if (err)
			return err;
		words = xfer_copy(x, bank, first, words);
	} else {
		words = xfer_copy(x, bank, first, words);
		err = xfer_mram(x, bank, first, words);
		if (err)
			return err;
	}
	if (!words)
		return -EFAULT;
	return words;
}

/* Moves a slice of one group, piece by piece; returns as xfer_piece() does. */
static int xfer_pieces(struct xfer *x, unsigned int bank, unsigned int words)
{
	unsigned int first = 0;

	while (first < words) {
		unsigned int piece = min(words - first, x->piece);
		int ret = xfer_piece(x, bank, first, piece);

		if (ret < 0)
			return first ?: ret;
		first += ret;
		if (ret < piece)
			break;
	}
	return first;
}

/* Moves a slice of one group; returns as xfer_piece() does. */
static int xfer_group(struct xfer *x, unsigned int bank, unsigned int words)
{
	int err;

	if (fatal_signal_pending(current))
		return -EINTR;
	if (!pimdimm_xfer_hold(x, bank, words))
		return xfer_pieces(x, bank, words);
	err = xfer_mram(x, bank, 0, words);
	pimdimm_xfer_release(x, true);
	return err ?: words;
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
		unsigned int words = min_t(u64, left, XFER_SLICE);
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
	unsigned int piece = min_t(u64, arg->bytes / PIMDIMM_WORD_BYTES,
				   XFER_PIECE);
	unsigned int pitch = piece + XFER_GAP;
	struct xfer *x;

	x = kvmalloc(struct_size(x, bounce, PIMDIMM_CHIPS * pitch),
		     GFP_KERNEL_ACCOUNT);
	if (!x)
		return NULL;
	x->sys = rank->sys;
	x->mram = rank->mram;
	x->from_mram = arg->flags & PIMDIMM_XFER_FROM_MRAM;
	x->mask = arg->pe_mask;
	x->word = arg->offset / PIMDIMM_WORD_BYTES;
	x->done = 0;
	x->nr_pages = 0;
	memset(x->held, 0, sizeof(x->held));
	memset(x->at, 0, sizeof(x->at));
	x->shift = ilog2(pimdimm_layout_stride(rank->sys->layout));
	x->piece = piece;
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
