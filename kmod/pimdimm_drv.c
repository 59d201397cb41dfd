// SPDX-License-Identifier: GPL-2.0-only
/*
 * pimdimm: emulated ranks of processing-in-DIMM memory. The module's
 * parameters, its devices and their life.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/init.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "pimdimm.h"

/* Parameters of type "number": unsigned long, but saying what is expected. */
static int param_set_number(const char *val, const struct kernel_param *kp)
{
	int err = param_set_ulong(val, kp);

	if (err)
		pr_err("%s=%s: expected a positive integer\n", kp->name, val);
	return err;
}

static const struct kernel_param_ops param_ops_number = {
	.set = param_set_number,
	.get = param_get_ulong,
};

#define param_check_number(name, p)	param_check_ulong(name, p)

static unsigned long channels = 1;
module_param(channels, number, 0444);
MODULE_PARM_DESC(channels, "memory channels (1)");

static unsigned long ranks = 4;
module_param(ranks, number, 0444);
MODULE_PARM_DESC(ranks, "ranks of each channel (4), 256 in all at most");

static unsigned long mram_size = 1048576;
module_param(mram_size, number, 0444);
MODULE_PARM_DESC(mram_size,
		 "bytes of MRAM of each PE (1048576), a multiple of 4096 from 65536 to 67108864");

static char *layout = "linear";
module_param(layout, charp, 0444);
MODULE_PARM_DESC(layout, "where blocks lie in a window: linear, xeon_sp (linear)");

const char *const pimdimm_layout_names[PIMDIMM_NR_LAYOUTS] = {
	[PIMDIMM_LAYOUT_LINEAR] = "linear",
	[PIMDIMM_LAYOUT_XEON_SP] = "xeon_sp",
};

static struct pimdimm_system pimdimm_system;
static struct pimdimm_rank *pimdimm_ranks[PIMDIMM_MAX_RANKS];
static dev_t pimdimm_devt;

static char *pimdimm_devnode(pimdimm_devnode_device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return NULL;
}

static struct class pimdimm_class = {
	.name = "pimdimm",
	.devnode = pimdimm_devnode,
};

static void pimdimm_rank_free(struct device *dev)
{
	kfree(to_pimdimm_rank(dev));
}

static struct pimdimm_rank *pimdimm_rank_create(u32 index)
{
	struct pimdimm_rank *rank;
	int err;

	rank = kzalloc(sizeof(*rank), GFP_KERNEL);
	if (!rank)
		return ERR_PTR(-ENOMEM);
	rank->sys = &pimdimm_system;
	rank->index = index;
	mutex_init(&rank->lock);

	/* groups are set before the device is added: udev finds them there */
	device_initialize(&rank->dev);
	rank->dev.class = &pimdimm_class;
	rank->dev.devt = MKDEV(MAJOR(pimdimm_devt), MINOR(pimdimm_devt) + index);
	rank->dev.groups = pimdimm_groups;
	rank->dev.release = pimdimm_rank_free;
	cdev_init(&rank->cdev, &pimdimm_fops);
	rank->cdev.owner = THIS_MODULE;

	err = dev_set_name(&rank->dev, "pimdimm%u", index);
	if (!err)
		err = cdev_device_add(&rank->cdev, &rank->dev);
	if (err) {
		put_device(&rank->dev);
		return ERR_PTR(err);
	}
	return rank;
}

/* No node can be open: that would hold the module. */
static void pimdimm_ranks_destroy(u32 count)
{
	while (count--) {
		struct pimdimm_rank *rank = pimdimm_ranks[count];

		cdev_device_del(&rank->cdev, &rank->dev);
		put_device(&rank->dev);
	}
}

static int __init pimdimm_ranks_create(u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		struct pimdimm_rank *rank = pimdimm_rank_create(i);

		if (IS_ERR(rank)) {
			pimdimm_ranks_destroy(i);
			return PTR_ERR(rank);
		}
		pimdimm_ranks[i] = rank;
	}
	return 0;
}

static int __init pimdimm_check_counts(void)
{
	if (!channels || channels > PIMDIMM_MAX_RANKS) {
		pr_err("channels=%lu: expected 1 to %u\n", channels,
		       PIMDIMM_MAX_RANKS);
		return -EINVAL;
	}
	if (!ranks || ranks > PIMDIMM_MAX_RANKS) {
		pr_err("ranks=%lu: expected 1 to %u\n", ranks,
		       PIMDIMM_MAX_RANKS);
		return -EINVAL;
	}
	if (channels * ranks > PIMDIMM_MAX_RANKS) {
		pr_err("channels=%lu ranks=%lu: expected at most %u ranks in all\n",
		       channels, ranks, PIMDIMM_MAX_RANKS);
		return -EINVAL;
	}
	return 0;
}

/* Turns the parameters into the system they describe, or says why not. */
static int __init pimdimm_configure(struct pimdimm_system *sys)
{
	int known, err;

	err = pimdimm_check_counts();
	if (err)
		return err;
	if (mram_size < PIMDIMM_MRAM_MIN || mram_size > PIMDIMM_MRAM_MAX ||
	    mram_size % PIMDIMM_MRAM_ALIGN) {
		pr_err("mram_size=%lu: expected a multiple of %u from %u to %u\n",
		       mram_size, PIMDIMM_MRAM_ALIGN, PIMDIMM_MRAM_MIN,
		       PIMDIMM_MRAM_MAX);
		return -EINVAL;
	}
	known = match_string(pimdimm_layout_names, PIMDIMM_NR_LAYOUTS, layout);
	if (known < 0) {
		pr_err("layout=%s: expected linear or xeon_sp\n", layout);
		return -EINVAL;
	}

	sys->channels = channels;
	sys->ranks = ranks;
	sys->layout = known;
	sys->mram_size = mram_size;
	sys->window_size = pimdimm_layout_span(sys->layout, mram_size);
	return 0;
}

static int __init pimdimm_init(void)
{
	struct pimdimm_system *sys = &pimdimm_system;
	u32 count;
	int err;

	err = pimdimm_configure(sys);
	if (err)
		return err;
	count = sys->channels * sys->ranks;

	err = class_register(&pimdimm_class);
	if (err)
		return err;
	err = alloc_chrdev_region(&pimdimm_devt, 0, count, "pimdimm");
	if (err)
		goto err_class;
	err = pimdimm_ranks_create(count);
	if (err)
		goto err_region;

	pr_info("%s: %u channels x %u ranks x 64 PEs, mram_size=%llu layout=%s window_size=%llu\n",
		PIMDIMM_VERSION, sys->channels, sys->ranks, sys->mram_size,
		pimdimm_layout_names[sys->layout], sys->window_size);
	return 0;

err_region:
	unregister_chrdev_region(pimdimm_devt, count);
err_class:
	class_unregister(&pimdimm_class);
	return err;
}
module_init(pimdimm_init);

static void __exit pimdimm_exit(void)
{
	u32 count = pimdimm_system.channels * pimdimm_system.ranks;

	pimdimm_ranks_destroy(count);
	unregister_chrdev_region(pimdimm_devt, count);
	class_unregister(&pimdimm_class);
}
module_exit(pimdimm_exit);

MODULE_DESCRIPTION("Emulated ranks of processing-in-DIMM memory");
MODULE_AUTHOR("The pimdimm authors");
MODULE_VERSION(PIMDIMM_VERSION);
MODULE_LICENSE("GPL");
