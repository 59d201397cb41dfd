/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the module share.
 */
#ifndef PIMDIMM_H
#define PIMDIMM_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "uapi/pimdimm.h"
#include "uapi/internal/pimdimm_inject.h"
#include "uapi/pimdimm_layout.h"

#ifdef __BIG_ENDIAN
#error "the PIM domain is defined for little-endian hosts"
#endif

struct pimdimm_view;

/* Bounds what a mistyped parameter can create; the largest host has 40. */
#define PIMDIMM_MAX_RANKS	256

/**
 * struct pimdimm_system_geometry - what a system is asked to be
 * @channels: channels of the system
 * @ranks: ranks of a channel
 * @mram_size: bytes of MRAM of a PE
 * @layout: PIMDIMM_LAYOUT_LINEAR or PIMDIMM_LAYOUT_XEON_SP
 */
struct pimdimm_system_geometry {
	unsigned long channels;
	unsigned long ranks;
	unsigned long mram_size;
	u32 layout;
};

struct pimdimm_rank;

/**
 * struct pimdimm_system - ranks of one geometry; nothing in it changes
 * @dev: the system in sysfs; each rank holds a reference
 * @channels: channels of the system
 * @ranks: ranks of a channel
 * @layout: PIMDIMM_LAYOUT_LINEAR or PIMDIMM_LAYOUT_XEON_SP
 * @mram_size: bytes of MRAM of a PE
 * @window_size: bytes of a rank's window, a multiple of the page size
 * @member: the ranks, in the order channel, rank
 */
struct pimdimm_system {
	struct device dev;
	u32 channels;
	u32 ranks;
	u32 layout;
	u64 mram_size;
	u64 window_size;
	struct pimdimm_rank *member[];
};

#define to_pimdimm_system(d)	container_of(d, struct pimdimm_system, dev)

/**
 * struct pimdimm_traffic - what XFER moved in one direction
 * @transfers: calls that moved something
 * @bytes: bytes of all PEs
 */
struct pimdimm_traffic {
	atomic64_t transfers;
	atomic64_t bytes;
};

/**
 * struct pimdimm_pin - pages of MRAM that are to stay
 * @node: in the MRAM's tree
 * @first: the first page in the window
 * @count: how many, not 0
 */
struct pimdimm_pin {
	struct rb_node node;
	pgoff_t first;
	pgoff_t count;
};

/**
 * struct pimdimm_mram - MRAM of one owner of a rank
 * @refs: the open node, and each dma-buf made of it
 * @file: the shmem file that holds it, which PE views map
 * @view: the host's and the PEs' view of it
 * @host: the file that host views map; it keeps @view, and is let go of with this
 * @pins: above 0 the number of those who need its pages to stay, below it that
 *        of those who need them not to: one kind shuts out the other
 * @pinned: pages that dma-bufs hold, those of several counted for each
 * @lock: guards @pin_tree and @unevictable
 * @pin_tree: of struct pimdimm_pin, what @pins counts above 0
 * @unevictable: how many want reclaim to leave it alone
 */
struct pimdimm_mram {
	struct kref refs;
	struct file *file;
	struct pimdimm_view *view;
	struct file *host;
	atomic_t pins;
	atomic_long_t pinned;

	/* guards pin_tree and unevictable */
	struct mutex lock;
	struct rb_root pin_tree;
	unsigned int unevictable;
};

/**
 * struct pimdimm_injector - injected faults of a rank
 * @lock: guards all but @page; taken within the rank's lock
 * @knobs: what is asked for
 * @lost: the rank has gone from its present owner
 * @failures: transfers that were made to fail
 * @flips: bits that were flipped
 * @page: the status that user space maps
 */
struct pimdimm_injector {
	/* guards all but page, see above */
	spinlock_t lock;
	struct pimdimm_inject knobs;
	bool lost;
	u64 failures;
	u64 flips;
	struct page *page;
};

/**
 * struct pimdimm_rank - one rank, /dev/pimdimmN
 * @dev: the device; its last reference frees the rank
 * @cdev: the node, which holds a reference to @dev
 * @sys: the system that the rank belongs to
 * @index: N
 * @position: its place in the system, channel * ranks + rank
 * @lock: guards @mram, @owner and @retired. Open, release, sysfs and removal
 *        take it; whoever has the node open needs it not, since nothing changes
 *        until its release. Never held while user memory is touched or in mmap.
 * @mram: MRAM of the present owner, NULL while free
 * @owner: the process that opened the node, NULL while free
 * @retired: no opens: the system is being made, or taken away
 * @to_mram: transfers into MRAM since the module was loaded
 * @from_mram: transfers out of it
 * @opens: how often the node was opened
 * @resets: how often it was reset
 * @exports: how many dma-bufs were made of it
 * @errors: opens and ioctls that failed or were refused
 * @debugfs: its folder there
 * @injector: its injected faults
 */
struct pimdimm_rank {
	struct device dev;
	struct cdev cdev;
	struct pimdimm_system *sys;
	u32 index;
	u32 position;

	/* guards mram, owner and retired, see above */
	struct mutex lock;
	struct pimdimm_mram *mram;
	struct pid *owner;
	bool retired;

	/* what transfers count lies apart from what they read */
	struct pimdimm_traffic to_mram ____cacheline_aligned_in_smp;
	struct pimdimm_traffic from_mram;
	atomic64_t opens;
	atomic64_t resets;
	atomic64_t exports;
	atomic64_t errors;
	struct dentry *debugfs;

	struct pimdimm_injector injector;
};

#define to_pimdimm_rank(d)	container_of(d, struct pimdimm_rank, dev)

/* debugfs.c */
void pimdimm_debugfs_init(void);
void pimdimm_debugfs_exit(void);
void pimdimm_debugfs_add(struct pimdimm_rank *rank);
void pimdimm_debugfs_remove(struct pimdimm_rank *rank);

/* export.c */
struct dma_buf;

#ifdef CONFIG_DMA_SHARED_BUFFER
#define PIMDIMM_FEATURES (PIMDIMM_FEATURE_MUX | PIMDIMM_FEATURE_EXPORT | \
			  PIMDIMM_FEATURE_INJECT)
struct dma_buf *pimdimm_export(struct pimdimm_rank *rank,
			       const struct pimdimm_export *arg);
#else
#define PIMDIMM_FEATURES (PIMDIMM_FEATURE_MUX | PIMDIMM_FEATURE_INJECT)
#endif

/* domain_transfer.c */
void pimdimm_dt_store(void *blocks, size_t stride,
		      u64 *const lanes[PIMDIMM_CHIPS], size_t count);
void pimdimm_dt_load(u64 *const lanes[PIMDIMM_CHIPS], const void *blocks,
		     size_t stride, size_t count);

/* node.c */
extern const struct file_operations pimdimm_fops;

/* huge.c */
int pimdimm_huge_init(void);
void pimdimm_huge_exit(void);
struct file *pimdimm_huge_file(const char *name, u64 size);

/* inject.c */
struct vm_area_struct;

extern const struct attribute_group pimdimm_inject_group;

int pimdimm_inject_init(struct pimdimm_rank *rank);
void pimdimm_inject_free(struct pimdimm_rank *rank);
int pimdimm_inject_open(struct pimdimm_rank *rank);
int pimdimm_inject_map(struct pimdimm_rank *rank, struct vm_area_struct *vma);
int pimdimm_inject_fate(struct pimdimm_rank *rank, u64 words,
			struct pimdimm_fate *fate);
int pimdimm_inject_begin(struct pimdimm_rank *rank,
			 const struct pimdimm_xfer *xfer,
			 struct pimdimm_fate *fate);
int pimdimm_inject_end(struct pimdimm_rank *rank,
		       const struct pimdimm_xfer *xfer, u64 done,
		       const struct pimdimm_fate *fate);

/* mram.c */
struct folio;
struct page;
struct vm_area_struct;

struct pimdimm_mram *pimdimm_mram_create(const struct pimdimm_rank *rank);
void pimdimm_mram_put(struct pimdimm_mram *mram);
void pimdimm_mram_drop_holes(struct pimdimm_mram *mram, pgoff_t first,
			     pgoff_t count);
void pimdimm_mram_set_unevictable(struct pimdimm_mram *mram);
void pimdimm_mram_clear_unevictable(struct pimdimm_mram *mram);
int pimdimm_mram_map_file(struct file *file, u64 window_size,
			  struct vm_area_struct *vma);
int pimdimm_mram_pages(struct pimdimm_mram *mram, pgoff_t first,
		       unsigned int count, bool write, struct page **pages);
void pimdimm_mram_put_pages(struct page **pages, unsigned int count,
			    bool written);
struct page *pimdimm_mram_page(struct pimdimm_mram *mram, pgoff_t index,
			       bool write);
struct folio *pimdimm_mram_pin_folio(struct pimdimm_mram *mram, pgoff_t index);
void pimdimm_mram_unpin_folio(struct folio *folio, bool written);
int pimdimm_mram_reset(struct pimdimm_mram *mram, u64 window_size);
u64 pimdimm_mram_allocated(struct pimdimm_mram *mram);

/* pins.c */
int pimdimm_mram_pin(struct pimdimm_mram *mram, struct pimdimm_pin *pin);
void pimdimm_mram_unpin(struct pimdimm_mram *mram, struct pimdimm_pin *pin);
int pimdimm_mram_deny_pins(struct pimdimm_mram *mram);
void pimdimm_mram_allow_pins(struct pimdimm_mram *mram);
void pimdimm_mram_clear_unpinned(struct pimdimm_mram *mram, u64 window_size);

/* sysfs.c */
extern const struct attribute_group *pimdimm_groups[];
extern const struct attribute_group *pimdimm_system_groups[];

/* system.c */

/* The system that the module's parameters describe. */
#define PIMDIMM_SYSTEM_DEFAULT	"default"

extern const char *const pimdimm_layout_names[PIMDIMM_NR_LAYOUTS];

int pimdimm_geometry_check(const struct pimdimm_system_geometry *geo);
struct pimdimm_system *
pimdimm_system_create(const char *name, const struct pimdimm_system_geometry *geo);
int pimdimm_system_remove(struct pimdimm_system *sys);
void pimdimm_system_destroy(struct pimdimm_system *sys);
int pimdimm_systems_init(void);
void pimdimm_systems_exit(void);

/* view.c */

/**
 * struct pimdimm_view_state - views, as somebody else sees them
 * @host: the file that host views map; those of PEs map another of its inode
 * @rank: the number of their rank, which may be another's by now
 * @owner: PIMDIMM_MUX_HOST or PIMDIMM_MUX_PES
 * @ended: the node is closed, or the rank gone
 */
struct pimdimm_view_state {
	const struct file *host;
	u32 rank;
	u32 owner;
	bool ended;
};

void pimdimm_view_each(void (*look)(const struct pimdimm_view_state *state,
				    void *arg),
		       void *arg);
int pimdimm_view_create(struct pimdimm_mram *mram, u32 index);
void pimdimm_view_end(struct pimdimm_mram *mram);
int pimdimm_view_enter(struct pimdimm_view *view);
void pimdimm_view_leave(struct pimdimm_view *view);
int pimdimm_view_keep(struct pimdimm_view *view);
void pimdimm_view_release(struct pimdimm_view *view);
int pimdimm_view_map(struct pimdimm_mram *mram, u64 window_size,
		     struct vm_area_struct *vma);
int pimdimm_view_mux(struct pimdimm_mram *mram, u32 owner);
u32 pimdimm_view_owner(const struct pimdimm_view *view);

/* xfer.c */
int pimdimm_xfer(struct pimdimm_rank *rank, struct pimdimm_xfer *arg);

#endif /* PIMDIMM_H */
