// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/pimdimm/pimdimmN: a rank's internals, for root, and of no
 * stable form. debugfs goes on without what it could not make.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/pid.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/shmem_fs.h>
#include <linux/string_helpers.h>
#include <linux/xarray.h>

#include "kmod/pimdimm.h"

static struct dentry *pimdimm_debugfs;

static int state_show(struct seq_file *seq, void *unused)
{
	struct pimdimm_rank *rank = seq->private;

	mutex_lock(&rank->lock);
	seq_printf(seq, "state: %s\n", rank->mram ? "open" : "free");
	if (rank->mram) {
		seq_printf(seq, "opener: %d\n", pid_vnr(rank->owner));
		seq_printf(seq, "inode: %lu\n", file_inode(rank->mram->file)->i_ino);
		seq_printf(seq, "references: %u\n",
			   kref_read(&rank->mram->refs));
		seq_printf(seq, "pins: %d\n", atomic_read(&rank->mram->pins));
	}
	mutex_unlock(&rank->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/**
 * struct pimdimm_pages - what is found in a page cache
 * @base: folios of one page
 * @huge: folios of more
 * @huge_pages: pages of these
 * @dirty: dirty folios
 * @swapped: entries that stand for swapped pages
 */
struct pimdimm_pages {
	unsigned long base;
	unsigned long huge;
	unsigned long huge_pages;
	unsigned long dirty;
	unsigned long swapped;
};

static void pages_count_one(struct folio *folio, struct pimdimm_pages *pages)
{
	if (xa_is_value(folio)) {
		pages->swapped++;
		return;
	}
	if (folio_test_large(folio)) {
		pages->huge++;
		pages->huge_pages += folio_nr_pages(folio);
	} else {
		pages->base++;
	}
	pages->dirty += folio_test_dirty(folio);
}

static void pages_count(struct address_space *mapping,
			struct pimdimm_pages *pages)
{
	XA_STATE(xas, &mapping->i_pages, 0);
	unsigned long seen = 0;
	struct folio *folio;

	/* the lock keeps folios in the cache; let go of it now and then */
	xas_lock_irq(&xas);
	xas_for_each(&xas, folio, ULONG_MAX) {
		pages_count_one(folio, pages);
		if (++seen % XA_CHECK_SCHED)
			continue;
		xas_pause(&xas);
		xas_unlock_irq(&xas);
		cond_resched();
		xas_lock_irq(&xas);
	}
	xas_unlock_irq(&xas);
}

/* The rank's MRAM with a reference, NULL while the rank is free. */
static struct pimdimm_mram *mram_get(struct pimdimm_rank *rank)
{
	struct pimdimm_mram *mram;

	mutex_lock(&rank->lock);
	mram = rank->mram;
	if (mram)
		kref_get(&mram->refs);
	mutex_unlock(&rank->lock);
	return mram;
}

static int pages_show(struct seq_file *seq, void *unused)
{
	struct pimdimm_mram *mram = mram_get(seq->private);
	struct pimdimm_pages pages = {};
	bool evictable = true;

	if (mram) {
		pages_count(mram->file->f_mapping, &pages);
		evictable = !mapping_unevictable(mram->file->f_mapping);
		pimdimm_mram_put(mram);
	}
	seq_printf(seq, "resident: %lu\n", pages.base + pages.huge_pages);
	seq_printf(seq, "huge: %lu in %lu folios\n", pages.huge_pages,
		   pages.huge);
	seq_printf(seq, "dirty folios: %lu\n", pages.dirty);
	seq_printf(seq, "swapped entries: %lu\n", pages.swapped);
	seq_printf(seq, "evictable: %s\n", str_yes_no(evictable));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pages);

#ifdef CONFIG_MEMCG
static void mapping_show_process(struct seq_file *seq, struct mm_struct *mm)
{
	struct task_struct *task;
	char comm[TASK_COMM_LEN];

	rcu_read_lock();
	task = rcu_dereference(mm->owner);
	if (task) {
		get_task_comm(comm, task);
		seq_printf(seq, " %d %s", task_tgid_vnr(task), comm);
	}
	rcu_read_unlock();
}
#else
/* The kernel does not keep whose an address space is. */
static void mapping_show_process(struct seq_file *seq, struct mm_struct *mm)
{
}
#endif

static void mapping_show(struct seq_file *seq, struct vm_area_struct *vma)
{
	seq_printf(seq, "%#llx %#lx %c%c", (u64)vma->vm_pgoff << PAGE_SHIFT,
		   vma->vm_end - vma->vm_start,
		   vma->vm_flags & VM_READ ? 'r' : '-',
		   vma->vm_flags & VM_WRITE ? 'w' : '-');
	mapping_show_process(seq, vma->vm_mm);
	seq_putc(seq, '\n');
}

/*
 * A line a mapping. With the host file given, what is of it and what is not begins
 * with another word.
 */
static void mappings_walk(struct seq_file *seq, struct address_space *mapping,
			  const struct file *host)
{
	struct vm_area_struct *vma;
	struct rb_node *node;

	/* modules may not walk it as an interval tree, but they may in order */
	i_mmap_lock_read(mapping);
	for (node = rb_first_cached(&mapping->i_mmap);
	     node && !seq_has_overflowed(seq); node = rb_next(node)) {
		vma = rb_entry(node, struct vm_area_struct, shared.rb);
		if (host)
			seq_puts(seq, vma->vm_file == host ? "  host " : "  pe ");
		mapping_show(seq, vma);
		cond_resched();
	}
	i_mmap_unlock_read(mapping);
}

/* Offset in the window, length, access, process and name. */
static int mappings_show(struct seq_file *seq, void *unused)
{
	struct pimdimm_mram *mram = mram_get(seq->private);

	if (!mram)
		return 0;
	mappings_walk(seq, mram->file->f_mapping, NULL);
	pimdimm_mram_put(mram);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mappings);

static void view_show(const struct pimdimm_view_state *state, void *arg)
{
	struct seq_file *seq = arg;

	seq_printf(seq, "pimdimm%u inode %lu %s %s\n", state->rank,
		   file_inode(state->host)->i_ino,
		   state->ended ? "left" : "open",
		   state->owner == PIMDIMM_MUX_PES ? "pes" : "host");
	mappings_walk(seq, state->host->f_mapping, state->host);
}

/* A line each of the views of a rank, then their mappings: who keeps the module. */
static int views_show(struct seq_file *seq, void *unused)
{
	pimdimm_view_each(view_show, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(views);

/**
 * pimdimm_debugfs_add() - make a rank's folder
 * @rank: the rank, whose device has its name
 */
void pimdimm_debugfs_add(struct pimdimm_rank *rank)
{
	rank->debugfs = debugfs_create_dir(dev_name(&rank->dev),
					   pimdimm_debugfs);
	debugfs_create_file("state", 0400, rank->debugfs, rank, &state_fops);
	debugfs_create_file("pages", 0400, rank->debugfs, rank, &pages_fops);
	debugfs_create_file("mappings", 0400, rank->debugfs, rank,
			    &mappings_fops);
}

/**
 * pimdimm_debugfs_remove() - take a rank's folder away
 * @rank: the rank
 *
 * Returns when nobody reads in it any more.
 */
void pimdimm_debugfs_remove(struct pimdimm_rank *rank)
{
	debugfs_remove(rank->debugfs);
}

void pimdimm_debugfs_init(void)
{
	pimdimm_debugfs = debugfs_create_dir("pimdimm", NULL);
	debugfs_create_file("views", 0400, pimdimm_debugfs, NULL, &views_fops);
}

void pimdimm_debugfs_exit(void)
{
	debugfs_remove(pimdimm_debugfs);
}
