/* SPDX-License-Identifier: MIT */
/*
 * A division that the processor refuses. By zero it is a fault on PEs, too. But
 * where the least integer is divided by -1 a PE wraps, as in any other operation,
 * while the processor stops as if the divisor were 0: there the division is done
 * in its place.
 */
#include <ucontext.h>

#include "pe/worker/worker.h"

#define OPERAND_16	0x66
#define ADDRESS_32	0x67
#define SEGMENT_FS	0x64
#define SEGMENT_GS	0x65
#define IDIV		7

/* REX: a 64-bit operand, and the fourth bits of register numbers */
#define REX	0x40
#define REX_W	8
#define REX_X	2
#define REX_B	1

struct division {
	greg_t *regs;
	const uint8_t *at;	/* the next byte of the instruction */
	uint8_t rex;		/* 0: none */
	uint8_t operand_16, address_32, segment;
	uint8_t modrm;
	uint32_t bytes;		/* of an operand */
	int64_t divisor;
};

/* by the processor's number of a register */
static uint64_t reg(const struct division *d, unsigned int number)
{
	static const uint8_t which[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI,
		REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
		REG_R14, REG_R15,
	};

	return (uint64_t)d->regs[which[number]];
}

static void read_prefixes(struct division *d)
{
	for (;; d->at++) {
		switch (*d->at) {
		case OPERAND_16:
			d->operand_16 = 1;
			break;
		case ADDRESS_32:
			d->address_32 = 1;
			break;
		case SEGMENT_FS:
		case SEGMENT_GS:
			d->segment = 1;
			break;
		/* other segments, and prefixes that mean nothing here */
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0xf2: case 0xf3:
			break;
		default:
			if ((*d->at & 0xf0) != REX)
				return;
			d->rex = *d->at;
			continue;
		}
		/* counts only where it is the last prefix */
		d->rex = 0;
	}
}

static int64_t displacement(struct division *d, unsigned int bytes)
{
	int64_t value = bytes == 1 ? *(const int8_t *)d->at :
				     *(const int32_t *)d->at;

	d->at += bytes;
	return value;
}

/* The SIB byte's part of an address; *based: whether it has a base register. */
static uint64_t indexed(struct division *d, int *based)
{
	uint8_t sib = *d->at++;
	unsigned int index = (sib >> 3 & 7) | (d->rex & REX_X ? 8 : 0);
	unsigned int base = (sib & 7) | (d->rex & REX_B ? 8 : 0);
	uint64_t address = index == 4 ? 0 : reg(d, index) << (sib >> 6);

	*based = (sib & 7) != 5 || d->modrm >> 6;
	return address + (*based ? reg(d, base) : 0);
}

static uint64_t operand_address(struct division *d)
{
	unsigned int mode = d->modrm >> 6, rm = d->modrm & 7;
	uint64_t address = 0;
	int based = 1;

	if (rm == 4)
		address = indexed(d, &based);
	else if (rm == 5 && !mode)
		based = 0;
	else
		address = reg(d, rm | (d->rex & REX_B ? 8 : 0));
	if (mode == 1)
		address += (uint64_t)displacement(d, 1);
	else if (mode == 2 || !based)
		address += (uint64_t)displacement(d, 4);
	/* it has no immediate: the next instruction begins behind it */
	if (rm == 5 && !mode)
		address += (uint64_t)(uintptr_t)d->at;
	return d->address_32 ? (uint32_t)address : address;
}

static uint64_t register_operand(const struct division *d)
{
	unsigned int rm = d->modrm & 7;

	/* AH, CH, DH, BH */
	if (d->bytes == 1 && !d->rex && rm >= 4)
		return reg(d, rm - 4) >> 8;
	return reg(d, rm | (d->rex & REX_B ? 8 : 0));
}

static int64_t sign_extended(uint64_t value, uint32_t bytes)
{
	unsigned int unused = 64 - 8 * bytes;

	return (int64_t)(value << unused) >> unused;
}

static uint64_t memory_operand(struct division *d)
{
	const volatile uint8_t *p =
		(const volatile uint8_t *)(uintptr_t)operand_address(d);
	uint64_t value = 0;

	for (uint32_t i = 0; i < d->bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/* 0: it is none that this knows */
static int decode(struct division *d)
{
	uint8_t opcode;
	uint64_t divisor;

	read_prefixes(d);
	opcode = *d->at++;
	if ((opcode != 0xf6 && opcode != 0xf7) || d->segment)
		return 0;
	d->bytes = opcode == 0xf6 ? 1 : d->rex & REX_W ? 8 :
		   d->operand_16 ? 2 : 4;
	d->modrm = *d->at++;
	divisor = d->modrm >> 6 == 3 ? register_operand(d) : memory_operand(d);
	d->divisor = sign_extended(divisor, d->bytes);
	return 1;
}

/* A register's low bytes; those above stay, but a result of 4 clears them. */
static void set(greg_t *reg, uint64_t value, uint32_t bytes)
{
	uint64_t mask = bytes >= 4 ? 0 : ~0ull << 8 * bytes;

	*reg = (greg_t)(((uint64_t)*reg & mask) |
			(bytes == 4 ? (uint32_t)value : value & ~mask));
}

/* Divide by -1: the quotient wraps, the remainder is 0. */
static void negate(struct division *d)
{
	greg_t *rax = &d->regs[REG_RAX];
	uint64_t quotient = -(uint64_t)*rax;

	if (d->bytes == 1) {
		set(rax, (uint8_t)quotient, 2);
	} else {
		set(rax, quotient, d->bytes);
		set(&d->regs[REG_RDX], 0, d->bytes);
	}
	d->regs[REG_RIP] = (greg_t)(uintptr_t)d->at;
}

uint32_t pe_divide(void *context)
{
	ucontext_t *uc = context;
	struct division d = {
		.regs = uc->uc_mcontext.gregs,
		.at = (const uint8_t *)(uintptr_t)
			uc->uc_mcontext.gregs[REG_RIP],
	};

	if (!decode(&d) || !d.divisor)
		return PE_FAULT_DIVIDE;
	if ((d.modrm >> 3 & 7) == IDIV && d.divisor == -1) {
		negate(&d);
		return PE_FAULT_NONE;
	}
	/* of twice the bits, with a quotient that no division in C has */
	return PE_FAULT_INSTRUCTION;
}
