// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two views of a rank's MRAM, and PIMDIMM_IOC_MUX, which takes the host's
 * away while the PEs own the rank.
 *
 * There are two files of one shmem inode, so that its pages have one mapping,
 * reclaim and truncation find every page table, and huge pages are as they are:
 *
 * - the MRAM itself: what the module works on, and what PE views map. Faults go to
 *   shmem and nowhere else; the mapping outlives node and module.
 * - the host file: what host views map. Its operations are shmem's behind a look
 *   at the owner. They are this module's code, which the file keeps loaded.
 *
 * A handler that made page table entries itself, below a lock, would need none of
 * the care that follows. But a module can make them of page frames, which reclaim
 * does not find and direct I/O refuses, so that MRAM could not be swapped out; or
 * of pages one by one, which leaves huge ones in pieces.
 *
 * A fault comes to its end, the page table entry, after its handler has
 * returned. What covers that gap is the lock on the page: a fault looks at the
 * owner with its page locked, and MUX, having set the owner, waits for all pages
 * that it finds locked. Either the fault sees the new owner, or MUX sees the
 * locked page and takes the entry away afterwards.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
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

#include "kmod/compat.h"
#include "kmod/pimdimm.h"
#include "kmod/trace.h"

/**
 * struct pimdimm_view - the views of one owner's MRAM
 * @node: in the list of all there are
 * @host: the host file, whose release frees this
 * @mram: the MRAM
 * @rank: the rank's number, which may be another's by the time of a fault
 * @mux: held while the owner changes, and by what must not see it change for
 *       long
 * @lock: held for reading while the host touches MRAM other than by a page
 *        fault's own page, a page or a few; for writing to change @owner. Never
 *        while user memory may fault; nor in a fault, but for a try
 * @owner: PIMDIMM_MUX_HOST or PIMDIMM_MUX_PES
 * @ended: the host has it for good
 * @shmem: shmem's operations, known from the first mapping of @host on
 */
struct pimdimm_view {
	struct list_head node;
	struct file *host;
	struct file *mram;
	u32 rank;
	struct mutex mux;	/* see above */
	struct rw_semaphore lock;
	u32 owner;
	bool ended;
	const struct vm_operations_struct *shmem;
};

static DEFINE_MUTEX(views_lock);
static LIST_HEAD(views);

static bool view_is_hosts(const struct pimdimm_view *view)
{
	return pimdimm_view_owner(view) == PIMDIMM_MUX_HOST;
}

/**
 * pimdimm_view_enter() - begin to touch a few pages of MRAM for the host
 * @view: the rank's views
 *
 * Until pimdimm_view_leave() the rank cannot be handed to the PEs, and who tries
 * to keeps others from entering.
 *
 * Context: may sleep. User memory must not fault before the other call.
 * Return: 0, -EBUSY while the PEs own the rank, or -EINTR on a fatal signal.
 */
int pimdimm_view_enter(struct pimdimm_view *view)
{
	if (down_read_killable(&view->lock))
		return -EINTR;
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

/**
 * pimdimm_view_keep() - begin to work on all of MRAM for the host
 * @view: the rank's views
 *
 * Until pimdimm_view_release() the rank cannot be handed to the PEs. Who tries to
 * waits, and can be killed meanwhile; transfers go on.
 *
 * Context: may sleep.
 * Return: as pimdimm_view_enter().
 */
int pimdimm_view_keep(struct pimdimm_view *view)
{
	if (mutex_lock_killable(&view->mux))
		return -EINTR;
	if (view_is_hosts(view))
		return 0;
	mutex_unlock(&view->mux);
	return -EBUSY;
}

/**
 * pimdimm_view_release() - end what pimdimm_view_keep() began
 * @view: the rank's views
 */
void pimdimm_view_release(struct pimdimm_view *view)
{
	mutex_unlock(&view->mux);
}

/*
 * Where a fault may be tried again its handler may let go of the mapping while it
 * sleeps: then nobody would hold the file and, with it, the code of this module
 * that the handler returns to.
 */
static vm_fault_t view_shmem_fault(struct pimdimm_view *view,
				   struct vm_fault *vmf)
{
	enum fault_flag flags = vmf->flags;
	vm_fault_t ret;

	vmf->flags &= ~(FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_RETRY_NOWAIT);
	ret = view->shmem->fault(vmf);
	vmf->flags = flags;
	return ret;
}

static vm_fault_t view_do_fault(struct pimdimm_view *view,
				struct vm_fault *vmf)
{
	vm_fault_t ret;

	/* so that it allocates no page */
	if (!view_is_hosts(view))
		return VM_FAULT_SIGBUS;
	ret = view_shmem_fault(view, vmf);
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

/* Makes a new mapping of shmem's one of the host file. */
static void view_guard(struct pimdimm_view *view, struct vm_area_struct *vma)
{
	WRITE_ONCE(view->shmem, vma->vm_ops);
	vma_set_file(vma, view->host);
	vma->vm_ops = &pimdimm_view_vm_ops;
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
	bool host = vma->vm_pgoff < pe_view;
	int err;

	if (!host)
		vma->vm_pgoff -= pe_view;
	err = pimdimm_mram_map_file(mram->file, window_size, vma);
	if (!err && host)
		view_guard(mram->view, vma);
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
 * Context: may sleep.
 * Return: 0; -EBUSY where dma-bufs of MRAM exist; -ENODEV where the rank has gone
 * from its owner; -EINTR on a fatal signal. An error changes no owner.
 */
int pimdimm_view_mux(struct pimdimm_mram *mram, u32 owner)
{
	struct pimdimm_view *view = mram->view;
	int err = 0;

	if (mutex_lock_killable(&view->mux))
		return -EINTR;
	if (view->ended)
		err = -ENODEV;
	else if (owner != view->owner)
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

	mutex_lock(&views_lock);
	list_del(&view->node);
	mutex_unlock(&views_lock);
	fput(view->mram);
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

	return view->mram->f_op->get_unmapped_area(view->mram, addr, len, pgoff,
						   flags);
}

/* MADV_REMOVE zeroes MRAM. */
static long host_file_fallocate(struct file *file, int mode, loff_t offset,
				loff_t len)
{
	struct pimdimm_view *view = file->private_data;
	long ret = pimdimm_view_keep(view);

	if (ret)
		return ret;
	ret = view->mram->f_op->fallocate(view->mram, mode, offset, len);
	pimdimm_view_release(view);
	return ret;
}

static const struct file_operations pimdimm_host_fops = {
	.owner = THIS_MODULE,
	.release = host_file_release,
	.get_unmapped_area = host_file_get_unmapped_area,
	.fallocate = host_file_fallocate,
	.fsync = noop_fsync,
};

/* Another file of the same inode, with operations of this module's. */
static int view_open_host(struct pimdimm_view *view)
{
	struct inode *inode = file_inode(view->mram);
	char name[32];

	snprintf(name, sizeof(name), "dev/pimdimm%u", view->rank);
	ihold(inode);
	view->host = alloc_file_pseudo(inode, view->mram->f_path.mnt, name,
				       O_RDWR, &pimdimm_host_fops);
	if (IS_ERR(view->host)) {
		iput(inode);
		return PTR_ERR(view->host);
	}
	/* which its end gives up */
	__module_get(THIS_MODULE);
	view->host->private_data = view;
	get_file(view->mram);
	return 0;
}

/**
 * pimdimm_view_create() - make the views of a new owner's MRAM
 * @mram: the MRAM, which has none; it keeps them, and mappings may outlive it
 * @index: the rank's number
 *
 * The host owns the rank.
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_view_create(struct pimdimm_mram *mram, u32 index)
{
	struct pimdimm_view *view = kzalloc(sizeof(*view), GFP_KERNEL_ACCOUNT);
	int err;

	if (!view)
		return -ENOMEM;
	mutex_init(&view->mux);
	init_rwsem(&view->lock);
	view->mram = mram->file;
	view->rank = index;
	view->owner = PIMDIMM_MUX_HOST;
	err = view_open_host(view);
	if (err) {
		kfree(view);
		return err;
	}
	mutex_lock(&views_lock);
	list_add_tail(&view->node, &views);
	mutex_unlock(&views_lock);
	mram->view = view;
	mram->host = view->host;
	return 0;
}

/**
 * pimdimm_view_end() - give MRAM to those who map it, for good
 * @mram: MRAM whose owner closes the node, or loses the rank
 *
 * Context: may sleep.
 */
void pimdimm_view_end(struct pimdimm_mram *mram)
{
	struct pimdimm_view *view = mram->view;

	mutex_lock(&view->mux);
	WRITE_ONCE(view->ended, true);
	if (!view_is_hosts(view)) {
		WRITE_ONCE(view->owner, PIMDIMM_MUX_HOST);
		pimdimm_mram_allow_pins(mram);
	}
	mutex_unlock(&view->mux);
}

/**
 * pimdimm_view_each() - look at all views that somebody has
 * @look: called for each; it may sleep
 * @arg: its second argument
 *
 * Those of open nodes, and of others as long as a host view is mapped anywhere,
 * which keeps the module.
 */
void pimdimm_view_each(void (*look)(const struct pimdimm_view_state *state,
				    void *arg),
		       void *arg)
{
	struct pimdimm_view *view;

	mutex_lock(&views_lock);
	list_for_each_entry(view, &views, node) {
		struct pimdimm_view_state state = {
			.host = view->host,
			.rank = view->rank,
			.owner = pimdimm_view_owner(view),
			.ended = READ_ONCE(view->ended),
		};

		look(&state, arg);
	}
	mutex_unlock(&views_lock);
}
