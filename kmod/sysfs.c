// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/pimdimm/pimdimmN: what is known of a rank without opening it.
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

#include "kmod/pimdimm.h"

/* An attribute that can be read, and whose value is an expression in @rank and @sys. */
#define PIMDIMM_ATTR_MODE(_name, _mode, _format, _value)		\
static ssize_t _name##_show(struct device *dev,			\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct pimdimm_rank *rank __maybe_unused = to_pimdimm_rank(dev); \
	const struct pimdimm_system *sys __maybe_unused = rank->sys;	\
									\
	return sysfs_emit(buf, _format "\n", _value);			\
}									\
static DEVICE_ATTR(_name, _mode, _name##_show, NULL)

#define PIMDIMM_ATTR(_name, _format, _value)				\
	PIMDIMM_ATTR_MODE(_name, 0444, _format, _value)

/*
 * What an owner does, to the byte and as it happens, and who it is: for root, and
 * whom the udev rule gives it to.
 */
#define PIMDIMM_PRIVATE(_name, _format, _value)				\
	PIMDIMM_ATTR_MODE(_name, 0440, _format, _value)

PIMDIMM_ATTR(abi, "%u", PIMDIMM_ABI);
PIMDIMM_ATTR(channel, "%u", rank->position / sys->ranks);
PIMDIMM_ATTR(channels, "%u", sys->channels);
PIMDIMM_ATTR(rank, "%u", rank->position % sys->ranks);
PIMDIMM_ATTR(ranks, "%u", sys->ranks);
PIMDIMM_ATTR(system, "%s", dev_name(&sys->dev));
PIMDIMM_ATTR(layout, "%s", pimdimm_layout_names[sys->layout]);
PIMDIMM_ATTR(mram_size, "%llu", sys->mram_size);
PIMDIMM_ATTR(window_size, "%llu", sys->window_size);
PIMDIMM_ATTR(opens, "%lld", (long long)atomic64_read(&rank->opens));
PIMDIMM_ATTR(resets, "%lld", (long long)atomic64_read(&rank->resets));
PIMDIMM_ATTR(exports, "%lld", (long long)atomic64_read(&rank->exports));
PIMDIMM_ATTR(errors, "%lld", (long long)atomic64_read(&rank->errors));
PIMDIMM_PRIVATE(transfers_to_mram, "%lld",
		(long long)atomic64_read(&rank->to_mram.transfers));
PIMDIMM_PRIVATE(bytes_to_mram, "%lld",
		(long long)atomic64_read(&rank->to_mram.bytes));
PIMDIMM_PRIVATE(transfers_from_mram, "%lld",
		(long long)atomic64_read(&rank->from_mram.transfers));
PIMDIMM_PRIVATE(bytes_from_mram, "%lld",
		(long long)atomic64_read(&rank->from_mram.bytes));

static ssize_t allocated_show(struct device *dev,
			      struct device_attribute *attr, char *buf)
{
	struct pimdimm_rank *rank = to_pimdimm_rank(dev);
	u64 bytes = 0;

	mutex_lock(&rank->lock);
	if (rank->mram)
		bytes = pimdimm_mram_allocated(rank->mram);
	mutex_unlock(&rank->lock);
	return sysfs_emit(buf, "%llu\n", bytes);
}
static DEVICE_ATTR_RO(allocated);

static ssize_t pinned_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	struct pimdimm_rank *rank = to_pimdimm_rank(dev);
	u64 pages = 0;

	mutex_lock(&rank->lock);
	if (rank->mram)
		pages = atomic_long_read(&rank->mram->pinned);
	mutex_unlock(&rank->lock);
	return sysfs_emit(buf, "%llu\n", pages << PAGE_SHIFT);
}
static DEVICE_ATTR_RO(pinned);

/*
 * The process that opened the node, 0 while nobody has it. -1 says that it is
 * taken but its opener has ended, having handed the descriptor on, or is not
 * visible from the reader's pid namespace.
 */
static ssize_t owner_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct pimdimm_rank *rank = to_pimdimm_rank(dev);
	int pid = 0;

	mutex_lock(&rank->lock);
	if (rank->owner) {
		rcu_read_lock();
		if (pid_task(rank->owner, PIDTYPE_TGID))
			pid = pid_vnr(rank->owner);
		rcu_read_unlock();
		pid = pid ?: -1;
	}
	mutex_unlock(&rank->lock);
	return sysfs_emit(buf, "%d\n", pid);
}

static struct device_attribute dev_attr_owner =
	__ATTR(owner, 0440, owner_show, NULL);

/* A rank that nobody has open is its host's. */
static ssize_t mux_show(struct device *dev, struct device_attribute *attr,
			char *buf)
{
	struct pimdimm_rank *rank = to_pimdimm_rank(dev);
	u32 owner = PIMDIMM_MUX_HOST;

	mutex_lock(&rank->lock);
	if (rank->mram)
		owner = pimdimm_view_owner(rank->mram->view);
	mutex_unlock(&rank->lock);
	return sysfs_emit(buf, "%s\n",
			  owner == PIMDIMM_MUX_PES ? "pes" : "host");
}
static DEVICE_ATTR_RO(mux);

static struct attribute *pimdimm_attrs[] = {
	&dev_attr_abi.attr,
	&dev_attr_allocated.attr,
	&dev_attr_bytes_from_mram.attr,
	&dev_attr_bytes_to_mram.attr,
	&dev_attr_channel.attr,
	&dev_attr_channels.attr,
	&dev_attr_errors.attr,
	&dev_attr_exports.attr,
	&dev_attr_layout.attr,
	&dev_attr_mram_size.attr,
	&dev_attr_mux.attr,
	&dev_attr_opens.attr,
	&dev_attr_owner.attr,
	&dev_attr_pinned.attr,
	&dev_attr_rank.attr,
	&dev_attr_ranks.attr,
	&dev_attr_resets.attr,
	&dev_attr_system.attr,
	&dev_attr_transfers_from_mram.attr,
	&dev_attr_transfers_to_mram.attr,
	&dev_attr_window_size.attr,
	NULL,
};

static const struct attribute_group pimdimm_group = {
	.attrs = pimdimm_attrs,
};

const struct attribute_group *pimdimm_groups[] = {
	&pimdimm_group,
	&pimdimm_inject_group,
	NULL,
};

/* /sys/class/pimdimm_system/NAME: a system, the ranks being folders in it. */
#define PIMDIMM_SYSTEM_ATTR(_name, _format, _value)			\
static ssize_t system_##_name##_show(struct device *dev,		\
				     struct device_attribute *attr,	\
				     char *buf)				\
{									\
	const struct pimdimm_system *sys = to_pimdimm_system(dev);	\
									\
	return sysfs_emit(buf, _format "\n", _value);			\
}									\
static struct device_attribute dev_attr_system_##_name =		\
	__ATTR(_name, 0444, system_##_name##_show, NULL)

PIMDIMM_SYSTEM_ATTR(channels, "%u", sys->channels);
PIMDIMM_SYSTEM_ATTR(ranks, "%u", sys->ranks);
PIMDIMM_SYSTEM_ATTR(layout, "%s", pimdimm_layout_names[sys->layout]);
PIMDIMM_SYSTEM_ATTR(mram_size, "%llu", sys->mram_size);
PIMDIMM_SYSTEM_ATTR(window_size, "%llu", sys->window_size);

static struct attribute *pimdimm_system_attrs[] = {
	&dev_attr_system_channels.attr,
	&dev_attr_system_layout.attr,
	&dev_attr_system_mram_size.attr,
	&dev_attr_system_ranks.attr,
	&dev_attr_system_window_size.attr,
	NULL,
};

static const struct attribute_group pimdimm_system_group = {
	.attrs = pimdimm_system_attrs,
};

const struct attribute_group *pimdimm_system_groups[] = {
	&pimdimm_system_group,
	NULL,
};
