// SPDX-License-Identifier: MIT
/* Switching contexts on one thread, and the stacks that they run on. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/base/fiber.h"

/* below each stack: a frame that skips less than this meets a fault */
#define GUARD_BYTES	65536
/* when a stack is put back, what most PE kernels touch of it stays in memory */
#define KEPT_BYTES	65536
#define SLOT_BYTES	(PD_FIBER_STACK + GUARD_BYTES)

/*
 * Stacks lie so far apart that the frames of all contexts would meet in one set
 * of the caches: they begin at different lines of a page.
 */
#define COLOUR_BYTES	320
#define COLOURS		24

/*
 * Who watches stacks must know which one is in use. The functions are there where
 * the program, not necessarily this library, is built with the sanitizer.
 */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **save,
							  const void *stack,
							  size_t bytes);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *saved,
							   const void **stack,
							   size_t *bytes);
__attribute__((weak)) void *__tsan_get_current_fiber(void);
__attribute__((weak)) void *__tsan_create_fiber(unsigned int flags);
__attribute__((weak)) void __tsan_destroy_fiber(void *fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void *fiber,
						  unsigned int flags);

/* the C++ ABI's, where the program has any C++ */
struct eh_globals {
	void *caught;
	unsigned int uncaught;
};
__attribute__((weak)) struct eh_globals *__cxa_get_globals(void);

void pd_fiber_begin(struct pd_fiber *f)
{
	*f = (struct pd_fiber){ 0 };
	if (__tsan_get_current_fiber)
		f->shadow = __tsan_get_current_fiber();
}

void pd_fiber_free(struct pd_fiber *f)
{
	if (__tsan_destroy_fiber && f->shadow)
		__tsan_destroy_fiber(f->shadow);
}

/*
 * In the context that leaves the thread. Inlined in any case: the thread sanitizer keeps
 * calls of each fiber, and a return from here would be taken off the next one's.
 */
__attribute__((always_inline))
static inline void depart(struct pd_fiber *from, struct pd_fiber *to,
			  bool for_good)
{
	from->error = errno;
	if (__cxa_get_globals) {
		struct eh_globals *g = __cxa_get_globals();

		from->exceptions.caught = g->caught;
		from->exceptions.uncaught = g->uncaught;
	}
	to->before = from;
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(for_good ? NULL :
							  &from->fake_stack,
					       to->stack, to->stack_bytes);
	if (__tsan_switch_to_fiber)
		__tsan_switch_to_fiber(to->shadow, 0);
}

/* in the context that has got it */
static void arrive(struct pd_fiber *f)
{
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(f->fake_stack,
						&f->before->stack,
						&f->before->stack_bytes);
	if (__cxa_get_globals) {
		struct eh_globals *g = __cxa_get_globals();

		g->caught = f->exceptions.caught;
		g->uncaught = f->exceptions.uncaught;
	}
	errno = f->error;
}

/* A new context begins here. */
_Noreturn void pd_fiber_first(struct pd_fiber *f);
_Noreturn void pd_fiber_first(struct pd_fiber *f)
{
	arrive(f);
	f->run(f->arg);
	__builtin_unreachable();
}

#ifdef PD_FIBER_UCONTEXT
/* makecontext() hands over nothing but ints */
static void first_steps(unsigned int high, unsigned int low)
{
	pd_fiber_first((struct pd_fiber *)(uintptr_t)((uint64_t)high << 32 |
						      low));
}

static void make_frame(struct pd_fiber *f)
{
	uint64_t p = (uintptr_t)f;

	getcontext(&f->context);
	f->context.uc_stack.ss_sp = (void *)(uintptr_t)f->stack;
	f->context.uc_stack.ss_size = f->stack_bytes;
	f->context.uc_link = NULL;
	makecontext(&f->context, (void (*)(void))first_steps, 2,
		    (unsigned int)(p >> 32), (unsigned int)p);
}

static void change(struct pd_fiber *from, struct pd_fiber *to)
{
	swapcontext(&from->context, &to->context);
}
#else
/* fiber_switch.S: keeps what a function must keep on the stack, and the stack */
void pd_fiber_change(void **from_sp, void *to_sp);
void pd_fiber_entry(void);

#ifdef __x86_64__
struct frame {
	uint32_t mxcsr;
	uint16_t x87, pad;
	uint64_t r15, r14, r13, r12, rbx, rbp;
	uint64_t pc;
	uint64_t nothing[2];
};

static void fill_frame(struct frame *frame, const struct pd_fiber *f)
{
	*frame = (struct frame){
		.mxcsr = 0x1f80,
		.x87 = 0x037f,
		.rbx = (uintptr_t)f,
		.pc = (uintptr_t)pd_fiber_entry,
	};
}
#else
struct frame {
	uint64_t x19, others[9], x29, x30;
	uint64_t d[8];
	uint64_t fpcr, fpsr;
};

static void fill_frame(struct frame *frame, const struct pd_fiber *f)
{
	*frame = (struct frame){
		.x19 = (uintptr_t)f,
		.x30 = (uintptr_t)pd_fiber_entry,
	};
}
#endif

_Static_assert(sizeof(struct frame) % 16 == 0, "the stack stays aligned");

static void make_frame(struct pd_fiber *f)
{
	uintptr_t top = (uintptr_t)f->stack + f->stack_bytes;

	f->sp = (void *)(top - sizeof(struct frame));
	fill_frame(f->sp, f);
}

static void change(struct pd_fiber *from, struct pd_fiber *to)
{
	pd_fiber_change(&from->sp, to->sp);
}
#endif

void pd_fiber_make(struct pd_fiber *f, void *stack, void (*run)(void *arg),
		   void *arg)
{
	*f = (struct pd_fiber){
		.run = run,
		.arg = arg,
		.stack = stack,
		.stack_bytes = PD_FIBER_STACK -
			       (uintptr_t)stack / SLOT_BYTES % COLOURS *
				       COLOUR_BYTES,
	};
	make_frame(f);
	if (__tsan_create_fiber)
		f->shadow = __tsan_create_fiber(0);
}

void pd_fiber_switch(struct pd_fiber *from, struct pd_fiber *to)
{
	depart(from, to, false);
	change(from, to);
	arrive(from);
}

_Noreturn void pd_fiber_exit(struct pd_fiber *from, struct pd_fiber *to)
{
	depart(from, to, true);
	change(from, to);
	__builtin_unreachable();
}

void *pd_stack(const struct pd_stacks *stacks, unsigned int i)
{
	return stacks->base + i * SLOT_BYTES + GUARD_BYTES;
}

void pd_stacks_unmap(struct pd_stacks *stacks)
{
	munmap(stacks->base, stacks->count * SLOT_BYTES);
	free(stacks);
}

static bool open_stacks(const struct pd_stacks *stacks)
{
	for (unsigned int i = 0; i < stacks->count; i++)
		if (mprotect(pd_stack(stacks, i), PD_FIBER_STACK,
			     PROT_READ | PROT_WRITE))
			return false;
	return true;
}

static struct pd_stacks *map_stacks(unsigned int count)
{
	struct pd_stacks *stacks = malloc(sizeof(*stacks));
	size_t bytes = count * SLOT_BYTES;
	void *base;

	if (!stacks)
		return NULL;
	base = mmap(NULL, bytes, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1,
		    0);
	if (base == MAP_FAILED) {
		free(stacks);
		return NULL;
	}
	*stacks = (struct pd_stacks){ .base = base, .count = count };
	/* a huge page for each would cost more than all that they hold; where
	 * there are none the call fails, which is as well */
	madvise(base, bytes, MADV_NOHUGEPAGE);
	if (open_stacks(stacks))
		return stacks;
	pd_stacks_unmap(stacks);
	return NULL;
}

/*
 * Nobody waits for the lock: whoever finds it taken, perhaps for ever by a thread
 * that a fork left behind, does without the pool.
 */
struct pd_stacks *pd_stacks_take(struct pd_stack_pool *pool,
				 unsigned int count)
{
	struct pd_stacks *stacks = NULL;

	if (!pthread_mutex_trylock(&pool->lock)) {
		stacks = pool->first;
		if (stacks)
			pool->first = stacks->next;
		pthread_mutex_unlock(&pool->lock);
	}
	if (stacks && stacks->count < count) {
		pd_stacks_unmap(stacks);
		stacks = NULL;
	}
	return stacks ? stacks : map_stacks(count);
}

void pd_stacks_put(struct pd_stack_pool *pool, struct pd_stacks *stacks)
{
	for (unsigned int i = 0; i < stacks->count; i++)
		madvise(pd_stack(stacks, i), PD_FIBER_STACK - KEPT_BYTES,
			MADV_DONTNEED);
	if (pthread_mutex_trylock(&pool->lock)) {
		pd_stacks_unmap(stacks);
		return;
	}
	stacks->next = pool->first;
	pool->first = stacks;
	pthread_mutex_unlock(&pool->lock);
}

void pd_stack_pool_empty(struct pd_stack_pool *pool)
{
	struct pd_stacks *stacks;

	while ((stacks = pool->first)) {
		pool->first = stacks->next;
		pd_stacks_unmap(stacks);
	}
}
