// SPDX-License-Identifier: GPL-2.0-only
/*
 * Further systems of ranks at run time, through configfs: mkdir, geometry,
 * enable. configfs cannot refuse rmdir on behalf of an item, but it refuses it
 * for one that others depend on; so an enabled system depends on its own item,
 * and it is disabling that tells whether it is in use.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/configfs.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmod/pimdimm.h"

#define PIMDIMM_SYSTEM_NAME_MAX	31

/**
 * struct pimdimm_item - a folder in /sys/kernel/config/pimdimm
 * @item: the folder
 * @lock: guards the rest
 * @geo: what its attributes say
 * @sys: the system while it is enabled, else NULL
 */
struct pimdimm_item {
	struct config_item item;
	/* guards geo and sys */
	struct mutex lock;
	struct pimdimm_system_geometry geo;
	struct pimdimm_system *sys;
};

static const struct pimdimm_system_geometry pimdimm_geometry_default = {
	.channels = 1,
	.ranks = 4,
	.mram_size = 1048576,
	.layout = PIMDIMM_LAYOUT_LINEAR,
};

/* A possible geometry with which any single value can be tried. */
static const struct pimdimm_system_geometry pimdimm_geometry_least = {
	.channels = 1,
	.ranks = 1,
	.mram_size = PIMDIMM_MRAM_MIN,
	.layout = PIMDIMM_LAYOUT_LINEAR,
};

static struct pimdimm_item *to_pimdimm_item(struct config_item *item)
{
	return container_of(item, struct pimdimm_item, item);
}

/* A value may be set while the system is not there. */
static int pimdimm_item_set(struct pimdimm_item *pi, unsigned long *to,
			    unsigned long value)
{
	int err = 0;

	mutex_lock(&pi->lock);
	if (pi->sys)
		err = -EBUSY;
	else
		*to = value;
	mutex_unlock(&pi->lock);
	return err;
}

/* Attributes with a number: what it can be depends on the others only in enable. */
#define PIMDIMM_ITEM_NUMBER(_name)					\
static ssize_t pimdimm_item_##_name##_show(struct config_item *item,	\
					   char *page)			\
{									\
	return sysfs_emit(page, "%lu\n",				\
			  READ_ONCE(to_pimdimm_item(item)->geo._name));	\
}									\
									\
static ssize_t pimdimm_item_##_name##_store(struct config_item *item,	\
					    const char *page,		\
					    size_t count)		\
{									\
	struct pimdimm_item *pi = to_pimdimm_item(item);		\
	struct pimdimm_system_geometry geo = pimdimm_geometry_least;		\
	int err;							\
									\
	err = kstrtoul(page, 10, &geo._name);				\
	if (!err)							\
		err = pimdimm_geometry_check(&geo);			\
	if (!err)							\
		err = pimdimm_item_set(pi, &pi->geo._name, geo._name);	\
	return err ?: count;						\
}									\
CONFIGFS_ATTR(pimdimm_item_, _name)

PIMDIMM_ITEM_NUMBER(channels);
PIMDIMM_ITEM_NUMBER(ranks);
PIMDIMM_ITEM_NUMBER(mram_size);

static ssize_t pimdimm_item_layout_show(struct config_item *item, char *page)
{
	u32 layout = READ_ONCE(to_pimdimm_item(item)->geo.layout);

	return sysfs_emit(page, "%s\n", pimdimm_layout_names[layout]);
}

static ssize_t pimdimm_item_layout_store(struct config_item *item,
					 const char *page, size_t count)
{
	struct pimdimm_item *pi = to_pimdimm_item(item);
	int layout;

	layout = __sysfs_match_string(pimdimm_layout_names, PIMDIMM_NR_LAYOUTS,
				      page);
	if (layout < 0)
		return layout;
	mutex_lock(&pi->lock);
	if (!pi->sys)
		pi->geo.layout = layout;
	else
		count = -EBUSY;
	mutex_unlock(&pi->lock);
	return count;
}
CONFIGFS_ATTR(pimdimm_item_, layout);

static ssize_t pimdimm_item_enable_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", !!READ_ONCE(to_pimdimm_item(item)->sys));
}

static int pimdimm_item_enable(struct pimdimm_item *pi)
{
	struct configfs_subsystem *subsys = pi->item.ci_group->cg_subsys;
	struct pimdimm_system *sys;
	int err;

	lockdep_assert_held(&pi->lock);
	err = pimdimm_geometry_check(&pi->geo);
	if (err)
		return err;
	/* fails where rmdir has come first */
	err = configfs_depend_item_unlocked(subsys, &pi->item);
	if (err)
		return err;
	sys = pimdimm_system_create(config_item_name(&pi->item), &pi->geo);
	if (IS_ERR(sys)) {
		configfs_undepend_item(&pi->item);
		return PTR_ERR(sys);
	}
	WRITE_ONCE(pi->sys, sys);
	return 0;
}

static int pimdimm_item_disable(struct pimdimm_item *pi)
{
	int err;

	lockdep_assert_held(&pi->lock);
	err = pimdimm_system_remove(pi->sys);
	if (err)
		return err;
	WRITE_ONCE(pi->sys, NULL);
	configfs_undepend_item(&pi->item);
	return 0;
}

static ssize_t pimdimm_item_enable_store(struct config_item *item,
					 const char *page, size_t count)
{
	struct pimdimm_item *pi = to_pimdimm_item(item);
	bool enable;
	int err;

	err = kstrtobool(page, &enable);
	if (err)
		return err;
	mutex_lock(&pi->lock);
	if (enable == !!pi->sys)
		err = 0;
	else if (enable)
		err = pimdimm_item_enable(pi);
	else
		err = pimdimm_item_disable(pi);
	mutex_unlock(&pi->lock);
	return err ?: count;
}
CONFIGFS_ATTR(pimdimm_item_, enable);

static struct configfs_attribute *pimdimm_item_attrs[] = {
	&pimdimm_item_attr_channels,
	&pimdimm_item_attr_enable,
	&pimdimm_item_attr_layout,
	&pimdimm_item_attr_mram_size,
	&pimdimm_item_attr_ranks,
	NULL,
};

static void pimdimm_item_release(struct config_item *item)
{
	struct pimdimm_item *pi = to_pimdimm_item(item);

	mutex_destroy(&pi->lock);
	kfree(pi);
}

static struct configfs_item_operations pimdimm_item_ops = {
	.release = pimdimm_item_release,
};

static const struct config_item_type pimdimm_item_type = {
	.ct_item_ops = &pimdimm_item_ops,
	.ct_attrs = pimdimm_item_attrs,
	.ct_owner = THIS_MODULE,
};

/* It becomes a folder in sysfs and a word in URIs. */
static int pimdimm_check_name(const char *name)
{
	const char *c;

	if (!strcmp(name, PIMDIMM_SYSTEM_DEFAULT))
		return -EEXIST;
	for (c = name; *c; c++) {
		if (!isascii(*c) || !(isalnum(*c) || strchr("_-.", *c)))
			return -EINVAL;
	}
	if (!isalnum(*name) || c - name > PIMDIMM_SYSTEM_NAME_MAX)
		return -EINVAL;
	return 0;
}

static struct config_item *pimdimm_make_item(struct config_group *group,
					     const char *name)
{
	struct pimdimm_item *pi;
	int err;

	err = pimdimm_check_name(name);
	if (err)
		return ERR_PTR(err);
	pi = kzalloc(sizeof(*pi), GFP_KERNEL);
	if (!pi)
		return ERR_PTR(-ENOMEM);
	mutex_init(&pi->lock);
	pi->geo = pimdimm_geometry_default;
	config_item_init_type_name(&pi->item, name, &pimdimm_item_type);
	return &pi->item;
}

static struct configfs_group_operations pimdimm_group_ops = {
	.make_item = pimdimm_make_item,
};

static const struct config_item_type pimdimm_group_type = {
	.ct_group_ops = &pimdimm_group_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem pimdimm_subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "pimdimm",
			.ci_type = &pimdimm_group_type,
		},
	},
};

static int __init pimdimm_configfs_init(void)
{
	config_group_init(&pimdimm_subsystem.su_group);
	mutex_init(&pimdimm_subsystem.su_mutex);
	return configfs_register_subsystem(&pimdimm_subsystem);
}
module_init(pimdimm_configfs_init);

/* A folder would hold the module. */
static void __exit pimdimm_configfs_exit(void)
{
	configfs_unregister_subsystem(&pimdimm_subsystem);
}
module_exit(pimdimm_configfs_exit);

MODULE_DESCRIPTION("Systems of pimdimm's ranks at run time");
MODULE_AUTHOR("The pimdimm authors");
MODULE_VERSION(PIMDIMM_VERSION);
MODULE_LICENSE("GPL");
