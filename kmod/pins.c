// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of MRAM that dma-bufs hold, and what must not be done to them meanwhile.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/shmem_fs.h>

#include "kmod/pimdimm.h"

#define to_pin(rb)	rb_entry(rb, struct pimdimm_pin, node)

/* By the first page, and of those that begin together the longest first. */
static bool pin_less(struct rb_node *a, const struct rb_node *b)
{
	if (to_pin(a)->first != to_pin(b)->first)
		return to_pin(a)->first < to_pin(b)->first;
	return to_pin(a)->count > to_pin(b)->count;
}

/**
 * pimdimm_mram_pin() - keep out what cannot be while pages are pinned
 * @mram: MRAM
 * @pin: the pages
 *
 * Until pimdimm_mram_unpin(), pimdimm_mram_deny_pins() is refused. It pins no
 * page by itself.
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY while pins are denied.
 */
int pimdimm_mram_pin(struct pimdimm_mram *mram, struct pimdimm_pin *pin)
{
	if (!atomic_inc_unless_negative(&mram->pins))
		return -EBUSY;
	mutex_lock(&mram->lock);
	rb_add(&pin->node, &mram->pin_tree, pin_less);
	mutex_unlock(&mram->lock);
	return 0;
}

/**
 * pimdimm_mram_unpin() - take back pimdimm_mram_pin()
 * @mram: MRAM
 * @pin: the pages
 */
void pimdimm_mram_unpin(struct pimdimm_mram *mram, struct pimdimm_pin *pin)
{
	mutex_lock(&mram->lock);
	rb_erase(&pin->node, &mram->pin_tree);
	mutex_unlock(&mram->lock);
	atomic_dec(&mram->pins);
}

/**
 * pimdimm_mram_deny_pins() - begin what cannot be while pages are pinned
 * @mram: MRAM
 *
 * Until pimdimm_mram_allow_pins(), pimdimm_mram_pin() is refused. Any number
 * may deny pins at a time.
 *
 * Context: any.
 * Return: 0, or -EBUSY while there are pins.
 */
int pimdimm_mram_deny_pins(struct pimdimm_mram *mram)
{
	return atomic_dec_unless_positive(&mram->pins) ? 0 : -EBUSY;
}

/**
 * pimdimm_mram_allow_pins() - take back pimdimm_mram_deny_pins()
 * @mram: MRAM
 */
void pimdimm_mram_allow_pins(struct pimdimm_mram *mram)
{
	atomic_inc(&mram->pins);
}

/* The first pin that begins at page @from or after it: which pages these are. */
static bool pins_next(struct pimdimm_mram *mram, pgoff_t from, pgoff_t *first,
		      pgoff_t *end)
{
	struct pimdimm_pin *found = NULL;
	struct rb_node *node;

	mutex_lock(&mram->lock);
	node = mram->pin_tree.rb_node;
	while (node) {
		if (to_pin(node)->first >= from) {
			found = to_pin(node);
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (found) {
		*first = found->first;
		*end = found->first + found->count;
	}
	mutex_unlock(&mram->lock);
	return found;
}

/**
 * pimdimm_mram_clear_unpinned() - zero the window but for what is pinned
 * @mram: the rank's MRAM
 * @window_size: its size
 *
 * As pimdimm_mram_reset(), around the pages that dma-bufs hold. What is pinned
 * while it runs may be taken from MRAM.
 *
 * Context: may sleep.
 */
void pimdimm_mram_clear_unpinned(struct pimdimm_mram *mram, u64 window_size)
{
	const pgoff_t pages = window_size >> PAGE_SHIFT;
	struct inode *inode = file_inode(mram->file);
	pgoff_t done = 0, from = 0, first, end;

	unmap_mapping_range(mram->file->f_mapping, 0, window_size, 0);
	while (done < pages) {
		if (!pins_next(mram, from, &first, &end)) {
			first = pages;
			end = pages;
		}
		if (first > done)
			shmem_truncate_range(inode, (loff_t)done << PAGE_SHIFT,
					     ((loff_t)first << PAGE_SHIFT) - 1);
		done = max(done, end);
		from = first + 1;
		cond_resched();
	}
}
