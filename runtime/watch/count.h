/* SPDX-License-Identifier: MIT */
/*
 * What a job really touches, for the tier `count`: its loops tell of every
 * load, store and transposition, and so does what is not compiled once a tier
 * but touches the same memory, through pd_copy() and pd_touch_read() below.
 *
 * An address is one of three things. In a rank's window it is MRAM, counted in
 * blocks. On the thread's own stack, below the frame that began to count, it is
 * a tile, an accumulator or another intermediate that stays in cache, and not
 * counted. All the rest is host memory, the caller's or staging, counted in
 * bytes: nothing needs to be declared, so nothing can be forgotten.
 */
#ifndef PD_COUNT_H
#define PD_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pd_counts {
	uint64_t blocks_read, blocks_written;
	uint64_t transfers;	/* blocks transposed */
	uint64_t host_read, host_written;
	uint64_t pe_moved;	/* bytes between MRAM and WRAM */
	uint64_t around;	/* stores of 64 bytes around the caches */
};

/* memory that is MRAM: a rank's window */
struct pd_range {
	const uint8_t *base;
	size_t bytes;
};

/* the counts of one job, whichever threads do it */
struct pd_counter {
	const struct pd_range *mram;
	uint32_t nr_mram;
	_Atomic uint64_t blocks_read, blocks_written;
	_Atomic uint64_t transfers;
	_Atomic uint64_t host_read, host_written;
	_Atomic uint64_t pe_moved;
	_Atomic uint64_t around;
};

/* what a thread counts for */
struct pd_counting {
	struct pd_counter *counter;	/* NULL: nobody asks */
	const void *frame;
	uint32_t range;			/* which was met last */
	struct pd_counts counts;	/* not yet in the counter */
};

/* mram: the windows of the ranks that the job may touch, for as long as it counts */
void pd_counter_init(struct pd_counter *counter, const struct pd_range *mram,
		     uint32_t nr_mram);

/*
 * From here to pd_counting_leave() the thread counts for `counter`, NULL for
 * nobody. frame: the caller's __builtin_frame_address(0). Returns what it did
 * before, which goes on after leaving.
 */
struct pd_counting pd_counting_enter(struct pd_counter *counter,
				     const void *frame);
void pd_counting_leave(struct pd_counting before);

/* what the calling thread counts for, so that others can help; or NULL */
struct pd_counter *pd_counting_for(void);

/* complete once all threads that counted for it have left */
struct pd_counts pd_counter_counts(const struct pd_counter *counter);

/* the tier's loops: this many bytes from p on, blocks where they are MRAM */
void pd_count_read(const void *p, size_t bytes);
void pd_count_write(const void *p, size_t bytes);
void pd_count_transfer(void);
void pd_count_around(void);
void pd_count_pe(size_t bytes);

/* whether any thread counts; the others ask no further */
extern _Atomic unsigned int pd_counters;

static inline bool pd_counts_now(void)
{
	return __builtin_expect(atomic_load_explicit(&pd_counters,
						     memory_order_relaxed), 0);
}

/* something else reads it, such as a user's function */
static inline void pd_touch_read(const void *p, size_t bytes)
{
	if (pd_counts_now())
		pd_count_read(p, bytes);
}

static inline void pd_copy(void *dst, const void *src, size_t bytes)
{
	if (pd_counts_now()) {
		pd_count_read(src, bytes);
		pd_count_write(dst, bytes);
	}
	memcpy(dst, src, bytes);
}

#endif /* PD_COUNT_H */
