// SPDX-License-Identifier: MIT
/* Where code that counts finds that it is another tasklet's turn. */
#include "pe.h"

void pe_pace(void);
void pe_pace_turn(void);

void pe_pace_turn(void)
{
	pe_sync();
}

/*
 * Jumped to, with %rax saying where to go on, from code that does not know of it: what
 * may be in registers stays there, but for those of SSE, and below the stack pointer.
 */
__attribute__((naked)) void pe_pace(void)
{
	__asm__("leaq	-128(%rsp), %rsp\n\t"
		"pushq	%rax\n\t"
		"pushq	%rcx\n\t"
		"pushq	%rdx\n\t"
		"pushq	%rsi\n\t"
		"pushq	%rdi\n\t"
		"pushq	%r8\n\t"
		"pushq	%r9\n\t"
		"pushq	%r10\n\t"
		"pushq	%r11\n\t"
		"pushq	%rbx\n\t"
		"movq	%rsp, %rbx\n\t"
		"andq	$-16, %rsp\n\t"
		"call	pe_pace_turn\n\t"
		"movq	%rbx, %rsp\n\t"
		"popq	%rbx\n\t"
		"popq	%r11\n\t"
		"popq	%r10\n\t"
		"popq	%r9\n\t"
		"popq	%r8\n\t"
		"popq	%rdi\n\t"
		"popq	%rsi\n\t"
		"popq	%rdx\n\t"
		"popq	%rcx\n\t"
		"popq	%rax\n\t"
		"leaq	128(%rsp), %rsp\n\t"
		"jmp	*%rax");
}
