// SPDX-License-Identifier: GPL-2.0-only
/*
 * PIMDIMM_IOC_EXPORT: a dma-buf of a part of a rank's window.
 *
 * Its pages are pinned from its making to its end, not from device to device:
 * so it is the exporter who is told that there is no memory, or that it may
 * not pin so much, and no importer ever meets it. What takes pages away from a
 * rank is refused meanwhile.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "kmod/compat.h"
#include "kmod/pimdimm.h"
#include "kmod/args.h"

MODULE_IMPORT_NS(PIMDIMM_DMA_BUF_NS);

/* An export can say -ENOMEM, so its allocations need no OOM killer. */
#define BUF_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* What a fault maps, if it is there: most go through it from the beginning. */
#define BUF_FAULT_PAGES	16

/**
 * struct pimdimm_buf - a dma-buf from the inside
 * @mram: MRAM that it is a part of, which it holds and pins
 * @pin: what it pins of it
 * @nr_pages: how many pages it has
 * @nr_pinned: how many of @pages are there; less than @nr_pages only while
 *             it is made
 * @pages: its pages, a pin for each folio of them
 * @user: whom they are charged to, NULL for one who may pin without limit
 * @unevictable: whether it has made @mram unevictable
 * @lock: guards @attachments and what they say of themselves
 * @attachments: devices
 */
struct pimdimm_buf {
	struct pimdimm_mram *mram;
	struct pimdimm_pin pin;
	unsigned int nr_pages;
	unsigned int nr_pinned;
	struct page **pages;
	struct user_struct *user;
	bool unevictable;

	/* guards attachments, see above */
	struct mutex lock;
	struct list_head attachments;
};

/**
 * struct buf_attachment - a device that a dma-buf is attached to
 * @node: in the dma-buf's list
 * @dev: the device
 * @table: the pages, in segments that the device can take
 * @direction: of its mapping, DMA_NONE while there is none
 */
struct buf_attachment {
	struct list_head node;
	struct device *dev;
	struct sg_table table;
	enum dma_data_direction direction;
};

static int buf_attach(struct dma_buf *dmabuf,
		      struct dma_buf_attachment *attachment)
{
	struct pimdimm_buf *buf = dmabuf->priv;
	size_t segment = min_t(size_t, dma_get_max_seg_size(attachment->dev),
			       dma_max_mapping_size(attachment->dev));
	struct buf_attachment *a;
	int err;

	a = kzalloc(sizeof(*a), GFP_KERNEL);
	if (!a)
		return -ENOMEM;
	err = sg_alloc_table_from_pages_segment(&a->table, buf->pages,
						buf->nr_pages, 0, dmabuf->size,
						max_t(size_t, segment, PAGE_SIZE),
						BUF_GFP);
	if (err) {
		kfree(a);
		return err;
	}
	a->dev = attachment->dev;
	a->direction = DMA_NONE;
	attachment->priv = a;
	mutex_lock(&buf->lock);
	list_add(&a->node, &buf->attachments);
	mutex_unlock(&buf->lock);
	return 0;
}

static void buf_detach(struct dma_buf *dmabuf,
		       struct dma_buf_attachment *attachment)
{
	struct pimdimm_buf *buf = dmabuf->priv;
	struct buf_attachment *a = attachment->priv;

	mutex_lock(&buf->lock);
	list_del(&a->node);
	mutex_unlock(&buf->lock);
	sg_free_table(&a->table);
	kfree(a);
}

static void buf_set_direction(struct dma_buf_attachment *attachment,
			      enum dma_data_direction direction)
{
	struct pimdimm_buf *buf = attachment->dmabuf->priv;
	struct buf_attachment *a = attachment->priv;

	mutex_lock(&buf->lock);
	a->direction = direction;
	mutex_unlock(&buf->lock);
}

/*
 * Dma-bufs may overlap, and one may have many importers: who maps a page is not
 * alone with it. So mapping itself leaves the caches as they are, for which
 * overlapping is allowed, and they are synchronized apart, as around accesses
 * of the CPU.
 */
#define BUF_DMA_ATTRS DMA_ATTR_SKIP_CPU_SYNC

static struct sg_table *buf_map(struct dma_buf_attachment *attachment,
				enum dma_data_direction direction)
{
	struct buf_attachment *a = attachment->priv;
	int err = dma_map_sgtable(a->dev, &a->table, direction, BUF_DMA_ATTRS);

	if (err)
		return ERR_PTR(err);
	dma_sync_sgtable_for_device(a->dev, &a->table, direction);
	buf_set_direction(attachment, direction);
	return &a->table;
}

static void buf_unmap(struct dma_buf_attachment *attachment,
		      struct sg_table *table,
		      enum dma_data_direction direction)
{
	buf_set_direction(attachment, DMA_NONE);
	dma_sync_sgtable_for_cpu(attachment->dev, table, direction);
	dma_unmap_sgtable(attachment->dev, table, direction, BUF_DMA_ATTRS);
}

static void buf_sync(struct dma_buf *dmabuf,
		     void (*sync)(struct device *dev, struct sg_table *table,
				  enum dma_data_direction direction))
{
	struct pimdimm_buf *buf = dmabuf->priv;
	struct buf_attachment *a;

	mutex_lock(&buf->lock);
	list_for_each_entry(a, &buf->attachments, node) {
		if (a->direction != DMA_NONE)
			sync(a->dev, &a->table, a->direction);
	}
	mutex_unlock(&buf->lock);
}

static int buf_begin_cpu_access(struct dma_buf *dmabuf,
				enum dma_data_direction direction)
{
	buf_sync(dmabuf, dma_sync_sgtable_for_cpu);
	return 0;
}

static int buf_end_cpu_access(struct dma_buf *dmabuf,
			      enum dma_data_direction direction)
{
	buf_sync(dmabuf, dma_sync_sgtable_for_device);
	return 0;
}

/*
 * By frame number, which counts no mapping of the page: a hole that the owner
 * punches into the rank takes the page out of the page cache, and must not meet
 * mappings there that it cannot find. The dma-buf has the page as before.
 */
static vm_fault_t buf_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct pimdimm_buf *buf = vma->vm_private_data;
	unsigned long addr = vmf->address;
	pgoff_t index = vmf->pgoff;
	pgoff_t end;
	vm_fault_t ret;

	if (index >= buf->nr_pages)
		return VM_FAULT_SIGBUS;
	end = min3(index + BUF_FAULT_PAGES, (pgoff_t)buf->nr_pages,
		   index + ((vma->vm_end - addr) >> PAGE_SHIFT));
	ret = vmf_insert_pfn(vma, addr, page_to_pfn(buf->pages[index]));
	while (ret == VM_FAULT_NOPAGE && ++index < end) {
		addr += PAGE_SIZE;
		/* these have not been asked for: they may fail */
		if (vmf_insert_pfn(vma, addr,
				   page_to_pfn(buf->pages[index])) &
		    VM_FAULT_ERROR)
			break;
	}
	return ret;
}

static const struct vm_operations_struct buf_vm_ops = {
	.fault = buf_fault,
};

/*
 * The mapping is not handed on to the shmem file, as the node's are:
 * remap_file_pages() would map any other page of the window by it. Nor has the
 * dma-buf's file that one's mapping: the kernel would take it for a file of
 * shmem, and look for seals behind the end of its inode.
 */
static int buf_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct pimdimm_buf *buf = dmabuf->priv;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	vma->vm_ops = &buf_vm_ops;
	vma->vm_private_data = buf;
	pimdimm_vm_flags_set(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	return 0;
}

static int buf_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct pimdimm_buf *buf = dmabuf->priv;
	void *addr = vmap(buf->pages, buf->nr_pages, VM_MAP, PAGE_KERNEL);

	if (!addr)
		return -ENOMEM;
	iosys_map_set_vaddr(map, addr);
	return 0;
}

static void buf_vunmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	vunmap(map->vaddr);
}

/*
 * Pages cannot be taken away, so they count like locked ones. They are charged
 * to the user, not to the process: that may end and leave its dma-bufs behind,
 * and its successors would have the limit to themselves again.
 */
static int buf_charge(struct pimdimm_buf *buf)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct user_struct *user = current_user();
	atomic_long_t *locked = pimdimm_locked_vm(user);
	long charged;

	if (capable(CAP_IPC_LOCK))
		return 0;
	charged = atomic_long_read(locked);
	do {
		if (buf->nr_pages > limit || charged > limit - buf->nr_pages)
			return -ENOMEM;
	} while (!atomic_long_try_cmpxchg(locked, &charged,
					  charged + buf->nr_pages));
	buf->user = get_uid(user);
	return 0;
}

static void buf_uncharge(struct pimdimm_buf *buf)
{
	if (!buf->user)
		return;
	atomic_long_sub(buf->nr_pages, pimdimm_locked_vm(buf->user));
	free_uid(buf->user);
}

/*
 * Spares reclaim the pages that it could not take anyway. All of the MRAM
 * becomes unevictable, so it is done only where all of it is accounted for.
 */
static void buf_set_unevictable(struct pimdimm_buf *buf, u64 window_size)
{
	if (buf->user && buf->nr_pages < window_size >> PAGE_SHIFT)
		return;
	pimdimm_mram_set_unevictable(buf->mram);
	buf->unevictable = true;
}

/* Pins the folio that the next page lies in, and takes all of its pages. */
static int buf_pin_folio(struct pimdimm_buf *buf)
{
	pgoff_t index = buf->pin.first + buf->nr_pinned;
	struct folio *folio = pimdimm_mram_pin_folio(buf->mram, index);
	unsigned int i, count;

	if (IS_ERR(folio))
		return PTR_ERR(folio);
	count = min_t(pgoff_t, buf->nr_pages - buf->nr_pinned,
		      folio->index + folio_nr_pages(folio) - index);
	for (i = 0; i < count; i++)
		buf->pages[buf->nr_pinned++] = folio_file_page(folio,
							       index + i);
	atomic_long_add(count, &buf->mram->pinned);
	return 0;
}

static int buf_pin_pages(struct pimdimm_buf *buf)
{
	buf->pages = kvmalloc_array(buf->nr_pages, sizeof(*buf->pages),
				    BUF_GFP);
	if (!buf->pages)
		return -ENOMEM;
	while (buf->nr_pinned < buf->nr_pages) {
		int err;

		if (fatal_signal_pending(current))
			return -EINTR;
		err = buf_pin_folio(buf);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/* Pages of a folio follow each other, with one pin for all of them. */
static void buf_unpin_pages(struct pimdimm_buf *buf, bool written)
{
	while (buf->nr_pinned) {
		struct page **last = &buf->pages[buf->nr_pinned - 1];
		struct folio *folio = page_folio(*last);
		unsigned int count = 1;

		while (count < buf->nr_pinned &&
		       page_folio(last[-(int)count]) == folio)
			count++;
		buf->nr_pinned -= count;
		atomic_long_sub(count, &buf->mram->pinned);
		pimdimm_mram_unpin_folio(folio, written);
		cond_resched();
	}
}

/* Takes back what has been done of an export, but for its pages. */
static void buf_free(struct pimdimm_buf *buf)
{
	if (buf->unevictable)
		pimdimm_mram_clear_unevictable(buf->mram);
	kvfree(buf->pages);
	buf_uncharge(buf);
	pimdimm_mram_unpin(buf->mram, &buf->pin);
	pimdimm_mram_put(buf->mram);
	kfree(buf);
}

static void buf_release(struct dma_buf *dmabuf)
{
	struct pimdimm_buf *buf = dmabuf->priv;

	/* a device may have written them, which nothing tells */
	buf_unpin_pages(buf, true);
	buf_free(buf);
}

/*
 * Where there was no memory, what has been taken of it is given back: without
 * swap nothing else would, and the next fault of anybody might find none.
 */
static void buf_abandon(struct pimdimm_buf *buf)
{
	buf_unpin_pages(buf, false);
	pimdimm_mram_drop_holes(buf->mram, buf->pin.first, buf->nr_pages);
	buf_free(buf);
}

static const struct dma_buf_ops buf_ops = {
	.attach = buf_attach,
	.detach = buf_detach,
	.map_dma_buf = buf_map,
	.unmap_dma_buf = buf_unmap,
	.begin_cpu_access = buf_begin_cpu_access,
	.end_cpu_access = buf_end_cpu_access,
	.mmap = buf_mmap,
	.vmap = buf_vmap,
	.vunmap = buf_vunmap,
	.release = buf_release,
};

/* A part of the window, with nothing of it pinned yet. */
static struct pimdimm_buf *buf_create(struct pimdimm_mram *mram, u64 offset,
				      u64 bytes)
{
	struct pimdimm_buf *buf;
	int err;

	/* what a 32-bit kernel cannot tell the length of */
	if (bytes != (size_t)bytes)
		return ERR_PTR(-ENOMEM);
	buf = kzalloc(sizeof(*buf), GFP_KERNEL_ACCOUNT);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	buf->pin.first = offset >> PAGE_SHIFT;
	buf->pin.count = bytes >> PAGE_SHIFT;
	err = pimdimm_mram_pin(mram, &buf->pin);
	if (err) {
		kfree(buf);
		return ERR_PTR(err);
	}
	kref_get(&mram->refs);
	buf->mram = mram;
	buf->nr_pages = bytes >> PAGE_SHIFT;
	mutex_init(&buf->lock);
	INIT_LIST_HEAD(&buf->attachments);
	return buf;
}

static struct dma_buf *buf_export(struct pimdimm_buf *buf)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);

	info.ops = &buf_ops;
	info.size = (size_t)buf->nr_pages << PAGE_SHIFT;
	info.flags = O_RDWR;
	info.priv = buf;
	return dma_buf_export(&info);
}

/**
 * pimdimm_export() - make a dma-buf of a part of the window
 * @rank: the rank, open
 * @arg: the call's arguments
 *
 * Context: may sleep; no lock held.
 * Return: the dma-buf, without a descriptor yet, or an ERR_PTR with an error
 * as <linux/pimdimm.h> says.
 */
struct dma_buf *pimdimm_export(struct pimdimm_rank *rank,
			       const struct pimdimm_export *arg)
{
	struct dma_buf *dmabuf;
	struct pimdimm_buf *buf;
	int err;

	err = pimdimm_check_export(arg, rank->sys->window_size);
	if (err)
		return ERR_PTR(err);
	buf = buf_create(rank->mram, arg->offset, arg->bytes);
	if (IS_ERR(buf))
		return ERR_CAST(buf);
	err = buf_charge(buf);
	if (err)
		goto err_abandon;
	buf_set_unevictable(buf, rank->sys->window_size);
	err = buf_pin_pages(buf);
	if (err)
		goto err_abandon;
	dmabuf = buf_export(buf);
	if (!IS_ERR(dmabuf))
		return dmabuf;
	err = PTR_ERR(dmabuf);
err_abandon:
	buf_abandon(buf);
	return ERR_PTR(err);
}
