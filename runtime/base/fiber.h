/* SPDX-License-Identifier: MIT */
/*
 * Contexts of one thread. Each has a stack of its own and runs until it hands the
 * thread to another, which costs some nanoseconds. What belongs to a context and
 * changes hands with the thread: registers, the floating-point environment, errno,
 * the C++ exceptions that it is handling. What stays the thread's: its signal mask,
 * whose change would cost a system call a switch, and variables of storage class
 * thread.
 *
 * A context may go on on another thread than it stopped on. Whoever makes it known to
 * others does so after the switch, when nothing runs on its stack any more.
 */
#ifndef PD_FIBER_H
#define PD_FIBER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* without a switch of our own for this processor, the C library's */
#if !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__))
#define PD_FIBER_UCONTEXT
#endif

#ifdef PD_FIBER_UCONTEXT
#include <ucontext.h>
#endif

/* where a context runs */
struct pd_stack {
	void *low;		/* its lowest byte */
	size_t bytes;
};

/* as large as a thread's commonly is; what is not touched takes no memory */
#define PD_FIBER_STACK	(UINT64_C(8) << 20)

struct pd_fiber {
#ifdef PD_FIBER_UCONTEXT
	ucontext_t context;
#else
	void *sp;		/* where it stopped */
#endif
	void (*run)(void *arg);
	void *arg;
	const void *stack;	/* its lowest byte */
	size_t stack_bytes;
	struct pd_fiber *before;	/* who handed it the thread */
	int error;		/* errno */
	struct {
		void *caught;
		unsigned int uncaught;
	} exceptions;		/* as the C++ ABI keeps them for a thread */
	void *fake_stack;	/* AddressSanitizer's */
	void *shadow;		/* ThreadSanitizer's context */
};

/* The context that calls, to be switched from and back to. */
void pd_fiber_begin(struct pd_fiber *f);

/*
 * A context that runs run(arg) from the first switch to it on, in the default
 * floating-point environment. `run` must not return, but exit.
 */
void pd_fiber_make(struct pd_fiber *f, struct pd_stack stack,
		   void (*run)(void *arg), void *arg);

/* Returns when somebody switches back. */
void pd_fiber_switch(struct pd_fiber *from, struct pd_fiber *to);

/* The same for contexts that are all of one thread, in less time. */
void pd_fiber_turn(struct pd_fiber *from, struct pd_fiber *to);

/* Leaves the context for good: it is over, and its stack free. */
_Noreturn void pd_fiber_exit(struct pd_fiber *from, struct pd_fiber *to);

/* To be called of every context that was made, once it is over. */
void pd_fiber_free(struct pd_fiber *f);

/*
 * Stacks of one size in one mapping, with guard pages below each. Where there would be
 * more mappings than a process may have the guards are plain memory that nobody uses,
 * and whoever runs on a stack looks with pd_stack_overrun() whether it went too far.
 */
struct pd_stacks {
	struct pd_stacks *next;
	uint8_t *base;
	size_t stack_bytes;
	unsigned int count;
	bool guarded;
};

/* those that nobody uses; zeros and an initialized lock are an empty one */
struct pd_stack_pool {
	pthread_mutex_t lock;
	struct pd_stacks *first;
};

/* At least so many, of stack_bytes, a multiple of the page size; NULL: no memory. */
struct pd_stacks *pd_stacks_take(struct pd_stack_pool *pool,
				 unsigned int count, size_t stack_bytes);
struct pd_stack pd_stack_of(const struct pd_stacks *stacks, unsigned int i);
/* whether a context has written below its stack; always false with guards */
bool pd_stack_overrun(const struct pd_stacks *stacks, unsigned int i);

/* Into the pool, for the next; memory that few need is given back. */
void pd_stacks_put(struct pd_stack_pool *pool, struct pd_stacks *stacks);
void pd_stacks_unmap(struct pd_stacks *stacks);
void pd_stack_pool_empty(struct pd_stack_pool *pool);

#endif /* PD_FIBER_H */
