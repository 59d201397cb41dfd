/* SPDX-License-Identifier: MIT */
/* What the PE library's parts share. */
#ifndef PE_H
#define PE_H

#include <stddef.h>
#include <stdint.h>

#include <pe_abi.h>

/* Wait until it is time, on the PE's clock, for what comes next. */
static inline void pe_sync(void)
{
	if (PE_SVC->size > offsetof(struct pe_services, sync))
		PE_SVC->sync();
}

static inline void pe_be_alone(void)
{
	PE_SELF->critical = 1;
	__asm__ volatile("" ::: "memory");
}

/*
 * Between the two no other tasklet runs. It begins in its turn by the PE's clock. A
 * wait in between ends it; whoever waited begins again and looks anew.
 */
static inline void pe_enter(void)
{
	pe_sync();
	pe_be_alone();
}

static inline void pe_leave(void)
{
	__asm__ volatile("" ::: "memory");
	PE_SELF->critical = 0;
}

/* inside pe_enter(): let others run until woken, maybe earlier; it is its turn then */
static inline void pe_wait(enum pe_wait kind, const volatile void *object)
{
	PE_SVC->wait(kind, object);
	pe_be_alone();
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

	if (PE_SVC->size > offsetof(struct pe_services, turn) &&
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
	__asm__ volatile("andq $-16, %%rsp\n\t"
			 "pushq %0\n\t"
			 "jmpq *%1"
			 : : "r"(pc), "r"(PE_SVC->fault), "D"(kind),
			     "S"(address), "d"(text) : "memory");
	__builtin_unreachable();
}

/*
 * Counts what a DPU executes where the library does the same in another way. The
 * archive for programs that do not count is compiled without.
 */
static inline void pe_charge(uint64_t instructions)
{
#ifndef PE_UNCOUNTED
	PE_SELF->instructions[PE_SELF->tasklet] += instructions;
#else
	(void)instructions;
#endif
}

/* mem_alloc() on behalf of whoever called the library: a fault is at their line */
void *pe_alloc_for(const void *caller, size_t size);

#endif /* PE_H */
