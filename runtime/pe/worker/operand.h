/* SPDX-License-Identifier: MIT */
/* Instructions of x86-64 that the worker reads: prefixes, and where an operand lies. */
#ifndef PE_OPERAND_H
#define PE_OPERAND_H

#include <stdint.h>
#include <ucontext.h>

#ifdef __x86_64__

/* REX: a 64-bit operand, and the fourth bits of register numbers */
#define REX	0x40
#define REX_W	8
#define REX_X	2
#define REX_B	1

struct pe_instruction {
	const greg_t *regs;
	const uint8_t *at;	/* its next byte that has not been read */
	uint8_t rex;		/* 0: none */
	uint8_t operand_16, address_32, segment, lock;
	uint8_t modrm;
};

/* by the processor's number of a register */
uint64_t pe_register(const struct pe_instruction *i, unsigned int number);
/* read everything before the opcode */
void pe_read_prefixes(struct pe_instruction *i);
/*
 * The address of an operand in memory, behind i->modrm; immediate: bytes of the
 * instruction that follow it.
 */
uint64_t pe_operand_address(struct pe_instruction *i, unsigned int immediate);

struct pe_operand {
	uint64_t address;
	uint32_t bytes;
};

/*
 * The memory that the instruction at a context reads, changes and writes back, as
 * other tasklets may see; 0: it does not, or in one go.
 */
int pe_changed_operand(const void *context, struct pe_operand *o);

#endif

#endif /* PE_OPERAND_H */
