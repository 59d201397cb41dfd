// SPDX-License-Identifier: MIT
/* Where code that counts finds that it is another tasklet's turn. */
#include "pe.h"

void pe_pace(void);
void pe_pace_turn(void);

void pe_pace_turn(void)
{
	pe_sync();
}

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
