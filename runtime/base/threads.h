/* SPDX-License-Identifier: MIT */
/* How the library starts threads, and keeps its callers' from ending inside it. */
#ifndef PD_THREADS_H
#define PD_THREADS_H

#include <pthread.h>

/* what the library's own threads have at least, whatever RLIMIT_STACK says: loops
 * keep tiles of up to 32 KiB on their stacks, user-defined operations what they
 * like */
#define PD_STACK_BYTES	(256 << 10)

/* pthread_create() with a stack that is large enough, and with signals blocked
 * as pd_signals_block() does. 0 or an errno. */
int pd_thread_start(pthread_t *id, void *(*run)(void *), void *arg);

/*
 * A thread that is cancelled while it holds a lock, or while others work on what
 * lies on its stack, leaves these behind. It ends after the call instead.
 */
static inline int pd_cancel_off(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void pd_cancel_restore(int before)
{
	pthread_setcancelstate(before, NULL);
}

/*
 * A child after fork() does not inherit the lock from a thread that it does not have. Only
 * for one below which no other such lock is taken: the order in which these are taken
 * before a fork is anybody's.
 */
#define PD_FORK_SAFE(mutex)						\
static void pd_fork_begin(void)						\
{									\
	pthread_mutex_lock(mutex);					\
}									\
									\
static void pd_fork_end(void)						\
{									\
	pthread_mutex_unlock(mutex);					\
}									\
									\
__attribute__((constructor))						\
static void pd_fork_watch(void)						\
{									\
	pthread_atfork(pd_fork_begin, pd_fork_end, pd_fork_end);	\
}									\
struct pd_fork_safe

/*
 * The child finds the lock free, and nobody waits for it before the fork: for one below which
 * others' code runs, whose own locks may be held by who forks. What it guards are lists of
 * objects that a child does not use, and each store leaves them whole.
 */
#define PD_FORK_FREES(mutex)						\
static void pd_fork_frees(void)						\
{									\
	pthread_mutex_init(mutex, NULL);				\
}									\
									\
__attribute__((constructor))						\
static void pd_fork_watch(void)						\
{									\
	pthread_atfork(NULL, NULL, pd_fork_frees);			\
}									\
struct pd_fork_safe

#endif /* PD_THREADS_H */
