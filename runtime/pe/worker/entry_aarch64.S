/* SPDX-License-Identifier: MIT */
#ifdef __aarch64__
/* What entry.S is on x86-64, on aarch64. */
#include <sys/syscall.h>

#include "runtime/pe/shared/shared.h"

	.text
	/* the worker's own code does without them, and clang holds its assembler to that */
	.arch_extension fp

	.macro	constant, register, value
	movz	\register, #((\value) & 0xffff)
	movk	\register, #((\value) >> 16), lsl #16
	.endm

	.macro	control_stack
	constant x9, PE_CONTROL_TOP
	mov	sp, x9
	.endm

/* The process starts here. Its first stack goes with all that is not ours. */
	.globl	pe_start
pe_start:
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, sp
	bl	pe_setup
	control_stack
	bl	pe_seal
	udf	#0

/*
 * All registers as a process starts: nothing of the program's. Writing the lower half of a
 * vector clears what lies above; predicates the kernel clears at each system call. The
 * array of SME and whether vectors stream is kept through those, the mode of 8-bit floats
 * and the overlays of memory's rights as well, where there are any. A process starts with
 * all rights to memory that has key 0, and none to others.
 */
	.macro	forget
	constant x0, PE_HAS_OWN
	ldr	w0, [x0]
	tbz	w0, #PE_OWN_SME, .Lno_sme\@
	.inst	0xd503467f		/* smstop */
	.inst	0xd51bd0bf		/* msr tpidr2_el0, xzr */
.Lno_sme\@:
	tbz	w0, #PE_OWN_FPMR, .Lno_fpmr\@
	msr	S3_3_C4_C4_2, xzr
.Lno_fpmr\@:
	tbz	w0, #PE_OWN_OVERLAYS, .Lvectors\@
	mov	x1, #7
	msr	S3_3_C10_C2_4, x1	/* por_el0 */
.Lvectors\@:
	.irp	r, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, \
		d11, d12, d13, d14, d15, d16, d17, d18, d19, d20, d21, \
		d22, d23, d24, d25, d26, d27, d28, d29, d30, d31
	fmov	\r, xzr
	.endr
	msr	fpcr, xzr
	msr	fpsr, xzr
	msr	nzcv, xzr
	msr	tpidr_el0, xzr
	clrex
	.irp	r, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, \
		x11, x12, x13, x14, x15, x16, x17, x18, x19, x20, x21, \
		x22, x23, x24, x25, x26, x27, x28, x29, x30
	mov	\r, xzr
	.endr
	.endm

/* What programs and signals have left on the control stack: see entry.S. */
	.macro	clear_control_stack
	constant x0, PE_CONTROL_USED
	constant x1, PE_CONTROL_TOP
.Lclear\@:
	stp	xzr, xzr, [x0], #16
	cmp	x0, x1
	b.lo	.Lclear\@
	.endm

/* See entry.S: with a stack pointer that lies on no stack. */
	.macro	own_signal_stack
	mov	x8, #SYS_sigaltstack
	adr	x0, pe_signal_stack
	mov	x1, xzr
	mov	sp, x1
	svc	#0
	control_stack
	.endm

/*
 * Sleep until the broker has set up a PE, and start it. Nothing but this instruction may
 * wait on the idle word, and what follows it depends on no register and no memory of
 * before: see entry.S.
 */
	.globl	pe_park
	.globl	pe_parking
	.globl	pe_started
	.globl	pe_idle_ip
	.globl	pe_idle_ip_pkeys
pe_park:
	control_stack
pe_parking:
	/* a signal's frame would keep them on a stack that is clean by then */
	forget
.Lpark:
	mov	x8, #SYS_futex
	constant x0, PE_SHARED_IDLE
	mov	x1, xzr			/* FUTEX_WAIT */
	mov	x2, xzr			/* while it is 0 */
	mov	x3, xzr			/* for ever */
	svc	#0
pe_idle_ip:
pe_idle_ip_pkeys:
	control_stack
	cbnz	x0, .Lpark
	clear_control_stack
	own_signal_stack
	forget
	bl	pe_enter
	udf	#0
pe_started:

	.section .rodata
	.balign 8
	.globl	pe_signal_stack
pe_signal_stack:		/* stack_t */
	.quad	PE_SIGNAL_BOTTOM
	.quad	0
	.quad	PE_SIGNAL_STACK
	.text

/* pe_switch(x0: where to keep this stack, x1: the other): preempt_aarch64.c's struct switched */
	.globl	pe_switch
pe_switch:
	sub	sp, sp, #176
	mrs	x2, fpcr
	str	x2, [sp]
	stp	d8, d9, [sp, #16]
	stp	d10, d11, [sp, #32]
	stp	d12, d13, [sp, #48]
	stp	d14, d15, [sp, #64]
	stp	x19, x20, [sp, #80]
	stp	x21, x22, [sp, #96]
	stp	x23, x24, [sp, #112]
	stp	x25, x26, [sp, #128]
	stp	x27, x28, [sp, #144]
	stp	x29, x30, [sp, #160]
	mov	x3, sp
	str	x3, [x0]
	mov	sp, x1
	ldr	x3, [sp]
	cmp	x2, x3
	b.eq	.Lsame_fpcr
	msr	fpcr, x3
.Lsame_fpcr:
	ldp	d8, d9, [sp, #16]
	ldp	d10, d11, [sp, #32]
	ldp	d12, d13, [sp, #48]
	ldp	d14, d15, [sp, #64]
	ldp	x19, x20, [sp, #80]
	ldp	x21, x22, [sp, #96]
	ldp	x23, x24, [sp, #112]
	ldp	x25, x26, [sp, #128]
	ldp	x27, x28, [sp, #144]
	ldp	x29, x30, [sp, #160]
	add	sp, sp, #176
	ret

/*
 * pe_fail(kind, address, pc): for backtraces, the registers of whom it would return
 * to, of which pe_failed() and what it calls would keep what they do not use.
 */
	.globl	pe_fail
pe_fail:
	constant x9, PE_SHARED_SAVED
	stp	x19, x20, [x9]
	stp	x21, x22, [x9, #16]
	stp	x23, x24, [x9, #32]
	stp	x25, x26, [x9, #48]
	stp	x27, x28, [x9, #64]
	mov	x10, sp
	stp	x29, x10, [x9, #80]
	str	x30, [x9, #96]
	b	pe_failed

	.globl	pe_restorer
pe_restorer:
	mov	x8, #SYS_rt_sigreturn
	svc	#0
#endif

	.section .note.GNU-stack, "", @progbits
