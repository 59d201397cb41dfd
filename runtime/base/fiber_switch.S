/* SPDX-License-Identifier: MIT */
/*
 * The switch of fiber.c, for the processors that have one here. The layout of what
 * it leaves on a stack is that of struct frame there.
 */
#if defined(__x86_64__) && defined(__LP64__)
	.text

/* void pd_fiber_change(void **from_sp, void *to_sp) */
	.globl	pd_fiber_change
	.hidden	pd_fiber_change
	.type	pd_fiber_change, @function
	.balign	16
pd_fiber_change:
	.cfi_startproc
	.irp	r, rbp, rbx, r12, r13, r14, r15
	pushq	%\r
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \r, 0
	.endr
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movl	(%rsp), %eax
	movzwl	4(%rsp), %ecx
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	/* setting either takes longer than all the rest, and they seldom differ */
	cmpl	(%rsp), %eax
	je	1f
	ldmxcsr	(%rsp)
1:	cmpw	4(%rsp), %cx
	je	2f
	fldcw	4(%rsp)
2:	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	.irp	r, r15, r14, r13, r12, rbx, rbp
	popq	%\r
	.cfi_adjust_cfa_offset -8
	.cfi_restore \r
	.endr
	ret
	.cfi_endproc
	.size	pd_fiber_change, . - pd_fiber_change

/* Nothing called this: whoever walks the stack, up to here, has seen it all. */
	.globl	pd_fiber_entry
	.hidden	pd_fiber_entry
	.type	pd_fiber_entry, @function
	.balign	16
pd_fiber_entry:
	.cfi_startproc
	.cfi_undefined rip
	movq	%rbx, %rdi
	call	pd_fiber_first
	ud2
	.cfi_endproc
	.size	pd_fiber_entry, . - pd_fiber_entry

#elif defined(__aarch64__) && defined(__LP64__)
	.text

/* void pd_fiber_change(void **from_sp, void *to_sp) */
	.globl	pd_fiber_change
	.hidden	pd_fiber_change
	.type	pd_fiber_change, %function
	.balign	16
pd_fiber_change:
	.cfi_startproc
	sub	sp, sp, #176
	.cfi_def_cfa_offset 176
	stp	x19, x20, [sp, #0]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	.cfi_rel_offset x29, 80
	.cfi_rel_offset x30, 88
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mrs	x9, fpcr
	mrs	x10, fpsr
	stp	x9, x10, [sp, #160]
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	ldp	x9, x10, [sp, #160]
	msr	fpcr, x9
	msr	fpsr, x10
	ldp	d14, d15, [sp, #144]
	ldp	d12, d13, [sp, #128]
	ldp	d10, d11, [sp, #112]
	ldp	d8, d9, [sp, #96]
	ldp	x29, x30, [sp, #80]
	ldp	x27, x28, [sp, #64]
	ldp	x25, x26, [sp, #48]
	ldp	x23, x24, [sp, #32]
	ldp	x21, x22, [sp, #16]
	ldp	x19, x20, [sp, #0]
	add	sp, sp, #176
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_endproc
	.size	pd_fiber_change, . - pd_fiber_change

/* Nothing called this: whoever walks the stack, up to here, has seen it all. */
	.globl	pd_fiber_entry
	.hidden	pd_fiber_entry
	.type	pd_fiber_entry, %function
	.balign	16
pd_fiber_entry:
	.cfi_startproc
	.cfi_undefined x30
	mov	x0, x19
	bl	pd_fiber_first
	brk	#1
	.cfi_endproc
	.size	pd_fiber_entry, . - pd_fiber_entry
#endif

	.section .note.GNU-stack, "", %progbits
