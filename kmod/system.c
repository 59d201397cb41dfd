// SPDX-License-Identifier: GPL-2.0-only
/*
 * Systems of ranks: what a geometry may be, the devices and their life. One is
 * made of the module's parameters, others come and go while the module stays.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/compat.h"
#include "kmod/pimdimm.h"

const char *const pimdimm_layout_names[PIMDIMM_NR_LAYOUTS] = PIMDIMM_LAYOUT_NAMES;
EXPORT_SYMBOL_GPL(pimdimm_layout_names);

/* Guards the numbers, so that those of a system ascend. */
static DEFINE_MUTEX(pimdimm_systems_lock);
static DECLARE_BITMAP(pimdimm_numbers, PIMDIMM_MAX_RANKS);
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

static struct class pimdimm_system_class = {
	.name = "pimdimm_system",
};

static int pimdimm_check_counts(const struct pimdimm_system_geometry *geo)
{
	if (!geo->channels || geo->channels > PIMDIMM_MAX_RANKS) {
		pr_err("channels=%lu: expected 1 to %u\n", geo->channels,
		       PIMDIMM_MAX_RANKS);
		return -EINVAL;
	}
	if (!geo->ranks || geo->ranks > PIMDIMM_MAX_RANKS) {
		pr_err("ranks=%lu: expected 1 to %u\n", geo->ranks,
		       PIMDIMM_MAX_RANKS);
		return -EINVAL;
	}
	if (geo->channels * geo->ranks > PIMDIMM_MAX_RANKS) {
		pr_err("channels=%lu ranks=%lu: expected at most %u ranks in all\n",
		       geo->channels, geo->ranks, PIMDIMM_MAX_RANKS);
		return -EINVAL;
	}
	return 0;
}

/**
 * pimdimm_geometry_check() - tell whether a system can be like this
 * @geo: what is asked for; its layout is one that exists
 *
 * Return: 0, or -EINVAL after a message that says why not.
 */
int pimdimm_geometry_check(const struct pimdimm_system_geometry *geo)
{
	int err = pimdimm_check_counts(geo);

	if (err)
		return err;
	if (geo->mram_size < PIMDIMM_MRAM_MIN ||
	    geo->mram_size > PIMDIMM_MRAM_MAX ||
	    geo->mram_size % PIMDIMM_MRAM_ALIGN) {
		pr_err("mram_size=%lu: expected a multiple of %u from %u to %u\n",
		       geo->mram_size, PIMDIMM_MRAM_ALIGN, PIMDIMM_MRAM_MIN,
		       PIMDIMM_MRAM_MAX);
		return -EINVAL;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(pimdimm_geometry_check);

static void pimdimm_rank_free(struct device *dev)
{
	struct pimdimm_rank *rank = to_pimdimm_rank(dev);

	pimdimm_inject_free(rank);
	put_device(&rank->sys->dev);
	kfree(rank);
}

static struct pimdimm_rank *pimdimm_rank_create(struct pimdimm_system *sys,
						u32 position, u32 index)
{
	struct pimdimm_rank *rank;
	int err;

	rank = kzalloc(sizeof(*rank), GFP_KERNEL);
	if (!rank)
		return ERR_PTR(-ENOMEM);
	get_device(&sys->dev);
	rank->sys = sys;
	rank->index = index;
	rank->position = position;
	mutex_init(&rank->lock);
	rank->retired = true;

	/* groups are set before the device is added: udev finds them there */
	device_initialize(&rank->dev);
	rank->dev.class = &pimdimm_class;
	rank->dev.parent = &sys->dev;
	rank->dev.devt = MKDEV(MAJOR(pimdimm_devt), MINOR(pimdimm_devt) + index);
	rank->dev.groups = pimdimm_groups;
	rank->dev.release = pimdimm_rank_free;
	dev_set_uevent_suppress(&rank->dev, true);
	cdev_init(&rank->cdev, &pimdimm_fops);
	rank->cdev.owner = THIS_MODULE;

	err = pimdimm_inject_init(rank);
	if (!err)
		err = dev_set_name(&rank->dev, "pimdimm%u", index);
	if (!err)
		err = cdev_device_add(&rank->cdev, &rank->dev);
	if (err) {
		put_device(&rank->dev);
		return ERR_PTR(err);
	}
	pimdimm_debugfs_add(rank);
	return rank;
}

/* Whether the rank cannot be opened from now on; -EBUSY where it is open. */
static int pimdimm_rank_retire(struct pimdimm_rank *rank, bool retired)
{
	bool open;

	mutex_lock(&rank->lock);
	open = rank->mram;
	rank->retired = retired;
	mutex_unlock(&rank->lock);
	return open ? -EBUSY : 0;
}

static u32 pimdimm_system_count(const struct pimdimm_system *sys)
{
	return sys->channels * sys->ranks;
}

/* A node that is open nevertheless keeps its rank until it is closed. */
static void pimdimm_ranks_destroy(struct pimdimm_system *sys, u32 count)
{
	lockdep_assert_held(&pimdimm_systems_lock);
	while (count--) {
		struct pimdimm_rank *rank = sys->member[count];
		u32 index = rank->index;

		pimdimm_rank_retire(rank, true);
		pimdimm_debugfs_remove(rank);
		cdev_device_del(&rank->cdev, &rank->dev);
		put_device(&rank->dev);
		__clear_bit(index, pimdimm_numbers);
	}
}

/* Lets no node of the system be opened any more, unless one is open. */
static int pimdimm_ranks_retire(struct pimdimm_system *sys, u32 count)
{
	int err = 0;
	u32 i;

	for (i = 0; i < count && !err; i++)
		err = pimdimm_rank_retire(sys->member[i], true);
	while (err && i--)
		pimdimm_rank_retire(sys->member[i], false);
	return err;
}

static int pimdimm_ranks_create(struct pimdimm_system *sys)
{
	u32 count = pimdimm_system_count(sys);
	u32 i, index = 0;

	lockdep_assert_held(&pimdimm_systems_lock);
	if (bitmap_weight(pimdimm_numbers, PIMDIMM_MAX_RANKS) + count >
	    PIMDIMM_MAX_RANKS)
		return -ENOSPC;
	for (i = 0; i < count; i++) {
		struct pimdimm_rank *rank;

		index = find_next_zero_bit(pimdimm_numbers, PIMDIMM_MAX_RANKS,
					   index);
		rank = pimdimm_rank_create(sys, i, index);
		if (IS_ERR(rank)) {
			pimdimm_ranks_destroy(sys, i);
			return PTR_ERR(rank);
		}
		__set_bit(index, pimdimm_numbers);
		sys->member[i] = rank;
	}
	return 0;
}

static void pimdimm_announce(struct device *dev)
{
	dev_set_uevent_suppress(dev, false);
	kobject_uevent(&dev->kobj, KOBJ_ADD);
}

/*
 * Lets the system be used: nothing can fail any more. A module whose
 * initialization fails is freed even while a node of it is open, so all of them
 * can be opened, and are told of, together and last.
 */
static void pimdimm_system_begin(struct pimdimm_system *sys)
{
	u32 count = pimdimm_system_count(sys);
	u32 i;

	for (i = 0; i < count; i++)
		pimdimm_rank_retire(sys->member[i], false);
	pimdimm_announce(&sys->dev);
	for (i = 0; i < count; i++)
		pimdimm_announce(&sys->member[i]->dev);
}

static void pimdimm_system_free(struct device *dev)
{
	kfree(to_pimdimm_system(dev));
}

static struct pimdimm_system *
pimdimm_system_alloc(const struct pimdimm_system_geometry *geo)
{
	struct pimdimm_system *sys;

	sys = kzalloc(struct_size(sys, member, geo->channels * geo->ranks),
		      GFP_KERNEL);
	if (!sys)
		return NULL;
	sys->channels = geo->channels;
	sys->ranks = geo->ranks;
	sys->layout = geo->layout;
	sys->mram_size = geo->mram_size;
	sys->window_size = pimdimm_layout_span(geo->layout, geo->mram_size);

	device_initialize(&sys->dev);
	sys->dev.class = &pimdimm_system_class;
	sys->dev.groups = pimdimm_system_groups;
	sys->dev.release = pimdimm_system_free;
	dev_set_uevent_suppress(&sys->dev, true);
	return sys;
}

static int pimdimm_system_add(struct pimdimm_system *sys)
{
	int err;

	mutex_lock(&pimdimm_systems_lock);
	err = device_add(&sys->dev);
	if (!err) {
		err = pimdimm_ranks_create(sys);
		if (err)
			device_del(&sys->dev);
		else
			pimdimm_system_begin(sys);
	}
	mutex_unlock(&pimdimm_systems_lock);
	return err;
}

/**
 * pimdimm_system_create() - make a system and the nodes of its ranks
 * @name: its name in sysfs, which no other system has
 * @geo: its geometry, which pimdimm_geometry_check() takes
 *
 * Nodes get the lowest numbers that are free, ascending.
 *
 * Context: may sleep.
 * Return: the system or an ERR_PTR, -ENOSPC where there would be too many ranks.
 */
struct pimdimm_system *
pimdimm_system_create(const char *name, const struct pimdimm_system_geometry *geo)
{
	struct pimdimm_system *sys = pimdimm_system_alloc(geo);
	int err;

	if (!sys)
		return ERR_PTR(-ENOMEM);
	err = dev_set_name(&sys->dev, "%s", name);
	if (!err)
		err = pimdimm_system_add(sys);
	if (err) {
		put_device(&sys->dev);
		return ERR_PTR(err);
	}
	pr_info("%s: %u channels x %u ranks x 64 PEs, mram_size=%llu layout=%s window_size=%llu\n",
		name, sys->channels, sys->ranks, sys->mram_size,
		pimdimm_layout_names[sys->layout], sys->window_size);
	return sys;
}
EXPORT_SYMBOL_GPL(pimdimm_system_create);

static void pimdimm_system_end(struct pimdimm_system *sys)
{
	pimdimm_ranks_destroy(sys, pimdimm_system_count(sys));
	device_del(&sys->dev);
}

/**
 * pimdimm_system_remove() - take a system and its nodes away
 * @sys: the system, invalid after success
 *
 * Mappings and dma-bufs of its ranks go on as plain memory.
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY while one of the nodes is open; then nothing has changed.
 */
int pimdimm_system_remove(struct pimdimm_system *sys)
{
	int err;

	mutex_lock(&pimdimm_systems_lock);
	err = pimdimm_ranks_retire(sys, pimdimm_system_count(sys));
	if (!err)
		pimdimm_system_end(sys);
	mutex_unlock(&pimdimm_systems_lock);
	if (!err)
		put_device(&sys->dev);
	return err;
}
EXPORT_SYMBOL_GPL(pimdimm_system_remove);

/**
 * pimdimm_system_destroy() - take a system and its nodes away, whatever is open
 * @sys: the system
 *
 * Context: may sleep.
 */
void pimdimm_system_destroy(struct pimdimm_system *sys)
{
	mutex_lock(&pimdimm_systems_lock);
	pimdimm_system_end(sys);
	mutex_unlock(&pimdimm_systems_lock);
	put_device(&sys->dev);
}

/**
 * pimdimm_systems_init() - prepare for systems
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_systems_init(void)
{
	int err;

	err = class_register(&pimdimm_system_class);
	if (err)
		return err;
	err = class_register(&pimdimm_class);
	if (err)
		goto err_system_class;
	err = alloc_chrdev_region(&pimdimm_devt, 0, PIMDIMM_MAX_RANKS,
				  "pimdimm");
	if (err)
		goto err_class;
	pimdimm_debugfs_init();
	return 0;

err_class:
	class_unregister(&pimdimm_class);
err_system_class:
	class_unregister(&pimdimm_system_class);
	return err;
}

/** pimdimm_systems_exit() - undo pimdimm_systems_init(); no system is left */
void pimdimm_systems_exit(void)
{
	pimdimm_debugfs_exit();
	unregister_chrdev_region(pimdimm_devt, PIMDIMM_MAX_RANKS);
	class_unregister(&pimdimm_class);
	class_unregister(&pimdimm_system_class);
}
