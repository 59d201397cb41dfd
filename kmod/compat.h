/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that pimdimm builds for: 6.1 to 6.18. It
 * compiles for 7.2 too.
 */
#ifndef PIMDIMM_COMPAT_H
#define PIMDIMM_COMPAT_H

#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/user.h>
#include <linux/version.h>

/* The device that a class's devnode() is given became const. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define pimdimm_devnode_device	struct device
#else
#define pimdimm_devnode_device	const struct device
#endif

/* Under a name of our own: a distribution's older kernel may have the other. */
static inline void pimdimm_vm_flags_set(struct vm_area_struct *vma,
					unsigned long flags)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags |= flags;
#else
	vm_flags_set(vma, flags);
#endif
}

static inline void pimdimm_vm_flags_clear(struct vm_area_struct *vma,
					  unsigned long flags)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags &= ~flags;
#else
	vm_flags_clear(vma, flags);
#endif
}

static inline int pimdimm_call_mmap(struct file *file,
				    struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
	return call_mmap(file, vma);
#else
	return vfs_mmap(file, vma);
#endif
}

/*
 * Offsets of a file from 4 GiB on, which a 32-bit kernel takes where they are
 * declared as not signed: of each open file, and later of its operations.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define PIMDIMM_FILE_LARGE_OFFSETS	FMODE_UNSIGNED_OFFSET
#define PIMDIMM_FOPS_LARGE_OFFSETS
#else
#define PIMDIMM_FILE_LARGE_OFFSETS	0
#define PIMDIMM_FOPS_LARGE_OFFSETS	.fop_flags = FOP_UNSIGNED_OFFSET,
#endif

/* The flags of shmem_file_setup() became a type of their own. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define PIMDIMM_SHMEM_NORESERVE	VM_NORESERVE
#else
#define PIMDIMM_SHMEM_NORESERVE	mk_vma_flags(VMA_NORESERVE_BIT)
#endif

/*
 * Pins a folio of a shmem file for as long as one likes. It was found at @index,
 * with a reference that is given up; what is pinned is what is there now. Memory
 * that is to stay movable must not be pinned so: the kernel moves folios out of it
 * from 6.11 on, and before that has no call for modules that does. There they are
 * refused. So they should be in memory of CMA, which a module cannot tell.
 */
static inline struct folio *pimdimm_pin_folio(struct file *file, pgoff_t index,
					      struct folio *found)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	if (folio_zonenum(found) != ZONE_MOVABLE)
		return found;
	folio_put(found);
	return ERR_PTR(-ENOMEM);
#else
	loff_t at = (loff_t)index << PAGE_SHIFT;
	struct folio *folio;
	pgoff_t offset;
	long got;

	/* who moves a folio wants to be alone with it */
	folio_put(found);
	got = memfd_pin_folios(file, at, at + PAGE_SIZE - 1, &folio, 1,
			       &offset);
	if (got > 0)
		return folio;
	/* somebody else's reference kept it from being moved */
	return ERR_PTR(!got || got == -ENOMEM ? -EAGAIN : got);
#endif
}

static inline void pimdimm_unpin_folio(struct folio *folio)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	folio_put(folio);
#else
	unpin_folio(folio);
#endif
}

/* The argument of MODULE_IMPORT_NS() became a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define PIMDIMM_DMA_BUF_NS	DMA_BUF
#else
#define PIMDIMM_DMA_BUF_NS	"DMA_BUF"
#endif

/*
 * The count of a user's locked pages is there where somebody needs it, and these
 * two always do. In other kernels all users share a count of ours.
 */
static inline atomic_long_t *pimdimm_locked_vm(struct user_struct *user)
{
#if defined(CONFIG_NET) || defined(CONFIG_IO_URING)
	return &user->locked_vm;
#else
	static atomic_long_t locked;

	return &locked;
#endif
}

/* Importers came to hold the dma-buf's reservation lock. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define pimdimm_dma_buf_vmap	dma_buf_vmap
#define pimdimm_dma_buf_vunmap	dma_buf_vunmap
#else
#define pimdimm_dma_buf_vmap	dma_buf_vmap_unlocked
#define pimdimm_dma_buf_vunmap	dma_buf_vunmap_unlocked
#endif

#endif /* PIMDIMM_COMPAT_H */
