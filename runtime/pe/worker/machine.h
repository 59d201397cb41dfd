/* SPDX-License-Identifier: MIT */
/*
 * What the worker does by the processor's own means: copies, and what a signal has found
 * of a tasklet.
 */
#ifndef PE_MACHINE_H
#define PE_MACHINE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/pe/shared/abi.h"
#include "runtime/pe/shared/syscall.h"

/* whether a signal has found a page that may not be touched, and how it was to be */
enum pe_touch { PE_TOUCH_NONE, PE_TOUCH_READ, PE_TOUCH_WRITE };

#ifdef __x86_64__

static inline void pe_copy(void *dst, const void *src, uint64_t bytes)
{
	__asm__ volatile("rep movsb"
			 : "+D"(dst), "+S"(src), "+c"(bytes)
			 :
			 : "memory");
}

static inline uint64_t pe_context_pc(const void *context)
{
	return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

static inline uint64_t pe_context_sp(const void *context)
{
	return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
}

/* of the processor's numbers of what happened */
#define PE_STEP_TRAP	1
#define PE_PAGE_TRAP	14
#define PE_PAGE_WRITE	2

static inline int pe_is_step(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_TRAPNO] == PE_STEP_TRAP;
}

static inline enum pe_touch pe_touched(const void *context)
{
	const greg_t *regs = ((const ucontext_t *)context)->uc_mcontext.gregs;

	if (regs[REG_TRAPNO] != PE_PAGE_TRAP)
		return PE_TOUCH_NONE;
	return regs[REG_ERR] & PE_PAGE_WRITE ? PE_TOUCH_WRITE : PE_TOUCH_READ;
}

/*
 * What compilers make of __builtin_trap(): ud2; code of 2 bytes is there where this signal
 * comes of it. After others the program has gone on.
 */
#define PE_TRAP_SIGNAL	SIGILL
#define PE_TRAP_BYTES	2

static inline uint32_t pe_trap_kind(uint64_t pc)
{
	const volatile uint8_t *code = (const volatile uint8_t *)(uintptr_t)pc;

	return code[0] == 0x0f && code[1] == 0x0b ? PE_FAULT_ASSERT : PE_FAULT_INSTRUCTION;
}

/* have the processor stop after each instruction of the program, from here on */
static inline void pe_begin_steps(void)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orl $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp"
			 : : : "memory", "cc");
}

#define PE_CAN_STEP	1

#elif defined(__aarch64__)

/* Byte after byte where they overlap, as everybody who copies forwards. */
static inline void pe_copy(void *dst, const void *src, uint64_t bytes)
{
	uint64_t a, b;

	if ((uintptr_t)dst - (uintptr_t)src >= 16)
		for (; bytes >= 16; bytes -= 16)
			__asm__ volatile("ldp %2, %3, [%1], #16\n\t"
					 "stp %2, %3, [%0], #16"
					 : "+r"(dst), "+r"(src), "=&r"(a), "=&r"(b)
					 : : "memory");
	for (; bytes; bytes--)
		__asm__ volatile("ldrb %w2, [%1], #1\n\t"
				 "strb %w2, [%0], #1"
				 : "+r"(dst), "+r"(src), "=&r"(a) : : "memory");
}

static inline uint64_t pe_context_pc(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.pc;
}

static inline uint64_t pe_context_sp(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.sp;
}

/* a record behind the registers, as the kernel writes them one after the other */
struct pe_record {
	uint32_t magic;
	uint32_t bytes;
};

#define PE_RECORD_CAUSE	0x45535201u	/* the exception's syndrome */
#define PE_RECORD_EXTRA	0x45585401u	/* where more of them are */

/* NULL: there is none of that kind */
static inline void *pe_find_record(const void *context, uint32_t magic)
{
	const ucontext_t *uc = context;
	uintptr_t at = (uintptr_t)uc->uc_mcontext.__reserved;
	const uintptr_t end = at + sizeof(uc->uc_mcontext.__reserved);

	while (at <= end - sizeof(struct pe_record)) {
		struct pe_record *r = (struct pe_record *)at;

		if (r->magic == magic)
			return r;
		if (!r->magic || r->bytes < sizeof(*r) || r->bytes > end - at)
			return 0;
		at += r->bytes;
	}
	return 0;
}

/* the processor stops after instructions for a debugger of the kernel's alone */
static inline int pe_is_step(const void *context)
{
	(void)context;
	return 0;
}

#define PE_CAUSE_CLASS(c)	((c) >> 26 & 0x3f)
#define PE_CLASS_DATA		0x24u	/* loads and stores of programs */
#define PE_CAUSE_WRITE		(1u << 6)
#define PE_CAUSE_CACHE		(1u << 8)	/* a cache's maintenance, which reads */

static inline enum pe_touch pe_touched(const void *context)
{
	const struct {
		struct pe_record head;
		uint64_t cause;
	} *r = pe_find_record(context, PE_RECORD_CAUSE);

	if (!r || PE_CAUSE_CLASS(r->cause) != PE_CLASS_DATA)
		return PE_TOUCH_NONE;
	return r->cause & PE_CAUSE_WRITE && !(r->cause & PE_CAUSE_CACHE) ?
		       PE_TOUCH_WRITE : PE_TOUCH_READ;
}

/*
 * What compilers make of __builtin_trap(), BRK 1, and what pe-count, or the compiler in
 * programs that do not count, puts where a divisor is 0, which this processor divides by;
 * code of 4 bytes is there where this signal comes of it.
 */
#define PE_TRAP_SIGNAL	SIGTRAP
#define PE_TRAP_BYTES	4

static inline uint32_t pe_trap_kind(uint64_t pc)
{
	uint32_t code = *(const volatile uint32_t *)(uintptr_t)(pc & ~(uint64_t)3);

	if (code == 0xd4200020u)
		return PE_FAULT_ASSERT;
	return code == PE_TRAP_DIVIDE || code == PE_TRAP_DIVREM ? PE_FAULT_DIVIDE :
								   PE_FAULT_INSTRUCTION;
}

static inline void pe_begin_steps(void)
{
}

#define PE_CAN_STEP	0

#endif

#endif /* PE_MACHINE_H */
