// SPDX-License-Identifier: MIT
/* Where code that counts finds that it is another tasklet's turn. */
#include "pe.h"

void pe_pace(void);
void pe_pace_turn(void);

void pe_pace_turn(void)
{
	pe_sync();
}

#ifdef __pe_aarch64__
#define SAVE(a, b, at)	"stp	x" #a ", x" #b ", [sp, #" #at "]\n\t"	\
			".cfi_rel_offset " #a ", " #at "\n\t"		\
			".cfi_rel_offset " #b ", " #at " + 8\n\t"
#define LOAD(a, b, at)	"ldp	x" #a ", x" #b ", [sp, #" #at "]\n\t"	\
			".cfi_restore " #a "\n\t"			\
			".cfi_restore " #b "\n\t"

/*
 * Jumped to, with x16 saying where to go on, from code that does not know of it: what may
 * be in registers stays there, but for x16, x17 and the vectors that functions do not keep
 * for their callers even in part. Core files have tasklets that wait here: column 30 of the
 * call frames, where the caller goes on, is x16 and then where that is kept. So they cannot
 * tell where the caller's own x30 is: of one that calls nothing itself, backtraces end there.
 */
__attribute__((naked)) void pe_pace(void)
{
	__asm__(".cfi_def_cfa sp, 0\n\t"
		".cfi_register 30, 16\n\t"
		"sub	sp, sp, #288\n\t"
		".cfi_adjust_cfa_offset 288\n\t"
		SAVE(0, 1, 0)
		SAVE(2, 3, 16)
		SAVE(4, 5, 32)
		SAVE(6, 7, 48)
		SAVE(8, 9, 64)
		SAVE(10, 11, 80)
		SAVE(12, 13, 96)
		SAVE(14, 15, 112)
		SAVE(16, 18, 128)
		".cfi_rel_offset 30, 128\n\t"
		"stp	x29, x30, [sp, #144]\n\t"
		".cfi_rel_offset 29, 144\n\t"
		"stp	q8, q9, [sp, #160]\n\t"
		"stp	q10, q11, [sp, #192]\n\t"
		"stp	q12, q13, [sp, #224]\n\t"
		"stp	q14, q15, [sp, #256]\n\t"
		"bl	pe_pace_turn\n\t"
		LOAD(0, 1, 0)
		LOAD(2, 3, 16)
		LOAD(4, 5, 32)
		LOAD(6, 7, 48)
		LOAD(8, 9, 64)
		LOAD(10, 11, 80)
		LOAD(12, 13, 96)
		LOAD(14, 15, 112)
		LOAD(16, 18, 128)
		".cfi_register 30, 16\n\t"
		"ldp	x29, x30, [sp, #144]\n\t"
		".cfi_restore 29\n\t"
		"ldp	q8, q9, [sp, #160]\n\t"
		"ldp	q10, q11, [sp, #192]\n\t"
		"ldp	q12, q13, [sp, #224]\n\t"
		"ldp	q14, q15, [sp, #256]\n\t"
		"add	sp, sp, #288\n\t"
		".cfi_adjust_cfa_offset -288\n\t"
		"br	x16");
}
#else
#define PUSH(r)	"pushq	%" #r "\n\t"	\
		".cfi_adjust_cfa_offset 8\n\t"	\
		".cfi_rel_offset " #r ", 0\n\t"
#define POP(r)	"popq	%" #r "\n\t"	\
		".cfi_adjust_cfa_offset -8\n\t"	\
		".cfi_restore " #r "\n\t"

/*
 * Jumped to, with %rax saying where to go on, from code that does not know of it: what
 * may be in registers stays there, but for those of SSE, and below the stack pointer.
 * Debuggers may look at a tasklet that a timer has stopped at any of these: column 16 of
 * the call frames, where the caller goes on, is in %rax and then where that is kept.
 */
__attribute__((naked)) void pe_pace(void)
{
	__asm__(".cfi_def_cfa rsp, 0\n\t"
		".cfi_register 16, rax\n\t"
		"leaq	-128(%rsp), %rsp\n\t"
		".cfi_adjust_cfa_offset 128\n\t"
		PUSH(rax)
		".cfi_rel_offset 16, 0\n\t"
		PUSH(rcx)
		PUSH(rdx)
		PUSH(rsi)
		PUSH(rdi)
		PUSH(r8)
		PUSH(r9)
		PUSH(r10)
		PUSH(r11)
		PUSH(rbx)
		"movq	%rsp, %rbx\n\t"
		".cfi_def_cfa_register rbx\n\t"
		"andq	$-16, %rsp\n\t"
		"call	pe_pace_turn\n\t"
		"movq	%rbx, %rsp\n\t"
		".cfi_def_cfa_register rsp\n\t"
		POP(rbx)
		POP(r11)
		POP(r10)
		POP(r9)
		POP(r8)
		POP(rdi)
		POP(rsi)
		POP(rdx)
		POP(rcx)
		POP(rax)
		".cfi_register 16, rax\n\t"
		"leaq	128(%rsp), %rsp\n\t"
		".cfi_adjust_cfa_offset -128\n\t"
		"jmp	*%rax");
}
#endif
