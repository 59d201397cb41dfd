// SPDX-License-Identifier: MIT
/*
 * Divisions of the least integer by -1, of all sizes, with divisors in every
 * register and in memory by every kind of address; and one of another kind.
 */
#include "tests/unit/pe/programs/pe.h"

struct operands {
	uint64_t rax, rdx;
};

/* a piece of code that divides, and the bytes of its operands */
struct piece {
	void (*code)(struct operands *o);
	uint64_t bytes;
};

HOST uint32_t act;
HOST uint32_t nr_pieces;
HOST uint32_t wrong;		/* the first piece that went wrong + 1 */
HOST struct operands got;
HOST uint64_t sp_of_piece;
HOST uint64_t divisors[64];	/* -1 where a piece puts it */

extern const struct piece pieces[], pieces_end[];

/*
 * A piece: `before`, then the division. It finds its operands in rax and rdx, in
 * rdi and elsewhere the address of `divisors`, whose middle words are -1.
 */
__asm__(
	".macro piece bytes, before, division:vararg\n"
	".pushsection .rodata.pieces, \"a\"\n"
	"	.quad	9f, \\bytes\n"
	".popsection\n"
	"9:	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	push %rdi\n"
	"	mov %rsp, sp_of_piece\n"
	"	mov (%rdi), %rax; mov 8(%rdi), %rdx\n"
	"	mov $divisors + 256, %edi\n"
	"	\\before\n"
	"	\\division\n"
	"	mov sp_of_piece, %rsp\n"
	"	pop %rdi\n"
	"	mov %rax, (%rdi); mov %rdx, 8(%rdi)\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	".endm\n"

	/* a memory operand in each size */
	".macro memory before, operand:vararg\n"
	"	piece 8, \"\\before\", idivq \\operand\n"
	"	piece 4, \"\\before\", idivl \\operand\n"
	"	piece 2, \"\\before\", idivw \\operand\n"
	"	piece 1, \"\\before\", idivb \\operand\n"
	".endm\n"

	".section .rodata.pieces, \"a\"\n"
	".globl pieces\n"
	"pieces:\n"
	".text\n"

	".irp r, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15\n"
	"	piece 8, \"mov $-1, %\\r\", idivq %\\r\n"
	".endr\n"
	".irp r, ecx, edx, ebx, ebp, esi, edi, r8d, r9d, r10d, r11d, r12d, r13d, r14d, r15d\n"
	"	piece 4, \"mov $-1, %\\r\", idivl %\\r\n"
	".endr\n"
	".irp r, cx, dx, bx, bp, si, di, r8w, r9w, r10w, r11w, r12w, r13w, r14w, r15w\n"
	"	piece 2, \"mov $-1, %\\r\", idivw %\\r\n"
	".endr\n"
	".irp r, cl, bl, bpl, sil, dil, ch, bh, r8b, r9b, r10b, r11b, r12b, r13b, r14b, r15b\n"
	"	piece 1, \"mov $-1, %\\r\", idivb %\\r\n"
	".endr\n"
	/* what lies above the operand does not count */
	"	piece 4, \"mov $0xffffffff, %ecx\", idivl %ecx\n"
	"	piece 2, \"mov $0x7777ffff, %ecx\", idivw %cx\n"
	"	piece 1, \"mov $0x7777ff00, %ecx\", idivb %ch\n"

	".irp r, rcx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15\n"
	"	memory \"mov %rdi, %\\r\", (%\\r)\n"
	"	memory \"mov %rdi, %\\r\", 8(%\\r)\n"
	"	memory \"lea -1024(%rdi), %\\r\", 1024(%\\r)\n"
	"	memory \"lea 8(%rdi), %\\r\", -8(%\\r)\n"
	"	memory \"mov $2, %\\r; mov %rdi, %rdi\", divisors + 240(,%\\r,8)\n"
	".endr\n"
	".irp r, rcx, rbx, rbp, rsi, r8, r12, r13, r15\n"
	"	memory \"mov $3, %\\r\", (%rdi,%\\r)\n"
	"	memory \"mov $4, %\\r\", -16(%rdi,%\\r,4)\n"
	"	memory \"mov $4, %\\r; lea 1032(%rdi), %r14\", -1040(%r14,%\\r,2)\n"
	".endr\n"
	"	memory \"mov %rdi, %r13; mov $8, %ecx\", (%r13,%rcx)\n"
	"	memory \"mov %rdi, %rbp; mov $8, %r12d\", (%rbp,%r12)\n"
	"	memory \"nop\", divisors + 256\n"
	"	memory \"nop\", divisors + 256(%rip)\n"
	"	memory \"mov %edi, %ecx; bts $40, %rcx\", (%ecx)\n"
	"	memory \"mov $-8, %ecx\", 8(%edi,%ecx)\n"
	"	memory \"push $-1\", (%rsp)\n"
	"	memory \"push $-1; push $1\", 8(%rsp)\n"
	"	memory \"nop\", %ds:(%rdi)\n"
	/* prefixes that say nothing, and a REX that is not the last */
	"	piece 4, \"mov $-1, %ecx\", .byte 0x2e, 0xf3, 0x48, 0x3e, 0xf7, 0xf9\n"
	"	piece 8, \"mov $-1, %rcx\", .byte 0x66, 0x48, 0xf7, 0xf9\n"
	"	piece 1, \"mov $-1, %esi\", .byte 0x40, 0xf6, 0xfe\n"

	".section .rodata.pieces, \"a\"\n"
	".globl pieces_end\n"
	"pieces_end:\n"
	".text\n");

static uint64_t low(uint64_t value, uint64_t bytes)
{
	return bytes == 8 ? value : value & ((1ull << 8 * bytes) - 1);
}

#define JUNK 0xc0ffee0ddecade00

/* the operands of the least integer of this size, with junk above them */
static struct operands least(uint64_t bytes)
{
	uint64_t sign = 1ull << (8 * bytes - 1);
	uint64_t junk = JUNK - low(JUNK, bytes);

	if (bytes == 1)
		return (struct operands){ (JUNK & ~0xffffull) | 0xff80, JUNK };
	return (struct operands){ junk | sign, junk | low(~0ull, bytes) };
}

static struct operands wrapped(uint64_t bytes)
{
	struct operands o = least(bytes);

	if (bytes == 1)
		return (struct operands){ o.rax & ~0xff00ull, o.rdx };
	if (bytes == 4)
		return (struct operands){ 1u << 31, 0 };
	o.rdx -= low(o.rdx, bytes);
	return o;
}

static void try_piece(const struct piece *p)
{
	struct operands o = least(p->bytes), expected = wrapped(p->bytes);

	p->code(&o);
	nr_pieces++;
	if (wrong || (o.rax == expected.rax && o.rdx == expected.rdx))
		return;
	wrong = (uint32_t)(p - pieces) + 1;
	got = o;
}

NOINLINE static void wrap(void)
{
	for (unsigned int i = 32; i < 36; i++)
		divisors[i] = ~0ull;
	for (const struct piece *p = pieces; p < pieces_end; p++)
		try_piece(p);
}

/* divisors that are zero, of each kind of operand */
NOINLINE static void zero_register(void)
{
	__asm__ volatile("cqto; idivq %1" : : "a"(1ull), "c"(0ull) : "rdx");
}

NOINLINE static void zero_in_memory(void)
{
	__asm__ volatile("cltd; idivl %1" : : "a"(1), "m"(divisors[0]) : "rdx");
}

NOINLINE static void zero_unsigned(void)
{
	__asm__ volatile("divb %1" : : "a"(1), "m"(divisors[0]));
}

/* quotients of twice the bits that do not fit: no C has them */
NOINLINE static void too_large(void)
{
	__asm__ volatile("divq %0" : : "c"(2ull), "a"(0ull), "d"(5ull));
}

NOINLINE static void too_large_signed(void)
{
	__asm__ volatile("idivq %0" : : "c"(2ull), "a"(0ull), "d"(5ull));
}

/* a float's exception that the program has asked for */
NOINLINE static void unmasked(void)
{
	uint32_t mxcsr = 0;

	__asm__ volatile("ldmxcsr %0; xorps %%xmm0, %%xmm0; divss %%xmm0, %%xmm0"
			 : : "m"(mxcsr) : "xmm0");
}

void pe_start(void)
{
	static void (*const acts[])(void) = {
		wrap, zero_register, zero_in_memory, zero_unsigned, too_large,
		too_large_signed, unmasked,
	};

	boot();
	acts[act]();
}
