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
#include <linux/pagevec.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/swap.h>
#include <linux/xarray.h>

#include "kmod/compat.h"
#include "kmod/pimdimm.h"

/* How often pages that the kernel moves about are looked for, a tick apart. */
#define MRAM_PIN_TRIES	10

/* The largest window there can be ends where the PE view begins. */
static_assert(0x100000ULL * (PIMDIMM_MRAM_MAX / 0x2000) <= PIMDIMM_MMAP_PE &&
	      1ULL * PIMDIMM_RANK_PES * PIMDIMM_MRAM_MAX <= PIMDIMM_MMAP_PE);

static struct file *mram_file_create(const struct pimdimm_rank *rank)
{
	struct file *file;
	char name[32];

	snprintf(name, sizeof(name), "dev/pimdimm%u:pe", rank->index);
	file = pimdimm_huge_file(name, rank->sys->window_size);
	/* shmem says so when it finds no memory for an inode */
	if (file == ERR_PTR(-ENOSPC))
		return ERR_PTR(-ENOMEM);
	if (IS_ERR(file))
		return file;

	/*
	 * Root reaches this file by /proc/PID/map_files, and could resize it.
	 * What seals a memfd is not there for modules.
	 */
	SHMEM_I(file_inode(file))->seals |= F_SEAL_SHRINK | F_SEAL_GROW;
	/*
	 * Not from memory that is to stay movable: what is exported would have
	 * to be moved out of it. Only new pages obey; where the kernel copies
	 * them to, collapsing or migrating them, it decides by masks of its own.
	 */
	mapping_set_gfp_mask(file->f_mapping, GFP_HIGHUSER);
	return file;
}

/**
 * pimdimm_mram_create() - make the MRAM of a new owner, all zero
 * @rank: the rank
 *
 * It has no views yet: pimdimm_view_create() makes them.
 *
 * Return: MRAM with one reference, or an ERR_PTR.
 */
struct pimdimm_mram *pimdimm_mram_create(const struct pimdimm_rank *rank)
{
	struct pimdimm_mram *mram;

	mram = kzalloc(sizeof(*mram), GFP_KERNEL_ACCOUNT);
	if (!mram)
		return ERR_PTR(-ENOMEM);
	kref_init(&mram->refs);
	mutex_init(&mram->lock);
	mram->pin_tree = RB_ROOT;
	mram->file = mram_file_create(rank);
	if (IS_ERR(mram->file)) {
		void *err = ERR_CAST(mram->file);

		kfree(mram);
		return err;
	}
	return mram;
}

static void mram_release(struct kref *refs)
{
	struct pimdimm_mram *mram =
		container_of(refs, struct pimdimm_mram, refs);

	if (mram->host)
		fput(mram->host);
	fput(mram->file);
	kfree(mram);
}

/**
 * pimdimm_mram_put() - drop a reference
 * @mram: MRAM; mappings of its file may outlive it
 */
void pimdimm_mram_put(struct pimdimm_mram *mram)
{
	kref_put(&mram->refs, mram_release);
}

/**
 * pimdimm_mram_set_unevictable() - have reclaim leave the MRAM alone
 * @mram: MRAM
 *
 * Context: may sleep.
 */
void pimdimm_mram_set_unevictable(struct pimdimm_mram *mram)
{
	mutex_lock(&mram->lock);
	if (!mram->unevictable++)
		mapping_set_unevictable(mram->file->f_mapping);
	mutex_unlock(&mram->lock);
}

/* Back to where reclaim finds them, those that it has put aside. */
static void mram_rescue(struct address_space *mapping)
{
	struct folio_batch batch;
	pgoff_t index = 0;

	folio_batch_init(&batch);
	while (!mapping_unevictable(mapping) &&
	       filemap_get_folios(mapping, &index, ULONG_MAX, &batch)) {
		check_move_unevictable_folios(&batch);
		folio_batch_release(&batch);
		cond_resched();
	}
}

/**
 * pimdimm_mram_clear_unevictable() - take back pimdimm_mram_set_unevictable()
 * @mram: MRAM
 *
 * Context: may sleep.
 */
void pimdimm_mram_clear_unevictable(struct pimdimm_mram *mram)
{
	bool last;

	mutex_lock(&mram->lock);
	last = !--mram->unevictable;
	if (last)
		mapping_clear_unevictable(mram->file->f_mapping);
	mutex_unlock(&mram->lock);
	if (last)
		mram_rescue(mram->file->f_mapping);
}

/**
 * pimdimm_mram_map_file() - map the window, or a part of it
 * @file: a file of MRAM
 * @window_size: its size
 * @vma: the mapping, of the device
 *
 * From here on the mapping is of @file and lives as long as it likes, after the
 * node and the module too.
 *
 * Context: mmap_lock held; takes no lock of ours.
 * Return: 0 or a negative errno.
 */
int pimdimm_mram_map_file(struct file *file, u64 window_size,
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
	vma_set_file(vma, file);
	return pimdimm_call_mmap(file, vma);
}

/*
 * Puts a folio's pages where they belong, for a reference each; returns how many
 * these are. Where there is one already it stays: between the two the range was
 * emptied and filled anew.
 */
static unsigned int mram_spread(struct folio *folio, pgoff_t first, pgoff_t end,
				struct page **pages)
{
	pgoff_t index = max(first, folio->index);
	unsigned int used = 0;

	end = min(end, folio->index + folio_nr_pages(folio));
	for (; index < end && folio_test_uptodate(folio); index++) {
		struct page *page = folio_file_page(folio, index);

		if (pages[index - first] || PageHWPoison(page))
			continue;
		pages[index - first] = page;
		used++;
	}
	return used;
}

/*
 * The same of a folio that will be written. Collapse and migration lock a folio,
 * look whether anybody else has a reference, copy it and put the copy into its
 * place: what is written meanwhile by a reference taken after their look is lost.
 * A reference that is there while we hold the lock makes them give up, or they
 * were before us and the folio is the file's no more.
 */
static unsigned int mram_spread_locked(struct address_space *mapping,
				       struct folio *folio, pgoff_t first,
				       pgoff_t end, struct page **pages)
{
	unsigned int used = 0;

	if (!folio_trylock(folio))
		return 0;
	if (folio->mapping == mapping)
		used = mram_spread(folio, first, end, pages);
	folio_unlock(folio);
	return used;
}

/*
 * Pages that need nothing done to them: none of shmem's layers, and no lock that
 * has to be waited for. To read needs none at all: whatever takes a folio's place
 * meanwhile, it has the bytes of the moment when the folio was found.
 */
static void mram_pages_ready(struct address_space *mapping, pgoff_t first,
			     unsigned int count, bool write,
			     struct page **pages)
{
	pgoff_t next = first, end = first + count;
	struct folio_batch batch;
	unsigned int i, used;

	memset(pages, 0, count * sizeof(*pages));
	while (next < end) {
		folio_batch_init(&batch);
		filemap_get_folios(mapping, &next, end - 1, &batch);
		for (i = 0; i < folio_batch_count(&batch); i++) {
			struct folio *folio = batch.folios[i];

			used = write ? mram_spread_locked(mapping, folio, first,
							  end, pages) :
				       mram_spread(folio, first, end, pages);
			if (used)
				folio_ref_add(folio, used - 1);
			else
				folio_put(folio);
		}
	}
}

/*
 * A page that may have to be allocated, or swapped in, or waited for. Its folio
 * was locked, and the file's, after the reference was taken.
 */
static struct page *mram_page_read(struct address_space *mapping, pgoff_t index,
				   bool write)
{
	gfp_t gfp = mapping_gfp_mask(mapping);
	struct page *page;

	if (!write && !xa_load(&mapping->i_pages, index))
		return NULL;
	/*
	 * A call can say -ENOMEM, so it needs no OOM killer. The mapping's own
	 * mask must not get this flag: a page fault would then be tried again
	 * for ever.
	 */
	page = shmem_read_mapping_page_gfp(mapping, index, gfp |
					   __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	/* what shmem calls memory that may not be committed to */
	if (page == ERR_PTR(-ENOSPC))
		return ERR_PTR(-ENOMEM);
	return page;
}

/**
 * pimdimm_mram_pages() - look up pages of the window
 * @mram: the rank's MRAM
 * @first: the first page
 * @count: how many
 * @write: whether they will be written: holes are filled, else left alone, and no
 *         page is replaced while its reference lasts
 * @pages: where the pages go, each with a reference, or NULL for a hole, which
 *         reads as zero
 *
 * Context: may sleep, and swaps in.
 * Return: 0, or a negative errno and no reference.
 */
int pimdimm_mram_pages(struct pimdimm_mram *mram, pgoff_t first,
		       unsigned int count, bool write, struct page **pages)
{
	struct address_space *mapping = mram->file->f_mapping;
	unsigned int i;

	mram_pages_ready(mapping, first, count, write, pages);
	for (i = 0; i < count; i++) {
		struct page *page = pages[i];

		if (!page)
			page = mram_page_read(mapping, first + i, write);
		if (IS_ERR(page)) {
			pages[i] = NULL;
			pimdimm_mram_put_pages(pages, count, false);
			return PTR_ERR(page);
		}
		pages[i] = page;
	}
	return 0;
}

/**
 * pimdimm_mram_put_pages() - take back pimdimm_mram_pages()
 * @pages: the pages
 * @count: how many
 * @written: whether they were written
 */
void pimdimm_mram_put_pages(struct page **pages, unsigned int count,
			    bool written)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct page *page = pages[i];

		if (!page)
			continue;
		if (written) {
			flush_dcache_page(page);
			/* most are dirty, and to ask is what costs least */
			if (!folio_test_dirty(page_folio(page)))
				folio_mark_dirty(page_folio(page));
		}
		put_page(page);
	}
}

/**
 * pimdimm_mram_page() - look up a page of the window
 * @mram: the rank's MRAM
 * @index: the page
 * @write: whether it will be written, as in pimdimm_mram_pages()
 *
 * Context: may sleep, and swaps in.
 * Return: the page with a reference, NULL for a hole, which reads as zero, or
 * an ERR_PTR.
 */
struct page *pimdimm_mram_page(struct pimdimm_mram *mram, pgoff_t index,
			       bool write)
{
	struct page *page;
	int err = pimdimm_mram_pages(mram, index, 1, write, &page);

	return err ? ERR_PTR(err) : page;
}

/* Whether a pinned folio is still what the file has at @index, and sound. */
static int mram_check_folio(struct address_space *mapping, struct folio *folio,
			    pgoff_t index)
{
	long i, count = folio_nr_pages(folio);
	int err = 0;

	if (folio_lock_killable(folio))
		return -EINTR;
	if (folio->mapping != mapping || !folio_contains(folio, index) ||
	    !folio_test_uptodate(folio))
		err = -EAGAIN;
	folio_unlock(folio);
	for (i = 0; i < count && !err; i++)
		if (PageHWPoison(folio_page(folio, i)))
			err = -EIO;
	return err;
}

/* Returns an ERR_PTR of -EAGAIN where the next time may be better. */
static struct folio *mram_try_pin_folio(struct pimdimm_mram *mram,
					pgoff_t index)
{
	struct page *page = pimdimm_mram_page(mram, index, true);
	struct folio *folio;
	int err;

	if (IS_ERR(page))
		return ERR_CAST(page);
	folio = pimdimm_pin_folio(mram->file, index, page_folio(page));
	if (IS_ERR(folio))
		return folio;
	/* what pins it finds it as transfers must not, see above */
	err = mram_check_folio(mram->file->f_mapping, folio, index);
	if (!err)
		return folio;
	pimdimm_unpin_folio(folio);
	return ERR_PTR(err);
}

/**
 * pimdimm_mram_pin_folio() - pin what the window has at a page
 * @mram: the rank's MRAM
 * @index: the page; a hole is filled
 *
 * The folio stays, for as long as one likes: where it lay in memory that is to be
 * movable it has been moved out of it.
 *
 * Context: may sleep, and swaps in.
 * Return: the folio, which may begin before the page, or an ERR_PTR: -EAGAIN
 * where it was replaced, or kept from being moved out, time and again; -ENOMEM
 * where the kernel moves nothing out.
 */
struct folio *pimdimm_mram_pin_folio(struct pimdimm_mram *mram, pgoff_t index)
{
	unsigned int tries = MRAM_PIN_TRIES;
	struct folio *folio;

	for (;;) {
		folio = mram_try_pin_folio(mram, index);
		if (folio != ERR_PTR(-EAGAIN) || !--tries)
			return folio;
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
	}
}

/**
 * pimdimm_mram_unpin_folio() - take back pimdimm_mram_pin_folio()
 * @folio: the folio
 * @written: whether it was written
 */
void pimdimm_mram_unpin_folio(struct folio *folio, bool written)
{
	if (written)
		folio_mark_dirty(folio);
	pimdimm_unpin_folio(folio);
}

/**
 * pimdimm_mram_drop_holes() - give back pages that nobody has written
 * @mram: the rank's MRAM
 * @first: the first page
 * @count: how many
 *
 * A page that was filled in for a hole, and is still clean, is as good as the
 * hole. Most of them go; what is in use stays.
 *
 * Context: may sleep.
 */
void pimdimm_mram_drop_holes(struct pimdimm_mram *mram, pgoff_t first,
			     pgoff_t count)
{
	invalidate_mapping_pages(mram->file->f_mapping, first,
				 first + count - 1);
}

/**
 * pimdimm_mram_reset() - zero the window and give its pages back
 * @mram: the rank's MRAM
 * @window_size: its size
 *
 * Mappings stay valid. A transfer or a store at the same time comes, page by
 * page, before or after the reset.
 *
 * Return: 0, or -EBUSY while pages are pinned: whoever pinned them would go on
 * with pages that are MRAM no more.
 */
int pimdimm_mram_reset(struct pimdimm_mram *mram, u64 window_size)
{
	int err = pimdimm_mram_deny_pins(mram);

	if (err)
		return err;
	/* all at once, which is cheaper than page by page in the truncation */
	unmap_mapping_range(mram->file->f_mapping, 0, window_size, 0);
	/*
	 * With -1 for the end it would start over until it finds no page, and
	 * a thread that keeps touching pages could hold it there for ever.
	 */
	shmem_truncate_range(file_inode(mram->file), 0, window_size - 1);
	pimdimm_mram_allow_pins(mram);
	return 0;
}

/**
 * pimdimm_mram_allocated() - tell how much of the window has pages
 * @mram: the rank's MRAM
 *
 * Return: bytes in memory or in swap.
 */
u64 pimdimm_mram_allocated(struct pimdimm_mram *mram)
{
	struct kstat stat;

	/* i_blocks still has clean pages that were dropped */
	if (vfs_getattr_nosec(&mram->file->f_path, &stat, STATX_BLOCKS,
			      AT_STATX_DONT_SYNC))
		return 0;
	return stat.blocks << 9;
}
