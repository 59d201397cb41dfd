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
/*
 * Jumped to, with x16 saying where to go on, from code that does not know of it: what may
 * be in registers stays there, but for x16, x17 and the vectors that functions do not keep
 * for their callers even in part.
 */
__attribute__((naked)) void pe_pace(void)
{
	__asm__("sub	sp, sp, #288\n\t"
		"stp	x0, x1, [sp]\n\t"
		"stp	x2, x3, [sp, #16]\n\t"
		"stp	x4, x5, [sp, #32]\n\t"
		"stp	x6, x7, [sp, #48]\n\t"
		"stp	x8, x9, [sp, #64]\n\t"
		"stp	x10, x11, [sp, #80]\n\t"
		"stp	x12, x13, [sp, #96]\n\t"
		"stp	x14, x15, [sp, #112]\n\t"
		"stp	x16, x18, [sp, #128]\n\t"
		"stp	x29, x30, [sp, #144]\n\t"
		"stp	q8, q9, [sp, #160]\n\t"
		"stp	q10, q11, [sp, #192]\n\t"
		"stp	q12, q13, [sp, #224]\n\t"
		"stp	q14, q15, [sp, #256]\n\t"
		"bl	pe_pace_turn\n\t"
		"ldp	x0, x1, [sp]\n\t"
		"ldp	x2, x3, [sp, #16]\n\t"
		"ldp	x4, x5, [sp, #32]\n\t"
		"ldp	x6, x7, [sp, #48]\n\t"
		"ldp	x8, x9, [sp, #64]\n\t"
		"ldp	x10, x11, [sp, #80]\n\t"
		"ldp	x12, x13, [sp, #96]\n\t"
		"ldp	x14, x15, [sp, #112]\n\t"
		"ldp	x16, x18, [sp, #128]\n\t"
		"ldp	x29, x30, [sp, #144]\n\t"
		"ldp	q8, q9, [sp, #160]\n\t"
		"ldp	q10, q11, [sp, #192]\n\t"
		"ldp	q12, q13, [sp, #224]\n\t"
		"ldp	q14, q15, [sp, #256]\n\t"
		"add	sp, sp, #288\n\t"
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
