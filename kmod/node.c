// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/pimdimmN: open, mmap and the ioctls' common form.
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "kmod/compat.h"
#include "kmod/pimdimm.h"
#include "kmod/args.h"
#include "kmod/trace.h"

/* MRAM of a new owner, and its views. */
static struct pimdimm_mram *pimdimm_new_mram(const struct pimdimm_rank *rank)
{
	struct pimdimm_mram *mram = pimdimm_mram_create(rank);
	int err;

	if (IS_ERR(mram))
		return mram;
	err = pimdimm_view_create(mram, rank->index);
	if (!err)
		return mram;
	pimdimm_mram_put(mram);
	return ERR_PTR(err);
}

static int pimdimm_fops_open(struct inode *inode, struct file *file)
{
	struct pimdimm_rank *rank =
		container_of(inode->i_cdev, struct pimdimm_rank, cdev);
	struct pimdimm_mram *mram;
	int err = 0;

	mutex_lock(&rank->lock);
	if (rank->retired || rank->mram) {
		err = -EBUSY;
		goto out;
	}
	err = pimdimm_inject_open(rank);
	if (err)
		goto out;
	mram = pimdimm_new_mram(rank);
	if (IS_ERR(mram)) {
		err = PTR_ERR(mram);
		goto out;
	}
	rank->mram = mram;
	rank->owner = get_pid(task_tgid(current));
	file->private_data = rank;
	file->f_mode |= PIMDIMM_FILE_LARGE_OFFSETS;
out:
	mutex_unlock(&rank->lock);
	atomic64_inc(err ? &rank->errors : &rank->opens);
	trace_pimdimm_open(rank, file->f_flags, err);
	return err;
}

/* Mappings and dma-bufs that outlive this keep the file; nobody else gets it. */
static int pimdimm_fops_release(struct inode *inode, struct file *file)
{
	struct pimdimm_rank *rank = file->private_data;
	struct pimdimm_mram *mram;
	struct pid *owner;

	mutex_lock(&rank->lock);
	mram = rank->mram;
	owner = rank->owner;
	rank->mram = NULL;
	rank->owner = NULL;
	mutex_unlock(&rank->lock);

	if (trace_pimdimm_release_enabled())
		trace_pimdimm_release(rank, pimdimm_mram_allocated(mram));
	pimdimm_view_end(mram);
	pimdimm_mram_put(mram);
	put_pid(owner);
	return 0;
}

static int pimdimm_fops_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pimdimm_rank *rank = file->private_data;

	if (vma->vm_pgoff == PIMDIMM_MMAP_STATUS >> PAGE_SHIFT)
		return pimdimm_inject_map(rank, vma);
	if (READ_ONCE(rank->injector.lost))
		return -ENODEV;
	return pimdimm_view_map(rank->mram, rank->sys->window_size, vma);
}

/* The file that will be mapped knows what alignment its huge pages need. */
static unsigned long
pimdimm_fops_get_unmapped_area(struct file *file, unsigned long addr,
			       unsigned long len, unsigned long pgoff,
			       unsigned long flags)
{
	struct pimdimm_rank *rank = file->private_data;
	struct file *mram = rank->mram->file;

	return mram->f_op->get_unmapped_area(mram, addr, len, pgoff, flags);
}

static int pimdimm_ioctl_query(struct file *file, void *arg)
{
	struct pimdimm_rank *rank = file->private_data;
	const struct pimdimm_system *sys = rank->sys;
	struct pimdimm_query *query = arg;
	int err = pimdimm_check_query(query);

	if (err)
		return err;
	query->out_abi = PIMDIMM_ABI;
	query->out_layout = sys->layout;
	query->out_channel = rank->position / sys->ranks;
	query->out_rank = rank->position % sys->ranks;
	query->out_channels = sys->channels;
	query->out_ranks = sys->ranks;
	query->out_mram_size = sys->mram_size;
	query->out_window_size = sys->window_size;
	query->out_features = PIMDIMM_FEATURES;
	return 0;
}

static int pimdimm_ioctl_xfer(struct file *file, void *arg)
{
	struct pimdimm_rank *rank = file->private_data;
	struct pimdimm_xfer *xfer = arg;
	bool from_mram = xfer->flags & PIMDIMM_XFER_FROM_MRAM;

	trace_pimdimm_xfer_begin(rank, xfer);
	if (!(file->f_mode & (from_mram ? FMODE_READ : FMODE_WRITE)))
		return -EBADF;
	return pimdimm_xfer(rank, xfer);
}

static int pimdimm_ioctl_reset(struct file *file, void *arg)
{
	struct pimdimm_rank *rank = file->private_data;
	int err = pimdimm_check_reset(arg);

	if (err)
		return err;
	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	err = pimdimm_view_keep(rank->mram->view);
	if (err)
		return err;
	err = pimdimm_mram_reset(rank->mram, rank->sys->window_size);
	pimdimm_view_release(rank->mram->view);
	if (!err)
		atomic64_inc(&rank->resets);
	return err;
}

/* EXPORT under way: between its two halves the caller is told the descriptor. */
struct pimdimm_exporting {
	struct pimdimm_export arg;
	struct dma_buf *dmabuf;
};

#ifdef CONFIG_DMA_SHARED_BUFFER
static int pimdimm_ioctl_export(struct file *file, void *arg)
{
	struct pimdimm_rank *rank = file->private_data;
	struct pimdimm_exporting *exporting = arg;
	struct dma_buf *dmabuf;
	int fd;

	/* whoever has it may read and write it, devices included */
	if ((file->f_mode & (FMODE_READ | FMODE_WRITE)) !=
	    (FMODE_READ | FMODE_WRITE))
		return -EBADF;
	dmabuf = pimdimm_export(rank, &exporting->arg);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		dma_buf_put(dmabuf);
		return fd;
	}
	exporting->dmabuf = dmabuf;
	exporting->arg.out_fd = fd;
	atomic64_inc(&rank->exports);
	return 0;
}

/* Nobody can undo an installed descriptor, so it comes last. */
static void pimdimm_finish_export(void *arg, int err)
{
	struct pimdimm_exporting *exporting = arg;

	if (err) {
		put_unused_fd(exporting->arg.out_fd);
		dma_buf_put(exporting->dmabuf);
	} else {
		fd_install(exporting->arg.out_fd, exporting->dmabuf->file);
	}
}
#else
/* Not offered in out_features: the arguments' form is all that is checked. */
static int pimdimm_ioctl_export(struct file *file, void *arg)
{
	struct pimdimm_exporting *exporting = arg;

	if (!exporting->arg.flags && exporting->arg.reserved)
		return -EINVAL;
	return -EOPNOTSUPP;
}

static void pimdimm_finish_export(void *arg, int err)
{
}
#endif

static int pimdimm_ioctl_mux(struct file *file, void *arg)
{
	struct pimdimm_rank *rank = file->private_data;
	struct pimdimm_mux *mux = arg;
	int err = pimdimm_check_mux(mux);

	if (err)
		return err;
	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	return pimdimm_view_mux(rank->mram, mux->owner);
}

static void pimdimm_trace_xfer(const struct pimdimm_rank *rank,
			       const void *arg, int ret)
{
	trace_pimdimm_xfer_end(rank, arg, ret);
}

static void pimdimm_trace_reset(const struct pimdimm_rank *rank,
				const void *arg, int ret)
{
	trace_pimdimm_reset(rank, ret);
}

static void pimdimm_trace_export(const struct pimdimm_rank *rank,
				 const void *arg, int ret)
{
	const struct pimdimm_exporting *exporting = arg;

	trace_pimdimm_export(rank, &exporting->arg, ret);
}

static void pimdimm_trace_mux(const struct pimdimm_rank *rank, const void *arg,
			      int ret)
{
	trace_pimdimm_mux(rank, arg, ret);
}

static int pimdimm_ioctl_touch(struct file *file, void *arg)
{
	struct pimdimm_touch *touch = arg;
	struct pimdimm_fate fate;
	int err = pimdimm_check_touch(touch);

	if (err)
		return err;
	err = pimdimm_inject_fate(file->private_data, touch->words, &fate);
	if (err)
		return err;
	touch->out_fails = fate.fails;
	touch->out_late = fate.late;
	touch->out_flips = fate.flips;
	touch->out_draw = fate.draw;
	return 0;
}

union pimdimm_ioctl_arg {
	struct pimdimm_query query;
	struct pimdimm_xfer xfer;
	struct pimdimm_reset reset;
	struct pimdimm_exporting exporting;
	struct pimdimm_mux mux;
	struct pimdimm_touch touch;
};

/**
 * struct pimdimm_ioctl_op - an ioctl
 * @size: bytes of its structure
 * @min_size: bytes that its first version had
 * @out_begin: where the fields begin that it writes
 * @out_end: where they end
 * @execute: does it; the structure is in kernel memory
 * @trace: traces how that ended; or NULL
 * @finish: ends what @execute did well, knowing whether its outcome could be
 *          told to the caller; or NULL
 */
struct pimdimm_ioctl_op {
	u32 size;
	u32 min_size;
	u32 out_begin;
	u32 out_end;
	int (*execute)(struct file *file, void *arg);
	void (*trace)(const struct pimdimm_rank *rank, const void *arg,
		      int ret);
	void (*finish)(void *arg, int err);
};

static const struct pimdimm_ioctl_op pimdimm_ioctl_ops[] = {
	[_IOC_NR(PIMDIMM_IOC_QUERY)] = {
		.size = sizeof(struct pimdimm_query),
		.min_size = offsetofend(struct pimdimm_query, out_features),
		.out_begin = offsetof(struct pimdimm_query, out_abi),
		.out_end = offsetofend(struct pimdimm_query, out_features),
		.execute = pimdimm_ioctl_query,
	},
	[_IOC_NR(PIMDIMM_IOC_XFER)] = {
		.size = sizeof(struct pimdimm_xfer),
		.min_size = offsetofend(struct pimdimm_xfer, out_bytes),
		.out_begin = offsetof(struct pimdimm_xfer, out_bytes),
		.out_end = offsetofend(struct pimdimm_xfer, out_bytes),
		.execute = pimdimm_ioctl_xfer,
		.trace = pimdimm_trace_xfer,
	},
	[_IOC_NR(PIMDIMM_IOC_RESET)] = {
		.size = sizeof(struct pimdimm_reset),
		.min_size = offsetofend(struct pimdimm_reset, flags),
		.execute = pimdimm_ioctl_reset,
		.trace = pimdimm_trace_reset,
	},
	[_IOC_NR(PIMDIMM_IOC_EXPORT)] = {
		.size = sizeof(struct pimdimm_export),
		.min_size = offsetofend(struct pimdimm_export, reserved),
		.out_begin = offsetof(struct pimdimm_export, out_fd),
		.out_end = offsetofend(struct pimdimm_export, out_fd),
		.execute = pimdimm_ioctl_export,
		.trace = pimdimm_trace_export,
		.finish = pimdimm_finish_export,
	},
	[_IOC_NR(PIMDIMM_IOC_MUX)] = {
		.size = sizeof(struct pimdimm_mux),
		.min_size = offsetofend(struct pimdimm_mux, reserved),
		.execute = pimdimm_ioctl_mux,
		.trace = pimdimm_trace_mux,
	},
	[_IOC_NR(PIMDIMM_IOC_TOUCH)] = {
		.size = sizeof(struct pimdimm_touch),
		.min_size = offsetofend(struct pimdimm_touch, out_draw),
		.out_begin = offsetof(struct pimdimm_touch, out_fails),
		.out_end = offsetofend(struct pimdimm_touch, out_draw),
		.execute = pimdimm_ioctl_touch,
	},
};

static const struct pimdimm_ioctl_op *pimdimm_ioctl_find(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (cmd != _IO(PIMDIMM_IOC_MAGIC, nr) ||
	    nr >= ARRAY_SIZE(pimdimm_ioctl_ops))
		return NULL;
	nr = array_index_nospec(nr, ARRAY_SIZE(pimdimm_ioctl_ops));
	return &pimdimm_ioctl_ops[nr];
}

static int pimdimm_ioctl_tell(const struct pimdimm_ioctl_op *op,
			      void __user *user, const void *arg, u32 size)
{
	u32 end = min(size, op->out_end);

	if (end > op->out_begin &&
	    copy_to_user(user + op->out_begin, arg + op->out_begin,
			 end - op->out_begin))
		return -EFAULT;
	return 0;
}

static int pimdimm_ioctl_run(const struct pimdimm_ioctl_op *op,
			     struct file *file, void __user *user)
{
	struct pimdimm_rank *rank = file->private_data;
	union pimdimm_ioctl_arg arg = {};
	u32 size;
	int err;

	/* from here on the size is this one: the caller may change its own */
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < op->min_size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&arg, op->size, user, size);
	if (err)
		return err;

	if (READ_ONCE(rank->injector.lost) && op->execute != pimdimm_ioctl_query)
		return -ENODEV;
	err = op->execute(file, &arg);
	if (op->trace)
		op->trace(file->private_data, &arg, err);
	if (err)
		return err;

	err = pimdimm_ioctl_tell(op, user, &arg, size);
	if (op->finish)
		op->finish(&arg, err);
	return err;
}

static long pimdimm_fops_unl_ioctl(struct file *file, unsigned int cmd,
				   unsigned long uarg)
{
	const struct pimdimm_ioctl_op *op = pimdimm_ioctl_find(cmd);
	struct pimdimm_rank *rank = file->private_data;
	int err;

	/* what is none of our calls, such as a terminal's, is no error of one */
	if (!op)
		return -ENOTTY;
	err = pimdimm_ioctl_run(op, file, (void __user *)uarg);
	if (err)
		atomic64_inc(&rank->errors);
	return err;
}

const struct file_operations pimdimm_fops = {
	.owner = THIS_MODULE,
	PIMDIMM_FOPS_LARGE_OFFSETS
	.open = pimdimm_fops_open,
	.release = pimdimm_fops_release,
	.mmap = pimdimm_fops_mmap,
	.get_unmapped_area = pimdimm_fops_get_unmapped_area,
	.unlocked_ioctl = pimdimm_fops_unl_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
