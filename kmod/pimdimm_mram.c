// SPDX-License-Identifier: GPL-2.0-only
/*
 * MRAM: one shmem file for each owner of a rank. That makes it lazy, swappable,
 * charged to whoever touches it, capable of huge pages and usable by
 * get_user_pages, all without a fault handler of our own.
 */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/xarray.h>

#include "compat.h"
#include "pimdimm.h"

/* The largest window there can be ends where the PE view begins. */
static_assert(0x100000ULL * (PIMDIMM_MRAM_MAX / 0x2000) <= PIMDIMM_MMAP_PE &&
	      1ULL * PIMDIMM_RANK_PES * PIMDIMM_MRAM_MAX <= PIMDIMM_MMAP_PE);

/**
 * pimdimm_mram_create() - make the MRAM of a new owner, all zero
 * @rank: the rank
 *
 * Return: the file, or an ERR_PTR.
 */
struct file *pimdimm_mram_create(const struct pimdimm_rank *rank)
{
	struct file *mram;
	char name[32];

	snprintf(name, sizeof(name), "dev/pimdimm%u", rank->index);
	mram = shmem_file_setup(name, rank->sys->window_size,
				PIMDIMM_SHMEM_NORESERVE);
	/* shmem says so when it finds no memory for an inode */
	if (mram == ERR_PTR(-ENOSPC))
		return ERR_PTR(-ENOMEM);
	if (IS_ERR(mram))
		return mram;

	/* root reaches this file by /proc/PID/map_files, and could resize it */
	SHMEM_I(file_inode(mram))->seals |= F_SEAL_SHRINK | F_SEAL_GROW;
	return mram;
}

/**
 * pimdimm_mram_map() - map the window, or a part of it
 * @mram: the rank's MRAM
 * @window_size: its size
 * @vma: the mapping, of the device
 *
 * From here on the mapping is of @mram and lives as long as it likes, after
 * the node and the module too.
 *
 * Context: mmap_lock held; takes no lock of ours.
 * Return: 0 or a negative errno.
 */
int pimdimm_mram_map(struct file *mram, u64 window_size,
		     struct vm_area_struct *vma)
{
	pgoff_t pages = window_size >> PAGE_SHIFT;

	/* not VM_SHARED, which a descriptor open for reading alone clears */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_pgoff > pages || vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;

	/* gigabytes of window have no place in a core dump */
	pimdimm_vm_flags_set(vma, VM_DONTDUMP);
	vma_set_file(vma, mram);
	return pimdimm_call_mmap(mram, vma);
}

/**
 * pimdimm_mram_page() - look up a page of the window
 * @mram: the rank's MRAM
 * @index: the page
 * @allocate: whether a hole is to be filled; else it is left alone
 *
 * Context: may sleep, and swaps in.
 * Return: the page with a reference, NULL for a hole, which reads as zero, or
 * an ERR_PTR.
 */
struct page *pimdimm_mram_page(struct file *mram, pgoff_t index, bool allocate)
{
	struct address_space *mapping = mram->f_mapping;
	gfp_t gfp = mapping_gfp_mask(mapping);

	if (!allocate && !xa_load(&mapping->i_pages, index))
		return NULL;
	/*
	 * A call can say -ENOMEM, so it needs no OOM killer. The mapping's own
	 * mask must not get this flag: a page fault would then be tried again
	 * for ever.
	 */
	return shmem_read_mapping_page_gfp(mapping, index, gfp |
					   __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

/**
 * pimdimm_mram_reset() - zero the window and give its pages back
 * @mram: the rank's MRAM
 * @window_size: its size
 *
 * Mappings stay valid. A transfer or a store at the same time comes, page by
 * page, before or after the reset.
 */
void pimdimm_mram_reset(struct file *mram, u64 window_size)
{
	/* all at once, which is cheaper than page by page in the truncation */
	unmap_mapping_range(mram->f_mapping, 0, window_size, 0);
	/*
	 * With -1 for the end it would start over until it finds no page, and
	 * a thread that keeps touching pages could hold it there for ever.
	 */
	shmem_truncate_range(file_inode(mram), 0, window_size - 1);
}

/**
 * pimdimm_mram_allocated() - tell how much of the window has pages
 * @mram: the rank's MRAM
 *
 * Return: bytes in memory or in swap.
 */
u64 pimdimm_mram_allocated(struct file *mram)
{
	return (u64)READ_ONCE(file_inode(mram)->i_blocks) << 9;
}
