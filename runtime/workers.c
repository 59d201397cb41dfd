/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error.h"
#include "fpenv.h"
#include "workers.h"

/* how often a thread looks before it sleeps: some 20 microseconds */
#define SPINS 1000

struct pd_workers {
	unsigned int threads;	/* the caller's included */
	pid_t pid;		/* a child after fork() has none of the threads */
	pthread_t *ids;		/* threads - 1 */
	pthread_mutex_t taken;	/* held while a job runs */
	bool stop;

	/* the job; written before `job` is advanced, read after it is seen */
	pd_work_fn fn;
	void *ctx;
	uint64_t items;
	uint64_t grain;

	_Alignas(64) _Atomic uint32_t job;	/* a futex: number of the job */
	_Alignas(64) _Atomic uint32_t busy;	/* a futex: workers in the job */
	_Alignas(64) _Atomic uint64_t next;	/* first item not handed out */
};

static void futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static inline void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* wait until the word is no longer `seen` */
static uint32_t wait_change(_Atomic uint32_t *word, uint32_t seen)
{
	for (unsigned int i = 0;; i++) {
		uint32_t now = atomic_load_explicit(word, memory_order_acquire);

		if (now != seen)
			return now;
		if (i < SPINS)
			relax();
		else
			futex_wait(word, seen);
	}
}

static void work(struct pd_workers *w)
{
	uint64_t first;

	while ((first = atomic_fetch_add(&w->next, w->grain)) < w->items) {
		uint64_t left = w->items - first;

		w->fn(w->ctx, first, left < w->grain ? left : w->grain);
	}
}

static void *worker(void *arg)
{
	struct pd_workers *w = arg;
	uint32_t job = 0;

	pd_fpenv_enter();
	for (;;) {
		job = wait_change(&w->job, job);
		if (w->stop)
			return NULL;
		work(w);
		if (atomic_fetch_sub(&w->busy, 1) == 1)
			futex_wake(&w->busy);
	}
}

/* Hand a job, or the order to stop, to all threads. */
static void announce(struct pd_workers *w)
{
	atomic_store_explicit(&w->busy, w->threads - 1, memory_order_relaxed);
	atomic_fetch_add(&w->job, 1);
	futex_wake(&w->job);
}

static void run_together(struct pd_workers *w)
{
	uint32_t busy;

	announce(w);
	work(w);
	busy = atomic_load(&w->busy);
	while (busy)
		busy = wait_change(&w->busy, busy);
}

void pd_workers_run(struct pd_workers *w, uint64_t items, uint64_t grain,
		    pd_work_fn fn, void *ctx)
{
	pd_fpenv env = pd_fpenv_enter();

	if (w->threads == 1 || items <= grain || w->pid != getpid() ||
	    pthread_mutex_trylock(&w->taken)) {
		fn(ctx, 0, items);
	} else {
		w->fn = fn;
		w->ctx = ctx;
		w->items = items;
		w->grain = grain;
		atomic_store_explicit(&w->next, 0, memory_order_relaxed);
		run_together(w);
		pthread_mutex_unlock(&w->taken);
	}
	pd_fpenv_leave(env);
}

unsigned int pd_workers_threads(const struct pd_workers *w)
{
	return w->threads;
}

static void stop_threads(struct pd_workers *w, unsigned int started)
{
	if (w->pid != getpid())
		return;
	w->stop = true;
	announce(w);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(w->ids[i], NULL);
}

static int start_threads(struct pd_workers *w)
{
	sigset_t all, old;
	int err = 0;

	/* signals belong to the program's own threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned int i = 0; i < w->threads - 1 && !err; i++) {
		err = pthread_create(&w->ids[i], NULL, worker, w);
		if (err)
			stop_threads(w, i);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err ? pd_error(err, "cannot start %u worker threads",
			      w->threads - 1) : 0;
}

int pd_workers_create(unsigned int threads, struct pd_workers **workers)
{
	struct pd_workers *w = aligned_alloc(64, sizeof(*w));
	int ret;

	if (!w)
		return pd_error(ENOMEM, "no memory for workers");
	*w = (struct pd_workers){ .threads = threads, .pid = getpid() };
	pthread_mutex_init(&w->taken, NULL);
	w->ids = calloc(threads, sizeof(*w->ids));
	ret = w->ids ? start_threads(w) :
		       pd_error(ENOMEM, "no memory for workers");
	if (ret) {
		free(w->ids);
		free(w);
		return ret;
	}
	*workers = w;
	return 0;
}

void pd_workers_destroy(struct pd_workers *w)
{
	if (!w)
		return;
	stop_threads(w, w->threads - 1);
	pthread_mutex_destroy(&w->taken);
	free(w->ids);
	free(w);
}
