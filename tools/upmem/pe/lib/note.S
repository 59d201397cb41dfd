/* SPDX-License-Identifier: MIT */
/* The note that names the ABI and a program's needs; the linker fills it in. */
/* the linker's symbol, not the compiler's macro */
#undef NR_TASKLETS
	.section .note.pimdimm, "a", @note
	.balign	4
	.long	2f - 1f		/* namesz */
	.long	4f - 3f		/* descsz */
	.long	1		/* PE_NOTE_TYPE */
1:	.asciz	"pimdimm"
2:	.balign	4
	.globl	__pe_note
__pe_note:
3:	.long	2		/* PE_ABI_VERSION */
	.long	__pe_note_flags
	.long	NR_TASKLETS
	.long	0
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
	.long	STACK_SIZE_TASKLET_\n
	.endr
4:
	.section .note.GNU-stack, "", @progbits
