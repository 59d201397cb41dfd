/* SPDX-License-Identifier: MIT */
/* What the PE library's parts share. */
#ifndef PE_H
#define PE_H

#include <stddef.h>
#include <stdint.h>

#include <pe_abi.h>

/*
 * What the archive for programs that are checked tells the detector of races: see
 * races.c. Keys name what tasklets meet at; pc is where an access is told to be.
 */
void pe_check_begin(void);
void pe_check_acquire(uint32_t me, uint64_t key);
void pe_check_release(uint32_t me, uint64_t key);
/* at a barrier: one comes, and all that have come go on */
void pe_check_arrive(uint32_t me, uint64_t key);
void pe_check_pass(uint64_t key);
/* two that wait for each other */
void pe_check_meet(uint32_t a, uint32_t b);
void pe_check_range(const volatile void *p, size_t bytes, int write, const void *pc);

/*
 * What the archive for programs whose memory is checked says of it: see shadow.c. The
 * caller is whose line it is.
 */
void pe_memory_copy(const volatile void *to, const volatile void *from, size_t bytes);
void pe_memory_define(const volatile void *p, size_t bytes);
void pe_memory_allocated(const volatile void *p, size_t bytes, const void *caller);
/* blocks of one size, and one of them that is given out */
void pe_memory_pool(void **pool, uint32_t block_bytes);
void pe_memory_from_pool(void **pool, const void *block, const void *caller);
void pe_memory_use(const volatile void *p, size_t bytes, const void *caller);

#ifdef PE_CHECKED
#define PE_CHECK_ONLY(call)	(call)
#else
#define PE_CHECK_ONLY(call)	((void)0)
#endif
#ifdef PE_MEMORY
#define PE_MEMORY_ONLY(call)	(call)
#else
#define PE_MEMORY_ONLY(call)	((void)0)
#endif
/* what an object has besides: its address is below 4 GiB */
#define PE_KEY(object, part)	((uint64_t)(part) << 32 | (uint32_t)(uintptr_t)(object))
#define PE_ACQUIRE_BY(me, object, part)						\
	PE_CHECK_ONLY(pe_check_acquire(me, PE_KEY(object, part)))
#define PE_RELEASE_BY(me, object, part)						\
	PE_CHECK_ONLY(pe_check_release(me, PE_KEY(object, part)))
#define PE_ACQUIRE(object, part) PE_ACQUIRE_BY(PE_SELF->tasklet, object, part)
#define PE_RELEASE(object, part) PE_RELEASE_BY(PE_SELF->tasklet, object, part)
/* where all that is done inside pe_enter() comes after what others did there before */
#if defined(PE_CHECKED) && defined(PE_MEETS_ALL)
#define PE_ACQUIRE_ALL()	PE_ACQUIRE(0, 0)
#define PE_RELEASE_ALL()	PE_RELEASE(0, 0)
#else
#define PE_ACQUIRE_ALL()	((void)0)
#define PE_RELEASE_ALL()	((void)0)
#endif
#define PE_READS(p, bytes)							\
	PE_CHECK_ONLY(pe_check_range(p, bytes, 0, __builtin_return_address(0)))
#define PE_WRITES(p, bytes)							\
	PE_CHECK_ONLY(pe_check_range(p, bytes, 1, __builtin_return_address(0)))
/* what it writes is as defined as what it reads */
#define PE_COPIES(to, from, bytes)						\
	(PE_READS(from, bytes), PE_WRITES(to, bytes),				\
	 PE_MEMORY_ONLY(pe_memory_copy(to, from, bytes)))
#define PE_SETS(p, bytes)							\
	(PE_WRITES(p, bytes), PE_MEMORY_ONLY(pe_memory_define(p, bytes)))
/* what is done next depends on it */
#define PE_USES(p, bytes)							\
	(PE_READS(p, bytes),							\
	 PE_MEMORY_ONLY(pe_memory_use(p, bytes, __builtin_return_address(0))))

/* Programs that do not count have no time to wait for, and are compiled without. */
#ifdef PE_UNCOUNTED
#define PE_COUNTS	0
#else
#define PE_COUNTS	1
#endif

/* Wait until it is time, on the PE's clock, for what comes next. */
static inline void pe_sync(void)
{
	if (PE_COUNTS && PE_SVC->size > offsetof(struct pe_services, sync))
		PE_SVC->sync();
}

static inline void pe_be_alone(void)
{
	PE_SELF->critical = 1;
	__asm__ volatile("" ::: "memory");
}

/* what pe_self.critical was before is what it becomes again */
static inline void pe_be_among(uint32_t before)
{
	uint32_t put_off = PE_SELF->critical & PE_PUT_OFF;

	__asm__ volatile("" ::: "memory");
	PE_SELF->critical = before ? before | put_off : 0;
	if (__builtin_expect(put_off && !before, 0))
		PE_SVC->sync();
}

/*
 * Between the two no other tasklet runs. It begins in its turn by the PE's clock. A
 * wait in between ends it; whoever waited begins again and looks anew.
 */
static inline void pe_enter(void)
{
	pe_sync();
	pe_be_alone();
	PE_ACQUIRE_ALL();
}

static inline void pe_leave(void)
{
	PE_RELEASE_ALL();
	pe_be_among(0);
}

/* inside pe_enter(): let others run until woken, maybe earlier; it is its turn then */
static inline void pe_wait(enum pe_wait kind, const volatile void *object)
{
	PE_RELEASE_ALL();
	PE_SVC->wait(kind, object);
	pe_be_alone();
	PE_ACQUIRE_ALL();
}

/*
 * pe_enter(), op(arg), which returns what to wait for, with pe_wait() for `object` as
 * often as that is something, and pe_leave(). The scheduler may call op() on behalf of
 * the tasklet, without switching to it.
 */
static inline void pe_turn(uint32_t (*op)(void *arg), void *arg,
			   const volatile void *object)
{
	uint32_t kind;

	if (PE_COUNTS && PE_SVC->size > offsetof(struct pe_services, turn) &&
	    PE_SVC->turn(op, arg, object))
		return;
	pe_enter();
	while ((kind = op(arg)) != PE_WAIT_NOTHING)
		pe_wait((enum pe_wait)kind, object);
	pe_leave();
}

/*
 * A fault that is the caller's: reported with the line that pc, a return address,
 * belongs to. The service sees itself called from there.
 */
__attribute__((noreturn))
static inline void pe_fault_at(const void *pc, enum pe_fault kind,
			       uint64_t address, const char *text)
{
#ifdef __pe_aarch64__
	register uint64_t x0 __asm__("x0") = kind;
	register uint64_t x1 __asm__("x1") = address;
	register const char *x2 __asm__("x2") = text;

	__asm__ volatile("mov x30, %0\n\t"
			 "br %1"
			 : : "r"(pc), "r"(PE_SVC->fault), "r"(x0), "r"(x1), "r"(x2)
			 : "memory", "x30");
#else
	__asm__ volatile("andq $-16, %%rsp\n\t"
			 "pushq %0\n\t"
			 "jmpq *%1"
			 : : "r"(pc), "r"(PE_SVC->fault), "D"(kind),
			     "S"(address), "d"(text) : "memory");
#endif
	__builtin_unreachable();
}

/*
 * Counts what a DPU executes where the library does the same in another way. The
 * archive for programs that do not count is compiled without.
 */
static inline void pe_charge(uint64_t instructions)
{
	if (PE_COUNTS)
		PE_SELF->instructions[PE_SELF->tasklet] += instructions;
}

/* mem_alloc() on behalf of whoever called the library: a fault is at their line */
void *pe_alloc_for(const void *caller, size_t size);

#endif /* PE_H */
