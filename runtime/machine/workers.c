// SPDX-License-Identifier: MIT
/* A system's threads: how they are started, bound to their shares, and given work. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/watch/count.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/threads.h"
#include "runtime/watch/timeline.h"
#include "runtime/machine/workers.h"

/* how often a thread looks before it sleeps: some 20 microseconds */
#define SPINS 1000

struct worker {
	struct pd_workers *workers;
	pthread_t id;
	unsigned int share;	/* of the placement: where it runs */
};

/* items that have not been handed out; a line of its own */
struct range {
	_Alignas(64) _Atomic uint64_t next;
	uint64_t end;
};

struct pd_workers {
	const struct pd_placement *placement;
	unsigned int threads;	/* the caller's included */
	pid_t pid;		/* a child after fork() has none of the threads */
	struct worker *worker;	/* threads - 1 */
	/* whose share is whose; nobody's is where the caller may run */
	unsigned int spare;
	unsigned int *worker_of;	/* NULL: threads are not bound */
	pthread_mutex_t taken;	/* held while a job runs */
	_Atomic bool stop;

	/* the job; written before `gate` opens, read by those who came in */
	pd_work_fn fn;
	void *ctx;
	const char *what;	/* the caller's span in the timeline, or NULL */
	struct pd_counter *counter;	/* of the caller; workers count for it too */
	uint64_t grain;
	struct range *ranges;	/* a node each */

	_Alignas(64) _Atomic uint32_t job;	/* a futex: number of the job */
	/* threads that are about to sleep, or do: until a job comes, until one ends */
	_Atomic uint32_t asleep, waits;
	/* a futex: workers in the job, and GATE_SHUT. A job ends when its items
	 * do: nobody waits for a worker that was given no time to begin */
	_Alignas(64) _Atomic uint32_t gate;
};

#define GATE_SHUT 0x80000000u

static void futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/*
 * Wait until the word is no longer `seen`. In the one order of all these, whoever changes the word
 * sees that somebody sleeps, or the kernel, who then looks at the word, that it has changed.
 */
static uint32_t wait_change(_Atomic uint32_t *word, uint32_t seen, _Atomic uint32_t *sleepers)
{
	for (unsigned int i = 0;; i++) {
		uint32_t now = atomic_load_explicit(word, memory_order_acquire);

		if (now != seen)
			return now;
		if (i < SPINS) {
			pd_relax();
			continue;
		}
		atomic_fetch_add(sleepers, 1);
		futex_wait(word, seen);
		atomic_fetch_sub(sleepers, 1);
	}
}

/* non-temporal stores, before anyone is told that the work is done */
static void end_stores(void)
{
#ifdef __SSE2__
	__builtin_ia32_sfence();
#endif
}

static void work_range(struct pd_workers *w, struct range *r)
{
	uint64_t first;

	while ((first = atomic_fetch_add(&r->next, w->grain)) < r->end) {
		uint64_t left = r->end - first;

		w->fn(w->ctx, first, left < w->grain ? left : w->grain);
	}
}

/* the items of the thread's own node, then whatever the others have left */
static void worker_do_job(struct pd_workers *w, unsigned int share)
{
	const struct pd_placement *p = w->placement;
	unsigned int node = p->shares ? p->shares[share].node : 0;

	for (unsigned int i = 0; i < p->nr_nodes; i++)
		work_range(w, &w->ranges[(node + i) % p->nr_nodes]);
	end_stores();
}

/* into whichever job runs now; false: none does */
static bool gate_enter(struct pd_workers *w)
{
	uint32_t now = atomic_load(&w->gate);

	do {
		if (now & GATE_SHUT)
			return false;
	} while (!atomic_compare_exchange_weak(&w->gate, &now, now + 1));
	return true;
}

static void gate_leave(struct pd_workers *w)
{
	if (atomic_fetch_sub(&w->gate, 1) == (GATE_SHUT | 1) && atomic_load(&w->waits))
		futex_wake(&w->gate);
}

/* Let nobody in any more, and wait for those inside. */
static void gate_shut(struct pd_workers *w)
{
	uint32_t now = atomic_fetch_or(&w->gate, GATE_SHUT) | GATE_SHUT;

	while (now != GATE_SHUT)
		now = wait_change(&w->gate, now, &w->waits);
}

static void *worker_main(void *arg)
{
	struct worker *self = arg;
	struct pd_workers *w = self->workers;
	struct pd_counting before;
	struct pd_span span;
	uint32_t job = 0;

	pd_timeline_thread("worker");
	pd_fpenv_enter();
	for (;;) {
		job = wait_change(&w->job, job, &w->asleep);
		if (w->stop)
			return NULL;
		if (!gate_enter(w))
			continue;
		before = pd_counting_enter(w->counter,
					   __builtin_frame_address(0));
		span = pd_timeline_begin(w->what ? w->what : "work");
		worker_do_job(w, self->share);
		pd_timeline_end(&span, "\"share\":%u", self->share);
		pd_counting_leave(before);
		gate_leave(w);
	}
}

/* false: the system does not let it */
static bool bind_worker(struct pd_workers *w, unsigned int i,
			unsigned int share)
{
	const struct pd_placement *p = w->placement;

	w->worker[i].share = share;
	w->worker_of[share] = i;
	return !pthread_setaffinity_np(w->worker[i].id, p->pus_bytes,
				       p->shares[share].pus);
}

/*
 * The caller runs where it likes. The worker whose share it is in takes the one
 * that is left over: two threads on one core would do the work of one.
 */
static void make_room(struct pd_workers *w)
{
	int share = w->worker_of ? pd_share_of(w->placement, sched_getcpu()) :
				   -1;

	if (share < 0 || (unsigned int)share == w->spare)
		return;
	bind_worker(w, w->worker_of[share], w->spare);
	w->spare = (unsigned int)share;
}

/* Tell all threads of a job, or of the order to stop. */
static void announce(struct pd_workers *w)
{
	atomic_fetch_add(&w->job, 1);
	if (atomic_load(&w->asleep))
		futex_wake(&w->job);
}

static void run_together(struct pd_workers *w)
{
	atomic_store(&w->gate, 0);
	announce(w);
	worker_do_job(w, w->spare);
	gate_shut(w);
}

/* equal parts in order, as memory is dealt out over the nodes */
static void deal_items(struct pd_workers *w, uint64_t items)
{
	unsigned int n = w->placement->nr_nodes;

	for (unsigned int i = 0; i < n; i++) {
		atomic_store_explicit(&w->ranges[i].next, items / n * i,
				      memory_order_relaxed);
		w->ranges[i].end = i < n - 1 ? items / n * (i + 1) : items;
	}
}

/* The workers are taken, and given back even if the thread is to end meanwhile. */
static void run_job(struct pd_workers *w, uint64_t items, uint64_t grain,
		    pd_work_fn fn, void *ctx)
{
	int before = pd_cancel_off();

	w->fn = fn;
	w->ctx = ctx;
	w->what = pd_timeline_current();
	w->counter = pd_counting_for();
	w->grain = grain;
	deal_items(w, items);
	make_room(w);
	run_together(w);
	pthread_mutex_unlock(&w->taken);
	pd_cancel_restore(before);
}

void pd_workers_run(struct pd_workers *w, uint64_t items, uint64_t grain,
		    pd_work_fn fn, void *ctx)
{
	pd_fpenv env = pd_fpenv_enter();

	if (w->threads == 1 || items <= grain || w->pid != getpid() ||
	    pthread_mutex_trylock(&w->taken)) {
		fn(ctx, 0, items);
		end_stores();
	} else {
		run_job(w, items, grain, fn, ctx);
	}
	pd_fpenv_leave(env);
}

uint64_t pd_workers_grain(const struct pd_workers *w, uint64_t items, uint64_t bytes)
{
	bool asleep = atomic_load_explicit(&w->asleep, memory_order_relaxed);

	return bytes < w->threads * (asleep ? PD_WORK_WAKES : PD_WORK_LEAST) ? items : 1;
}

unsigned int pd_workers_threads(const struct pd_workers *w)
{
	return w->threads;
}

unsigned int pd_workers_nodes(const struct pd_workers *w)
{
	return w->placement->nr_nodes;
}

bool pd_workers_bound(const struct pd_workers *w)
{
	return w->worker_of;
}

static void stop_threads(struct pd_workers *w, unsigned int started)
{
	const struct pd_placement *p = w->placement;

	if (w->pid != getpid())
		return;
	w->stop = true;
	announce(w);
	for (unsigned int i = 0; i < started; i++) {
		/* not to wait until its own core has time for it */
		if (w->worker_of)
			pthread_setaffinity_np(w->worker[i].id, p->pus_bytes,
					       p->allowed);
		pthread_join(w->worker[i].id, NULL);
	}
}

static int start_threads(struct pd_workers *w)
{
	int err = 0;

	for (unsigned int i = 0; i < w->threads - 1 && !err; i++) {
		w->worker[i] = (struct worker){ .workers = w, .share = i + 1 };
		err = pd_thread_start(&w->worker[i].id, worker_main,
				      &w->worker[i]);
		if (err)
			stop_threads(w, i);
	}
	return err ? pd_error(err, "cannot start %u worker threads",
			      w->threads - 1) : 0;
}

/* One that may not be bound makes it pointless to bind the others. */
static void bind_threads(struct pd_workers *w)
{
	bool ok = true;

	for (unsigned int i = 0; i < w->threads - 1 && ok; i++)
		ok = bind_worker(w, i, i + 1);
	if (ok)
		return;
	free(w->worker_of);
	w->worker_of = NULL;
}

static int allocate(struct pd_workers *w)
{
	const struct pd_placement *p = w->placement;

	w->worker = calloc(w->threads, sizeof(*w->worker));
	w->ranges = aligned_alloc(64, p->nr_nodes * sizeof(*w->ranges));
	if (p->binds)
		w->worker_of = calloc(w->threads, sizeof(*w->worker_of));
	if (!w->worker || !w->ranges || (p->binds && !w->worker_of))
		return pd_error(ENOMEM, "no memory for workers");
	return 0;
}

static void release_workers(struct pd_workers *w)
{
	pthread_mutex_destroy(&w->taken);
	free(w->worker_of);
	free(w->ranges);
	free(w->worker);
	free(w);
}

int pd_workers_create(const struct pd_placement *placement,
		      struct pd_workers **workers)
{
	struct pd_workers *w = aligned_alloc(64, sizeof(*w));
	int ret;

	if (!w)
		return pd_error(ENOMEM, "no memory for workers");
	*w = (struct pd_workers){ .placement = placement,
				  .threads = placement->threads,
				  .pid = getpid(),
				  .gate = GATE_SHUT };
	pthread_mutex_init(&w->taken, NULL);
	ret = allocate(w);
	if (!ret)
		ret = start_threads(w);
	if (ret) {
		release_workers(w);
		return ret;
	}
	if (w->worker_of)
		bind_threads(w);
	*workers = w;
	return 0;
}

void pd_workers_destroy(struct pd_workers *w)
{
	if (!w)
		return;
	stop_threads(w, w->threads - 1);
	release_workers(w);
}
