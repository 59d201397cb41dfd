// SPDX-License-Identifier: GPL-2.0-only
/*
 * Huge pages for MRAM, and a bound on it. What plain shmem does about them is the
 * administrator's setting for the whole machine, "never" unless changed, and it
 * has no bound; a mount of our own has both of its own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/shmem_fs.h>
#include <linux/string.h>

#include "kmod/compat.h"
#include "kmod/pimdimm.h"

static char *huge = "advise";
module_param(huge, charp, 0444);
MODULE_PARM_DESC(huge, "huge pages for MRAM: never, advise, within_size, always (advise)");

/*
 * Transfers fill MRAM without a page table: it is in no process's resident memory,
 * so the OOM killer does not see whose it is.
 */
static unsigned long memory;
module_param(memory, ulong, 0444);
MODULE_PARM_DESC(memory, "bytes that MRAM of all ranks may take together, 0 for any (0)");

static const char *const huge_names[] = {
	"never", "advise", "within_size", "always",
};

static struct vfsmount *huge_mount;

/*
 * A kernel without huge pages has no use for advice, but must not be taken for
 * one that gives what was demanded.
 */
static const char *huge_here(void)
{
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && !strcmp(huge, "advise"))
		return "never";
	return huge;
}

/**
 * pimdimm_huge_init() - make the mount that MRAM's files are on
 *
 * Return: 0 or a negative errno.
 */
int __init pimdimm_huge_init(void)
{
	char options[64];

	if (match_string(huge_names, ARRAY_SIZE(huge_names), huge) < 0) {
		pr_err("huge=%s: expected never, advise, within_size or always\n",
		       huge);
		return -EINVAL;
	}
	snprintf(options, sizeof(options), "huge=%s,size=%lu", huge_here(),
		 memory);
	huge_mount = vfs_kern_mount(get_fs_type("tmpfs"), SB_KERNMOUNT,
				    "pimdimm", options);
	/* newer ones say so when they find no memory for an inode */
	if (huge_mount == ERR_PTR(-ENOSPC))
		huge_mount = ERR_PTR(-ENOMEM);
	if (IS_ERR(huge_mount)) {
		pr_err("huge=%s: tmpfs of this kernel refuses it: %ld\n", huge,
		       PTR_ERR(huge_mount));
		return PTR_ERR(huge_mount);
	}
	return 0;
}

/* Files of mappings that outlive the module keep what they need of it. */
void pimdimm_huge_exit(void)
{
	kern_unmount(huge_mount);
}

/**
 * pimdimm_huge_file() - make a file of zeros
 * @name: what mappings of it are called
 * @size: its size
 *
 * Return: the file, or an ERR_PTR.
 */
struct file *pimdimm_huge_file(const char *name, u64 size)
{
	return shmem_file_setup_with_mnt(huge_mount, name, size,
					 PIMDIMM_SHMEM_NORESERVE);
}
