// SPDX-License-Identifier: MIT
/* Switching contexts, and the stacks that they run on. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/base/fiber.h"

/* below each stack: a frame that skips less than this meets a fault */
#define GUARD_BYTES	65536
/* when a stack is put back, what most PE kernels touch of it stays in memory */
#define KEPT_BYTES	65536
/* of all stacks together: more is given back as a whole */
#define KEPT_BYTES_OF_ALL	(UINT64_C(64) << 20)
/* what lies at the upper end of a guard that is plain memory */
#define CANARY		UINT64_C(0x57ac6b0774e0dead)

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
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile *at,
							 size_t bytes);
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

/* In the context that has got it. */
__attribute__((always_inline))
static inline void arrive_here(struct pd_fiber *f)
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

/*
 * The same where it may be on another thread than it left: the address of errno is asked
 * for anew, which in one function the compiler would not do.
 */
__attribute__((noinline))
static void arrive(struct pd_fiber *f)
{
	arrive_here(f);
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

void pd_fiber_make(struct pd_fiber *f, struct pd_stack stack,
		   void (*run)(void *arg), void *arg)
{
	*f = (struct pd_fiber){
		.run = run,
		.arg = arg,
		.stack = stack.low,
		.stack_bytes = stack.bytes,
	};
	/* whoever was given up on this stack has left his frames' marks there */
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(stack.low, stack.bytes);
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

void pd_fiber_turn(struct pd_fiber *from, struct pd_fiber *to)
{
	depart(from, to, false);
	change(from, to);
	arrive_here(from);
}

_Noreturn void pd_fiber_exit(struct pd_fiber *from, struct pd_fiber *to)
{
	depart(from, to, true);
	change(from, to);
	__builtin_unreachable();
}

static size_t slot_bytes(const struct pd_stacks *stacks)
{
	return stacks->stack_bytes + GUARD_BYTES;
}

static uint8_t *stack_low(const struct pd_stacks *stacks, unsigned int i)
{
	return stacks->base + i * slot_bytes(stacks) + GUARD_BYTES;
}

struct pd_stack pd_stack_of(const struct pd_stacks *stacks, unsigned int i)
{
	return (struct pd_stack){
		.low = stack_low(stacks, i),
		.bytes = stacks->stack_bytes - i % COLOURS * COLOUR_BYTES,
	};
}

bool pd_stack_overrun(const struct pd_stacks *stacks, unsigned int i)
{
	const uint64_t *canary = (void *)stack_low(stacks, i);

	return !stacks->guarded && canary[-1] != CANARY;
}

void pd_stacks_unmap(struct pd_stacks *stacks)
{
	munmap(stacks->base, stacks->count * slot_bytes(stacks));
	free(stacks);
}

static bool open_stacks(const struct pd_stacks *stacks)
{
	for (unsigned int i = 0; i < stacks->count; i++)
		if (mprotect(stack_low(stacks, i), stacks->stack_bytes,
			     PROT_READ | PROT_WRITE))
			return false;
	return true;
}

/* One mapping for all of it, which any process may have. */
static bool open_whole(const struct pd_stacks *stacks)
{
	if (mprotect(stacks->base, stacks->count * slot_bytes(stacks),
		     PROT_READ | PROT_WRITE))
		return false;
	for (unsigned int i = 0; i < stacks->count; i++)
		((uint64_t *)(void *)stack_low(stacks, i))[-1] = CANARY;
	return true;
}

static struct pd_stacks *map_stacks(unsigned int count, size_t stack_bytes)
{
	struct pd_stacks *stacks = malloc(sizeof(*stacks));
	void *base;

	if (!stacks)
		return NULL;
	*stacks = (struct pd_stacks){
		.count = count,
		.stack_bytes = stack_bytes,
		.guarded = true,
	};
	base = mmap(NULL, count * slot_bytes(stacks), PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1,
		    0);
	if (base == MAP_FAILED) {
		free(stacks);
		return NULL;
	}
	stacks->base = base;
	/* a huge page for each would cost more than all that they hold; where
	 * there are none the call fails, which is as well */
	madvise(base, count * slot_bytes(stacks), MADV_NOHUGEPAGE);
	if (open_stacks(stacks))
		return stacks;
	stacks->guarded = false;
	if (open_whole(stacks))
		return stacks;
	pd_stacks_unmap(stacks);
	return NULL;
}

/* Take the least that is enough off the list; NULL: none is. */
static struct pd_stacks *take_kept(struct pd_stack_pool *pool,
				   unsigned int count, size_t stack_bytes)
{
	struct pd_stacks **least = NULL, *stacks;

	for (struct pd_stacks **p = &pool->first; *p; p = &(*p)->next)
		if ((*p)->stack_bytes == stack_bytes && (*p)->count >= count &&
		    (!least || (*p)->count < (*least)->count))
			least = p;
	if (!least)
		return NULL;
	stacks = *least;
	*least = stacks->next;
	return stacks;
}

/* Take one of that size off the list: it is not enough, and in the way. */
static struct pd_stacks *take_smaller(struct pd_stack_pool *pool,
				      size_t stack_bytes)
{
	struct pd_stacks **p = &pool->first, *stacks;

	while (*p && (*p)->stack_bytes != stack_bytes)
		p = &(*p)->next;
	stacks = *p;
	if (stacks)
		*p = stacks->next;
	return stacks;
}

/*
 * Nobody waits for the lock: whoever finds it taken, perhaps for ever by a thread
 * that a fork left behind, does without the pool.
 */
struct pd_stacks *pd_stacks_take(struct pd_stack_pool *pool,
				 unsigned int count, size_t stack_bytes)
{
	struct pd_stacks *stacks = NULL, *smaller = NULL;

	if (!pthread_mutex_trylock(&pool->lock)) {
		stacks = take_kept(pool, count, stack_bytes);
		if (!stacks)
			smaller = take_smaller(pool, stack_bytes);
		pthread_mutex_unlock(&pool->lock);
	}
	if (smaller)
		pd_stacks_unmap(smaller);
	return stacks ? stacks : map_stacks(count, stack_bytes);
}

/* Give back what is deep in large stacks, and all of too many small ones. */
static void trim_stacks(const struct pd_stacks *stacks)
{
	size_t drop = stacks->stack_bytes;

	if (drop > KEPT_BYTES)
		drop -= KEPT_BYTES;
	else if (stacks->count * drop <= KEPT_BYTES_OF_ALL)
		return;
	for (unsigned int i = 0; i < stacks->count; i++)
		madvise(stack_low(stacks, i), drop, MADV_DONTNEED);
}

void pd_stacks_put(struct pd_stack_pool *pool, struct pd_stacks *stacks)
{
	trim_stacks(stacks);
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
