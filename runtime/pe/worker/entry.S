/* SPDX-License-Identifier: MIT */
#ifdef __x86_64__
#include <sys/syscall.h>

#include "runtime/pe/shared/shared.h"

	.text

/* The process starts here. Its first stack goes with all that is not ours. */
	.globl	pe_start
pe_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	pe_setup
	movl	$PE_CONTROL_TOP, %esp
	call	pe_seal
	ud2

/*
 * Sleep until the broker has set up a PE, and start it. The filter lets nothing
 * but this instruction wait on the idle word, and what follows it depends on no
 * register and no memory of before: so a worker that the kernel finds waiting
 * there is past anything that the last program did. A signal that comes to it
 * there, or on its way to the next PE, is dealt with by signals.c.
 */
	.macro	unlock_memory, pkeys
	.if	\pkeys
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	xorl	%edx, %edx
	wrpkru
	.endif
	.endm

	.macro	park, pkeys, ip
1:	unlock_memory \pkeys
	movl	$SYS_futex, %eax
	movl	$PE_SHARED_IDLE, %edi
	xorl	%esi, %esi		/* FUTEX_WAIT */
	xorl	%edx, %edx		/* while it is 0 */
	xorl	%r10d, %r10d		/* for ever */
	syscall
\ip:
	movl	$PE_CONTROL_TOP, %esp
	testl	%eax, %eax
	jnz	1b
	unlock_memory \pkeys
	jmp	start_pe
	.endm

/* All registers as a process starts: nothing of the program's. */
	.macro	forget
	cmpl	$0, PE_HAS_XSAVE
	je	.Lold\@
	movl	$-1, %eax
	movl	$-1, %edx
	xrstor	initial_state
	jmp	.Lothers\@
.Lold\@:
	fxrstor	initial_state
.Lothers\@:
	.irp	r, eax, ebx, ecx, edx, esi, edi, ebp, r8d, r9d, r10d, r11d, \
		r12d, r13d, r14d, r15d
	xorl	%\r, %\r
	.endr
	.endm

/* Segment registers as a process has them: programs can keep something there. */
	.macro	forget_segments
	xorl	%eax, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %fs
	movl	%eax, %gs
	cmpl	$0, PE_HAS_FSGSBASE
	je	.Lbases\@
	wrfsbase %rax
	wrgsbase %rax
.Lbases\@:
	.endm

/*
 * What programs and signals have left on the control stack. The broker clears none
 * of it: signals come to a worker that is parked, too.
 */
	.macro	clear_control_stack
	xorl	%eax, %eax
	movl	$PE_CONTROL_USED, %edi
	movl	$((PE_CONTROL_TOP - PE_CONTROL_USED) / 8), %ecx
	rep stosq
	.endm

/*
 * A program may have moved the alternate stack, which the kernel believes of every
 * frame that a signal's return finds. It sets none for a stack pointer that lies on
 * the present one: 0 lies on none, wherever that was.
 */
	.macro	own_signal_stack
	movl	$SYS_sigaltstack, %eax
	movl	$pe_signal_stack, %edi
	xorl	%esi, %esi
	xorl	%esp, %esp
	syscall
	movl	$PE_CONTROL_TOP, %esp
	.endm

	.globl	pe_park
	.globl	pe_parking
	.globl	pe_started
	.globl	pe_idle_ip
	.globl	pe_idle_ip_pkeys
pe_park:
	movl	$PE_CONTROL_TOP, %esp
pe_parking:
	/* a signal's frame would keep them on a stack that is clean by then */
	forget
	cmpl	$0, PE_HAS_PKEYS
	jne	park_pkeys
	park	0, pe_idle_ip
	/* a program that took its rights to memory away shall not take its
	 * successor's; the filter knows which of the two is the worker's */
park_pkeys:
	park	1, pe_idle_ip_pkeys

start_pe:
	pushq	$0x202
	popfq
	clear_control_stack
	/* a program may have parked without pe_park() */
	forget_segments
	own_signal_stack
	forget
	call	pe_enter
	ud2
pe_started:

	.section .rodata
	.balign 64
initial_state:
	.short	0x037f		/* x87 control word, for FXRSTOR */
	.zero	22
	.long	0x1f80		/* mxcsr */
	.zero	512 - 28
	.zero	64		/* XRSTOR: no component is but as it starts */
	.balign 8
	.globl	pe_signal_stack
pe_signal_stack:		/* stack_t */
	.quad	PE_SIGNAL_BOTTOM
	.quad	0
	.quad	PE_SIGNAL_STACK
	.text

/*
 * pe_switch(rdi: where to keep this stack, rsi: the other). To load a control word takes
 * longer than all the rest, and hardly ever changes it.
 */
	.globl	pe_switch
pe_switch:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	subq	$8, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movl	(%rsp), %eax
	movw	4(%rsp), %cx
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	cmpl	(%rsp), %eax
	je	.Lsame_mxcsr
	ldmxcsr	(%rsp)
.Lsame_mxcsr:
	cmpw	4(%rsp), %cx
	je	.Lsame_x87
	fldcw	4(%rsp)
.Lsame_x87:
	addq	$8, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret

/*
 * pe_fail(kind, address, pc): for backtraces, the registers of whom it would return
 * to, of which pe_failed() and what it calls would keep what they do not use.
 */
	.globl	pe_fail
pe_fail:
	movl	$PE_SHARED_SAVED, %eax
	movq	%rbx, (%rax)
	movq	%rbp, 8(%rax)
	movq	%r12, 16(%rax)
	movq	%r13, 24(%rax)
	movq	%r14, 32(%rax)
	movq	%r15, 40(%rax)
	leaq	8(%rsp), %rcx
	movq	%rcx, 48(%rax)
	movq	(%rsp), %rcx
	movq	%rcx, 56(%rax)
	jmp	pe_failed

	.globl	pe_restorer
pe_restorer:
	movl	$SYS_rt_sigreturn, %eax
	syscall

#endif

	.section .note.GNU-stack, "", @progbits
