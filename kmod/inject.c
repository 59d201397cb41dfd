// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults: transfers of a rank fail, dawdle, lose bits, or the rank goes,
 * as the files in /sys/class/pimdimm/pimdimmN/inject ask for. Distributions'
 * kernels lack the kernel's own fault injection, which knows nothing of ranks
 * either; and sysfs, unlike debugfs, is there on a locked-down machine and can be
 * handed to a group.
 */
#include <linux/highmem.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/sysfs.h>

#include "kmod/compat.h"
#include "kmod/pimdimm.h"
#include "kmod/trace.h"

/**
 * pimdimm_inject_init() - let a new rank be without faults
 * @rank: the rank; its position is known
 *
 * Return: 0 or -ENOMEM.
 */
int pimdimm_inject_init(struct pimdimm_rank *rank)
{
	struct pimdimm_injector *ij = &rank->injector;

	spin_lock_init(&ij->lock);
	pimdimm_inject_seed(&ij->knobs, 0, rank->position);
	ij->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	return ij->page ? 0 : -ENOMEM;
}

/**
 * pimdimm_inject_free() - undo pimdimm_inject_init()
 * @rank: the rank
 */
void pimdimm_inject_free(struct pimdimm_rank *rank)
{
	/* mappings of it have references of their own */
	if (rank->injector.page)
		put_page(rank->injector.page);
}

/* Shows user space what it must know, after a change. */
static void pimdimm_inject_tell(struct pimdimm_injector *ij)
{
	struct pimdimm_status *status = page_address(ij->page);
	u32 flags = 0;

	lockdep_assert_held(&ij->lock);
	if (pimdimm_inject_armed(&ij->knobs))
		flags |= PIMDIMM_STATUS_ARMED;
	if (ij->lost)
		flags |= PIMDIMM_STATUS_GONE;
	WRITE_ONCE(status->flags, flags);
}

/* The rank's MRAM with a reference, where its owner has not lost it before. */
static struct pimdimm_mram *pimdimm_inject_take(struct pimdimm_rank *rank)
{
	struct pimdimm_injector *ij = &rank->injector;
	struct pimdimm_mram *mram = NULL;

	mutex_lock(&rank->lock);
	if (rank->mram && !ij->lost) {
		spin_lock(&ij->lock);
		WRITE_ONCE(ij->lost, true);
		pimdimm_inject_tell(ij);
		spin_unlock(&ij->lock);
		mram = rank->mram;
		kref_get(&mram->refs);
	}
	mutex_unlock(&rank->lock);
	return mram;
}

/*
 * The present owner loses the rank, with what it held. Its mappings stay, of
 * memory that belongs to nobody, nor to the PEs. Raising SIGBUS is no option: a
 * library cannot install a handler on its caller's behalf. What dma-bufs hold
 * keeps its bytes.
 */
static void pimdimm_inject_lose(struct pimdimm_rank *rank)
{
	struct pimdimm_mram *mram = pimdimm_inject_take(rank);

	if (!mram)
		return;
	pimdimm_view_end(mram);
	pimdimm_mram_clear_unpinned(mram, rank->sys->window_size);
	pimdimm_mram_put(mram);
}

/**
 * pimdimm_inject_open() - a new owner comes
 * @rank: the rank
 *
 * Context: the rank's lock is held.
 * Return: 0, or -ENODEV while the rank is gone.
 */
int pimdimm_inject_open(struct pimdimm_rank *rank)
{
	struct pimdimm_injector *ij = &rank->injector;
	int err = 0;

	lockdep_assert_held(&rank->lock);
	spin_lock(&ij->lock);
	if (ij->knobs.gone)
		err = -ENODEV;
	else
		WRITE_ONCE(ij->lost, false);
	pimdimm_inject_tell(ij);
	spin_unlock(&ij->lock);
	return err;
}

/**
 * pimdimm_inject_map() - map the status
 * @rank: the rank, open
 * @vma: the mapping, at PIMDIMM_MMAP_STATUS
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_inject_map(struct pimdimm_rank *rank, struct vm_area_struct *vma)
{
	if (vma_pages(vma) != 1 || !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	pimdimm_vm_flags_clear(vma, VM_MAYWRITE);
	pimdimm_vm_flags_set(vma, VM_DONTDUMP | VM_DONTEXPAND);
	return vm_insert_page(vma, vma->vm_start, rank->injector.page);
}

/* what a delay may be longer than it is asked to be, for the kernel to choose */
#define PIMDIMM_DELAY_SLACK	(50 * NSEC_PER_USEC)

/*
 * A delay ends early at a signal, which is not the transfer's business. Jiffies are late
 * where a virtual machine has had to wait, and a timeout that begins then is too short.
 */
static void pimdimm_inject_delay(u32 us)
{
	ktime_t delay = ns_to_ktime((u64)us * NSEC_PER_USEC);

	set_current_state(TASK_INTERRUPTIBLE);
	schedule_hrtimeout_range(&delay, PIMDIMM_DELAY_SLACK, HRTIMER_MODE_REL);
}

/**
 * pimdimm_inject_fate() - decide of a transfer, and delay it
 * @rank: the rank, open
 * @words: words of all PEs that it moves
 * @fate: receives what is to become of it
 *
 * Context: may sleep.
 * Return: 0, or -ENODEV where the rank is gone.
 */
int pimdimm_inject_fate(struct pimdimm_rank *rank, u64 words,
			struct pimdimm_fate *fate)
{
	struct pimdimm_injector *ij = &rank->injector;

	memset(fate, 0, sizeof(*fate));
	if (READ_ONCE(ij->lost))
		return -ENODEV;
	/* knobs that are turned this very moment may miss a transfer */
	if (!data_race(pimdimm_inject_armed(&ij->knobs)))
		return 0;
	spin_lock(&ij->lock);
	*fate = pimdimm_inject_draw(&ij->knobs, words);
	ij->failures += fate->fails && !fate->gone;
	ij->flips += fate->gone ? 0 : fate->flips;
	pimdimm_inject_tell(ij);
	spin_unlock(&ij->lock);
	if (fate->gone || fate->fails || fate->delay_us || fate->flips)
		trace_pimdimm_inject(rank, fate);
	if (fate->gone) {
		pimdimm_inject_lose(rank);
		return -ENODEV;
	}
	if (fate->delay_us)
		pimdimm_inject_delay(fate->delay_us);
	return 0;
}

/* Flips the bit of a PE's word, bytes of which lie 8 apart in its block. */
static int pimdimm_inject_flip(struct pimdimm_rank *rank,
			       const struct pimdimm_flip *flip)
{
	const struct pimdimm_system *sys = rank->sys;
	u64 at = pimdimm_layout_offset(sys->layout, sys->mram_size,
				       flip->pe / PIMDIMM_CHIPS, flip->word) +
		 8 * (flip->bit / 8) + flip->pe % PIMDIMM_CHIPS;
	struct page *page;
	u8 *map;

	page = pimdimm_mram_page(rank->mram, at >> PAGE_SHIFT, true);
	if (IS_ERR(page))
		return PTR_ERR(page);
	map = kmap_local_page(page);
	map[offset_in_page(at)] ^= 1 << (flip->bit % 8);
	kunmap_local(map);
	folio_mark_dirty(page_folio(page));
	put_page(page);
	return 0;
}

static int pimdimm_inject_flip_all(struct pimdimm_rank *rank,
				   const struct pimdimm_xfer *xfer, u64 bytes,
				   const struct pimdimm_fate *fate)
{
	u64 first = xfer->offset / PIMDIMM_WORD_BYTES;
	u64 words = bytes / PIMDIMM_WORD_BYTES;
	u64 draw = fate->draw, i;

	for (i = 0; words && i < fate->flips; i++) {
		struct pimdimm_flip flip =
			pimdimm_inject_pick(&draw, xfer->pe_mask, first, words);
		int err = pimdimm_inject_flip(rank, &flip);

		if (err)
			return err;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/**
 * pimdimm_inject_begin() - a transfer is about to move its bytes
 * @rank: the rank, open
 * @xfer: the transfer, which moves something
 * @fate: receives what pimdimm_inject_end() needs
 *
 * Context: may sleep; no lock held.
 * Return: 0, -EIO for a transfer that fails at once, -ENODEV for a rank that is
 * gone, or what allocating MRAM says.
 */
int pimdimm_inject_begin(struct pimdimm_rank *rank,
			 const struct pimdimm_xfer *xfer,
			 struct pimdimm_fate *fate)
{
	u64 words = hweight64(xfer->pe_mask) *
		    (xfer->bytes / PIMDIMM_WORD_BYTES);
	int err = pimdimm_inject_fate(rank, words, fate);

	if (err)
		return err;
	if (fate->fails && !fate->late)
		return -EIO;
	if (xfer->flags & PIMDIMM_XFER_FROM_MRAM)
		return pimdimm_inject_flip_all(rank, xfer, xfer->bytes, fate);
	return 0;
}

/**
 * pimdimm_inject_end() - a transfer has moved bytes
 * @rank: the rank, open
 * @xfer: the transfer
 * @done: bytes of each PE that it moved
 * @fate: as pimdimm_inject_begin() left it
 *
 * Return: 0 or a negative errno, as pimdimm_inject_begin().
 */
int pimdimm_inject_end(struct pimdimm_rank *rank,
		       const struct pimdimm_xfer *xfer, u64 done,
		       const struct pimdimm_fate *fate)
{
	int err = 0;

	if (READ_ONCE(rank->injector.lost))
		return -ENODEV;
	if (!(xfer->flags & PIMDIMM_XFER_FROM_MRAM))
		err = pimdimm_inject_flip_all(rank, xfer, done, fate);
	if (!err && fate->fails)
		err = -EIO;
	return err;
}

/* A knob of @_type: user space learns at once whether it must ask. */
#define PIMDIMM_KNOB(_name, _type, _parse, _format, _max)		\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct pimdimm_injector *ij = &to_pimdimm_rank(dev)->injector;	\
									\
	return sysfs_emit(buf, _format "\n", READ_ONCE(ij->knobs._name)); \
}									\
									\
static ssize_t _name##_store(struct device *dev,			\
			     struct device_attribute *attr,		\
			     const char *buf, size_t count)		\
{									\
	struct pimdimm_injector *ij = &to_pimdimm_rank(dev)->injector;	\
	_type value;							\
	int err = _parse(buf, 10, &value);				\
									\
	if (err)							\
		return err;						\
	if (value > (_max))						\
		return -EINVAL;						\
	spin_lock(&ij->lock);						\
	WRITE_ONCE(ij->knobs._name, value);				\
	pimdimm_inject_tell(ij);					\
	spin_unlock(&ij->lock);						\
	return count;							\
}									\
static DEVICE_ATTR_RW(_name)

PIMDIMM_KNOB(fail_nth, u64, kstrtou64, "%llu", U64_MAX);
PIMDIMM_KNOB(gone_nth, u64, kstrtou64, "%llu", U64_MAX);
PIMDIMM_KNOB(fail_ppm, u32, kstrtou32, "%u", PIMDIMM_PPM);
PIMDIMM_KNOB(flip_ppm, u32, kstrtou32, "%u", PIMDIMM_PPM);
PIMDIMM_KNOB(delay_us, u32, kstrtou32, "%u", PIMDIMM_DELAY_MAX);

static ssize_t seed_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct pimdimm_injector *ij = &to_pimdimm_rank(dev)->injector;

	return sysfs_emit(buf, "%llu\n", READ_ONCE(ij->knobs.seed));
}

static ssize_t seed_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	struct pimdimm_rank *rank = to_pimdimm_rank(dev);
	u64 seed;
	int err = kstrtou64(buf, 10, &seed);

	if (err)
		return err;
	spin_lock(&rank->injector.lock);
	pimdimm_inject_seed(&rank->injector.knobs, seed, rank->position);
	spin_unlock(&rank->injector.lock);
	return count;
}
static DEVICE_ATTR_RW(seed);

static ssize_t gone_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct pimdimm_injector *ij = &to_pimdimm_rank(dev)->injector;

	return sysfs_emit(buf, "%u\n", READ_ONCE(ij->knobs.gone));
}

static ssize_t gone_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	struct pimdimm_rank *rank = to_pimdimm_rank(dev);
	struct pimdimm_injector *ij = &rank->injector;
	bool gone;
	int err = kstrtobool(buf, &gone);

	if (err)
		return err;
	spin_lock(&ij->lock);
	WRITE_ONCE(ij->knobs.gone, gone);
	spin_unlock(&ij->lock);
	if (gone) {
		trace_pimdimm_inject(rank, &(struct pimdimm_fate){ .gone = 1 });
		pimdimm_inject_lose(rank);
	}
	return count;
}
static DEVICE_ATTR_RW(gone);

#define PIMDIMM_TALLY(_name)						\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%llu\n",				\
			  READ_ONCE(to_pimdimm_rank(dev)->injector._name)); \
}									\
static DEVICE_ATTR_RO(_name)

PIMDIMM_TALLY(failures);
PIMDIMM_TALLY(flips);

static struct attribute *pimdimm_inject_attrs[] = {
	&dev_attr_delay_us.attr,
	&dev_attr_fail_nth.attr,
	&dev_attr_fail_ppm.attr,
	&dev_attr_failures.attr,
	&dev_attr_flip_ppm.attr,
	&dev_attr_flips.attr,
	&dev_attr_gone.attr,
	&dev_attr_gone_nth.attr,
	&dev_attr_seed.attr,
	NULL,
};

const struct attribute_group pimdimm_inject_group = {
	.name = "inject",
	.attrs = pimdimm_inject_attrs,
};
