/* SPDX-License-Identifier: MIT */
/*
 * What a run of resident kernels consists of: its PEs, the threads in them, and the
 * workers, which are the threads of this process that run these.
 *
 * A PE has one owner at a time: the worker that is in it, or the queue of a worker that it
 * is in, or nobody. All of it but `inbox` is its owner's, so that threads of one PE need no
 * locks among each other. What comes from elsewhere is put into the inbox; whoever finds
 * there that nobody owns the PE owns it from then on. Nobody owns it only while none of
 * its threads can run.
 */
#ifndef PD_RUN_H
#define PD_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/spmd.h>

#include "runtime/pe/kernels/kernel.h"
#include "runtime/pe/resident/wait.h"

/* in an inbox: nobody owns the PE */
#define PD_NOBODY	((struct pd_thread *)1)

enum pd_wait_state {
	PD_WAIT_NEW,
	PD_WAIT_ASLEEP,
	PD_WAIT_WOKEN,
};

struct pd_home;
struct pd_slab;
struct pd_worker;
struct pd_stack_slot;

struct pd_thread {
	struct pimdimm_pe pe;		/* its handle; the first member */
	struct pd_thread *next;		/* in the queue that it is in */
	struct pd_worker *worker;	/* that runs it, or did last */
	struct pd_home *home;		/* where it is */
	struct pd_home *born;		/* of a tasklet; NULL: a parcel's thread */
	struct pd_stack_slot *slot;	/* of a parcel's thread that has begun */
	/* among those of its home that wait, and what for */
	struct pd_thread *later, *earlier;
	struct pd_wait *wait;
	uint64_t number;
	bool begun, ended;
	/* for the timeline: of a parcel, where it was sent and when; 0: it is not drawn */
	uint32_t sent_from;
	uint64_t sent;
	bool arriving;			/* keeps its place among those that do */
	void (*entry)(struct pimdimm_pe *pe, void *frame);
	_Alignas(32) uint8_t frame[PIMDIMM_FRAME_BYTES];
};

/* in order of coming */
struct pd_threads {
	struct pd_thread *first, *last;
	uint32_t count;
};

struct pd_wide_wait;

#define PD_WIDE_QUEUES	16

struct pd_home {
	struct pd_place place;		/* the first member */
	struct pd_run *run;
	/* NULL: somebody owns it, and nothing has come; the last that came is first */
	_Alignas(64) _Atomic(struct pd_thread *) inbox;
	struct pd_home *next, *earlier;	/* in the queue that owns it */
	struct pd_threads ready;
	struct pd_thread *waiting, *waiting_last;
	struct pd_thread *tasklets;
	uint32_t here;			/* tasklets that barriers wait for, a bit each */
	uint32_t arrived;		/* of those, at the barrier */
	struct pd_wait *at_barrier;	/* an array, of all tasklets */
	/* before other PEs get their turn */
	uint32_t yields, switches;
	uint64_t begun_ns;
	uint64_t *full;			/* a bit of each wide word */
	struct pd_wide_wait *wide[PD_WIDE_QUEUES], *wide_last[PD_WIDE_QUEUES];
};

/*
 * PEs whose threads can run. The queue is locked for moments, by who puts one there or takes one;
 * its worker alone puts one before all of them, which needs no lock, and most often is the only
 * one.
 */
struct pd_homes {
	_Atomic(struct pd_home *) soon;
	_Atomic bool locked;
	struct pd_home *first, *last;
	_Atomic uint32_t count;
};

/* what is left to do once a context is left, and nothing runs on its stack */
struct pd_after {
	struct pd_thread *ended;
	struct pd_wait *wait;
	struct pd_thread *moved;
	struct pd_home *to;
	struct pd_home *left;
	bool left_first;		/* it comes before others of the queue */
	bool any;
};

struct pd_worker {
	_Alignas(64) struct pd_run *run;
	struct pd_fiber thread;		/* its own context */
	struct pd_home *home;		/* in which it is, or NULL */
	uint32_t pe;			/* the last one that it was in */
	struct pd_after after;
	/* for threads that parcels start */
	struct pd_thread *spare_threads;
	struct pd_stack_slot *spare_slots;
	unsigned int nr_spares, nr_slots;
	uint64_t order, hops, switches;
	uint64_t started, ended;	/* threads */
	uint64_t nr_parcels;
	_Atomic bool entered;
	_Alignas(64) struct pd_homes queue;
};

struct pd_run {
	struct pd_kernel_call call;	/* the first member */
	struct pimdimm_spmd *how;
	void *arg;
	void (*body)(struct pd_thread *t);	/* all that a thread does */
	size_t stack_bytes;
	struct pd_home *homes;
	struct pd_thread *tasklets;
	struct pd_wait *at_barrier;
	uint64_t *full;
	uint8_t *wram;
	struct pd_stacks *stacks;	/* of tasklets */
	struct pd_worker *workers;
	unsigned int nr_workers;
	const struct pd_resident_hooks *hooks;	/* never NULL */
	bool drawn;			/* what runs next is */
	uint64_t random;		/* of what is drawn */

	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t change;
	unsigned int entered, idle;	/* workers */
	struct pd_slab *slabs;		/* of parcels' threads and their stacks */
	/* that workers have given back */
	struct pd_thread *spare_threads;
	struct pd_stack_slot *spare_slots;
	unsigned int outside;		/* who holds it from outside */
	uint64_t posted;		/* threads from outside */
	char deadlock[480];
	int ret;

	_Atomic unsigned int sleepers;
	_Atomic bool over;
};

static inline struct pd_thread *pd_thread_of(const struct pimdimm_pe *pe)
{
	return (struct pd_thread *)pe;
}

/* the next number that is drawn; the run has one worker then */
static inline uint64_t pd_draw(struct pd_run *run)
{
	uint64_t z = run->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif /* PD_RUN_H */
