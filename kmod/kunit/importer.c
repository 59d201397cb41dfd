// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests from user space, an importer that maps dma-bufs into the kernel, as
 * graphics drivers do that need hardware. Write a descriptor's number to
 * /sys/kernel/debug/pimdimm_test/vmap: of the dma-buf it adds 1 to the first byte
 * of each page.
 */
#include <linux/debugfs.h>
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/module.h>

#include "kmod/compat.h"

MODULE_IMPORT_NS(PIMDIMM_DMA_BUF_NS);

static int importer_touch(struct dma_buf *dmabuf)
{
	struct iosys_map map;
	size_t at;
	u8 *bytes;
	int err;

	err = pimdimm_dma_buf_vmap(dmabuf, &map);
	if (err)
		return err;
	bytes = map.vaddr;
	for (at = 0; at < dmabuf->size; at += PAGE_SIZE)
		bytes[at]++;
	pimdimm_dma_buf_vunmap(dmabuf, &map);
	return 0;
}

static int importer_access(struct dma_buf *dmabuf)
{
	int err;

	err = dma_buf_begin_cpu_access(dmabuf, DMA_BIDIRECTIONAL);
	if (err)
		return err;
	err = importer_touch(dmabuf);
	return dma_buf_end_cpu_access(dmabuf, DMA_BIDIRECTIONAL) ?: err;
}

static ssize_t vmap_write(struct file *file, const char __user *user,
			  size_t count, loff_t *pos)
{
	struct dma_buf *dmabuf;
	int fd, err;

	err = kstrtoint_from_user(user, count, 10, &fd);
	if (err)
		return err;
	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	err = importer_access(dmabuf);
	dma_buf_put(dmabuf);
	return err ?: count;
}

static const struct file_operations vmap_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = vmap_write,
};

static struct dentry *importer_debugfs;

static int __init importer_init(void)
{
	importer_debugfs = debugfs_create_dir("pimdimm_test", NULL);
	debugfs_create_file("vmap", 0200, importer_debugfs, NULL, &vmap_fops);
	return 0;
}
module_init(importer_init);

static void __exit importer_exit(void)
{
	debugfs_remove(importer_debugfs);
}
module_exit(importer_exit);
