// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two views of a rank's MRAM, and PIMDIMM_IOC_MUX, which takes the host's
 * away while the PEs own the rank.
 *
 * There are three files of one shmem inode, so that its pages have one mapping,
 * reclaim and truncation find every page table, and huge pages are as they are:
 *
 * - the MRAM itself: what the module works on, and what a host view maps as long
 *   as nobody calls MUX. Faults go to shmem and nowhere else; the mapping
 *   outlives node and module.
 * - the host file: what host views map from the first MUX on. Its operations are
 *   shmem's behind a look at the owner. They are this module's code, which the
 *   file keeps loaded.
 * - the PE file: what PE views map, shmem's alone.
 *
 * A fault comes to its end, the page table entry, after its handler has
 * returned. What covers that gap is the lock on the page: a fault looks at the
 * owner with its page locked, and MUX, having set the owner, waits for all pages
 * that it finds locked. Either the fault sees the new owner, or MUX sees the
 * locked page and takes the entry away afterwards.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/pagevec.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "pimdimm.h"
#include "pimdimm_trace.h"

/**
 * struct pimdimm_view - the views of one owner's MRAM
 * @host: the host file, whose release frees this
 * @pe: the PE file
 * @rank: the rank's number, which may be another's by the time of a fault
 * @mux: one call at a time
 * @lock: held for reading while the host touches MRAM other than by a page
 *        fault's own page; for writing to change @owner. Never while user
 *        memory may fault; nor in a fault, but for a try
 * @owner: PIMDIMM_MUX_HOST or PIMDIMM_MUX_PES
 * @switchable: somebody has called MUX; never cleared
 * @shmem: shmem's operations, known from the first mapping of @host on
 */
struct pimdimm_view {
	struct file *host;
	struct file *pe;
	u32 rank;
	struct mutex mux;	/* see above */
	struct rw_semaphore lock;
	u32 owner;
	bool switchable;
	const struct vm_operations_struct *shmem;
};

static bool view_is_hosts(const struct pimdimm_view *view)
{
	return pimdimm_view_owner(view) == PIMDIMM_MUX_HOST;
}

/**
 * pimdimm_view_enter() - begin to touch MRAM for the host
 * @view: the rank's views
 *
 * Until pimdimm_view_leave() the rank cannot be handed to the PEs.
 *
 * Context: may sleep. User memory must not fault before the other call.
 * Return: 0, or -EBUSY while the PEs own the rank.
 */
int pimdimm_view_enter(struct pimdimm_view *view)
{
	down_read(&view->lock);
	if (view_is_hosts(view))
		return 0;
	up_read(&view->lock);
	return -EBUSY;
}

/**
 * pimdimm_view_leave() - end what pimdimm_view_enter() began
 * @view: the rank's views
 */
void pimdimm_view_leave(struct pimdimm_view *view)
{
	up_read(&view->lock);
}

static vm_fault_t view_do_fault(struct pimdimm_view *view,
				struct vm_fault *vmf)
{
	vm_fault_t ret;

	/* so that it allocates no page */
	if (!view_is_hosts(view))
		return VM_FAULT_SIGBUS;
	ret = view->shmem->fault(vmf);
	if (!(ret & VM_FAULT_LOCKED))
		return ret;
	/* the lock before the look; pairs with that in view_wait_for_faults() */
	smp_mb();
	if (view_is_hosts(view))
		return ret;
	unlock_page(vmf->page);
	put_page(vmf->page);
	vmf->page = NULL;
	return VM_FAULT_SIGBUS;
}

static vm_fault_t view_fault(struct vm_fault *vmf)
{
	struct pimdimm_view *view = vmf->vma->vm_file->private_data;
	u32 rank = view->rank;
	vm_fault_t ret = view_do_fault(view, vmf);

	trace_pimdimm_fault(rank, vmf, ret);
	return ret;
}

/* Called where it may not sleep. What is not mapped here, a fault of its own maps. */
static vm_fault_t view_map_pages(struct vm_fault *vmf, pgoff_t start,
				 pgoff_t end)
{
	struct pimdimm_view *view = vmf->vma->vm_file->private_data;
	vm_fault_t ret = 0;

	if (!down_read_trylock(&view->lock))
		return 0;
	if (view_is_hosts(view))
		ret = view->shmem->map_pages(vmf, start, end);
	up_read(&view->lock);
	return ret;
}

#ifdef CONFIG_NUMA
/* The policy is the inode's; of the mapping's own copy mbind() takes care. */
static int view_set_policy(struct vm_area_struct *vma, struct mempolicy *policy)
{
	struct pimdimm_view *view = vma->vm_file->private_data;

	return view->shmem->set_policy(vma, policy);
}
#endif

static const struct vm_operations_struct pimdimm_view_vm_ops = {
	.fault = view_fault,
	.map_pages = view_map_pages,
#ifdef CONFIG_NUMA
	.set_policy = view_set_policy,
#endif
};

/*
 * Makes a mapping that shmem serves one of the host file. Its pages are the
 * same, so all that has its address in a page table, a tree or a list stays as
 * it is; who holds mmap_lock for writing is alone with the rest.
 */
static void view_adopt(struct pimdimm_view *view, struct vm_area_struct *vma)
{
	/* faults that do without mmap_lock are kept out from here on */
	pimdimm_vm_flags_set(vma, VM_DONTDUMP);
	WRITE_ONCE(view->shmem, vma->vm_ops);
	vma_set_file(vma, view->host);
	vma->vm_ops = &pimdimm_view_vm_ops;
	/* locked pages must be let go of before it is a special mapping */
	if (vma->vm_flags & VM_LOCKED)
		unmap_mapping_range(view->host->f_mapping,
				    (loff_t)vma->vm_pgoff << PAGE_SHIFT,
				    vma->vm_end - vma->vm_start, 0);
	/* MADV_COLLAPSE would map huge pages without asking for them */
	pimdimm_vm_flags_set(vma, VM_DONTEXPAND);
}

/**
 * pimdimm_view_map() - map a view, or a part of it
 * @mram: the rank's MRAM
 * @window_size: size of a view
 * @vma: the mapping, of the device
 *
 * Context: mmap_lock held for writing.
 * Return: 0 or a negative errno.
 */
int pimdimm_view_map(struct pimdimm_mram *mram, u64 window_size,
		     struct vm_area_struct *vma)
{
	const pgoff_t pe_view = PIMDIMM_MMAP_PE >> PAGE_SHIFT;
	struct pimdimm_view *view = mram->view;
	struct file *file = mram->file;
	int err;

	if (vma->vm_pgoff >= pe_view) {
		vma->vm_pgoff -= pe_view;
		return pimdimm_mram_map_file(view->pe, window_size, vma);
	}
	/* from the first MUX on, MRAM's own is not to have more references */
	if (READ_ONCE(view->switchable))
		file = view->pe;
	err = pimdimm_mram_map_file(file, window_size, vma);
	if (err)
		return err;
	/* counted before the look; pairs with that in view_make_switchable() */
	smp_mb();
	if (READ_ONCE(view->switchable))
		view_adopt(view, vma);
	return 0;
}

/* Whether MRAM is mapped otherwise than by the files of the views. */
static bool view_is_bypassed(const struct pimdimm_mram *mram)
{
	return file_count(mram->file) > 1;
}

static int view_adopt_callers(struct pimdimm_mram *mram)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	VMA_ITERATOR(vmi, mm, 0);

	if (!mm)
		return 0;
	if (mmap_write_lock_killable(mm))
		return -EINTR;
	for_each_vma(vmi, vma) {
		if (vma->vm_file == mram->file)
			view_adopt(mram->view, vma);
	}
	mmap_write_unlock(mm);
	return 0;
}

/* Host views of the caller's are served by the host file from now on. */
static int view_make_switchable(struct pimdimm_mram *mram)
{
	struct pimdimm_view *view = mram->view;
	unsigned int i;
	int err;

	if (view->switchable && !view_is_bypassed(mram))
		return 0;
	WRITE_ONCE(view->switchable, true);
	/* set before the count; pairs with that in pimdimm_view_map() */
	smp_mb();
	err = view_adopt_callers(mram);
	/* system calls that worked on such a view have a reference for a moment */
	for (i = 0; i < 5 && !err && view_is_bypassed(mram); i++) {
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	return err;
}

static int view_set_owner(struct pimdimm_view *view, u32 owner)
{
	if (down_write_killable(&view->lock))
		return -EINTR;
	WRITE_ONCE(view->owner, owner);
	up_write(&view->lock);
	return 0;
}

/* Waits for the faults that looked at the owner before it was set. */
static int view_wait_for_faults(struct address_space *mapping)
{
	struct folio_batch batch;
	pgoff_t next = 0;
	int err = 0;

	/* the owner before the looks; pairs with that in view_fault() */
	smp_mb();
	folio_batch_init(&batch);
	while (!err && filemap_get_folios(mapping, &next, -1, &batch)) {
		unsigned int i;

		for (i = 0; i < folio_batch_count(&batch) && !err; i++)
			err = folio_wait_locked_killable(batch.folios[i]);
		folio_batch_release(&batch);
		cond_resched();
	}
	return err;
}

/* Takes the rank from the host. */
static int view_take(struct pimdimm_mram *mram)
{
	struct address_space *mapping = mram->file->f_mapping;
	int err;

	err = view_set_owner(mram->view, PIMDIMM_MUX_PES);
	if (err)
		return err;
	err = view_wait_for_faults(mapping);
	if (err) {
		WRITE_ONCE(mram->view->owner, PIMDIMM_MUX_HOST);
		return err;
	}
	/* PE views are unmapped, too, and fault their pages in again */
	unmap_mapping_range(mapping, 0, 0, 0);
	return 0;
}

/* As long as the PEs own the rank, nobody pins pages: who does is not a PE. */
static int view_to_pes(struct pimdimm_mram *mram)
{
	int err;

	err = pimdimm_mram_deny_pins(mram);
	if (err)
		return err;
	if (view_is_bypassed(mram))
		err = -EBUSY;
	else
		err = view_take(mram);
	if (err)
		pimdimm_mram_allow_pins(mram);
	return err;
}

static int view_to_host(struct pimdimm_mram *mram)
{
	int err;

	err = view_set_owner(mram->view, PIMDIMM_MUX_HOST);
	if (!err)
		pimdimm_mram_allow_pins(mram);
	return err;
}

/**
 * pimdimm_view_mux() - hand the rank to its PEs or back to the host
 * @mram: the rank's MRAM
 * @owner: PIMDIMM_MUX_HOST or PIMDIMM_MUX_PES
 *
 * Context: may sleep; takes the caller's mmap_lock.
 * Return: 0; -EBUSY where others than the PEs could go on touching MRAM; -EINTR
 * on a fatal signal. An error changes no owner.
 */
int pimdimm_view_mux(struct pimdimm_mram *mram, u32 owner)
{
	struct pimdimm_view *view = mram->view;
	int err;

	if (mutex_lock_killable(&view->mux))
		return -EINTR;
	err = view_make_switchable(mram);
	if (!err && owner != view->owner)
		err = owner == PIMDIMM_MUX_PES ? view_to_pes(mram) :
						 view_to_host(mram);
	mutex_unlock(&view->mux);
	return err;
}

/**
 * pimdimm_view_owner() - tell who owns the rank at this moment
 * @view: the rank's views
 *
 * Context: any.
 * Return: PIMDIMM_MUX_HOST or PIMDIMM_MUX_PES.
 */
u32 pimdimm_view_owner(const struct pimdimm_view *view)
{
	return READ_ONCE(view->owner);
}

static int host_file_release(struct inode *inode, struct file *file)
{
	struct pimdimm_view *view = file->private_data;

	fput(view->pe);
	kfree(view);
	return 0;
}

/* mremap() asks the file that is mapped. */
static unsigned long host_file_get_unmapped_area(struct file *file,
						 unsigned long addr,
						 unsigned long len,
						 unsigned long pgoff,
						 unsigned long flags)
{
	struct pimdimm_view *view = file->private_data;

	return view->pe->f_op->get_unmapped_area(view->pe, addr, len, pgoff,
						 flags);
}

/* MADV_REMOVE zeroes MRAM. */
static long host_file_fallocate(struct file *file, int mode, loff_t offset,
				loff_t len)
{
	struct pimdimm_view *view = file->private_data;
	long ret = pimdimm_view_enter(view);

	if (ret)
		return ret;
	ret = view->pe->f_op->fallocate(view->pe, mode, offset, len);
	pimdimm_view_leave(view);
	return ret;
}

static const struct file_operations pimdimm_host_fops = {
	.owner = THIS_MODULE,
	.release = host_file_release,
	.get_unmapped_area = host_file_get_unmapped_area,
	.fallocate = host_file_fallocate,
	.fsync = noop_fsync,
};

/* Another file of the same inode; it gives up a reference to @fops' module. */
static struct file *view_open(struct file *mram, const char *name,
			      const struct file_operations *fops)
{
	struct inode *inode = file_inode(mram);
	struct file *file;

	ihold(inode);
	file = alloc_file_pseudo(inode, mram->f_path.mnt, name, O_RDWR, fops);
	if (IS_ERR(file))
		iput(inode);
	return file;
}

static int view_open_files(struct pimdimm_view *view, struct file *mram,
			   u32 index)
{
	char name[32];

	snprintf(name, sizeof(name), "dev/pimdimm%u:pe", index);
	view->pe = view_open(mram, name, mram->f_op);
	if (IS_ERR(view->pe))
		return PTR_ERR(view->pe);
	snprintf(name, sizeof(name), "dev/pimdimm%u", index);
	view->host = view_open(mram, name, &pimdimm_host_fops);
	if (IS_ERR(view->host)) {
		fput(view->pe);
		return PTR_ERR(view->host);
	}
	__module_get(THIS_MODULE);
	view->host->private_data = view;
	return 0;
}

/**
 * pimdimm_view_create() - make the views of a new owner's MRAM
 * @mram: the MRAM
 * @index: the rank's number
 *
 * Return: the views, the host owning the rank, or an ERR_PTR.
 */
struct pimdimm_view *pimdimm_view_create(struct file *mram, u32 index)
{
	struct pimdimm_view *view = kzalloc(sizeof(*view), GFP_KERNEL_ACCOUNT);
	int err;

	if (!view)
		return ERR_PTR(-ENOMEM);
	mutex_init(&view->mux);
	init_rwsem(&view->lock);
	view->rank = index;
	view->owner = PIMDIMM_MUX_HOST;
	err = view_open_files(view, mram, index);
	if (err) {
		kfree(view);
		return ERR_PTR(err);
	}
	return view;
}

/**
 * pimdimm_view_end() - give MRAM to those who still map it, as the node closes
 * @mram: the former owner's MRAM
 *
 * No call of MUX can be under way any more.
 */
void pimdimm_view_end(struct pimdimm_mram *mram)
{
	if (view_is_hosts(mram->view))
		return;
	WRITE_ONCE(mram->view->owner, PIMDIMM_MUX_HOST);
	pimdimm_mram_allow_pins(mram);
}

/**
 * pimdimm_view_put() - let go of the views with their MRAM
 * @view: the views; mappings of them may live on
 */
void pimdimm_view_put(struct pimdimm_view *view)
{
	fput(view->host);
}
